"""Speed and memory of gradients compared with what is written by hand: ``python -m tests.benchmarks``.

The thread counts have to be set before NumPy is first imported, therefore here: on several threads a ratio measures
the scheduler as much as the code.
"""
import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

for _variable in THREADS:
    os.environ[_variable] = "1"
