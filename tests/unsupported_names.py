"""NumPy's and SciPy's functions that have no line in the table: those whose own source is differentiated, and for the
others why. docs/rules.md lists them; ``np.`` stands for what is in NumPy itself."""
from __future__ import annotations

BY_SOURCE = [
    "np.asarray_chkfinite", "np.intersect1d", "np.logspace", "np.poly", "np.polyadd", "np.polydiv",
    "np.polysub", "np.real_if_close", "np.require", "np.roots", "np.row_stack", "np.setdiff1d", "np.setxor1d",
    "np.sort_complex", "np.union1d", "np.unstack", "np.linalg.matmul", "np.linalg.matrix_transpose",
    "np.linalg.tensordot", "np.fft.hfft", "np.fft.ihfft",
]

NUMPY = {
    "of whole numbers, bits, dates and dtypes, which are never differentiated":
        "bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
        "bitwise_xor invert left_shift right_shift gcd lcm packbits unpackbits binary_repr base_repr busday_count "
        "busday_offset is_busday datetime_as_string datetime_data isnat issubdtype isdtype promote_types mintypecode "
        "typename common_type isfortran iterable",
    "give constants: what goes in is a size, a shape or an index":
        "mask_indices ravel_multi_index broadcast_shapes einsum_path",
    "read, write, print or set something":
        "frombuffer fromfile fromiter fromregex fromstring from_dlpack genfromtxt load loadtxt save savetxt savez "
        "savez_compressed get_include get_printoptions set_printoptions printoptions getbufsize setbufsize geterr "
        "seterr geterrcall seterrcall info show_config show_runtime test",
    "make matrices, in which `*` means another product: use arrays and `@`": "asmatrix bmat",
    "call a function that nobody can follow: call it on whole arrays, or in a loop":
        "fromfunction frompyfunc apply_over_axes",
    "count in bins of several axes: write the bins out with `np.digitize` and `np.add.at`":
        "histogram2d histogramdd histogram_bin_edges",
    "give the unique values with more than `np.unique` tells: ask that for it":
        "unique_all unique_counts unique_inverse unique_values",
    "cut with a slice": "trim_zeros",
    "loop over `np.ndindex`": "nested_iters",
    "go to the next number that there is, by a step that has no derivative": "nextafter",
    "write the conditions and functions out in the call": "piecewise",
    "is another name of `np.isin`": "in1d",
}

SCIPY_SPECIAL = {
    "give zeros, roots, weights and coefficients for an order, which is a whole number":
        "ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bi_zeros erf_zeros fresnel_zeros fresnelc_zeros "
        "fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros kei_zeros keip_zeros kelvin_zeros ker_zeros "
        "kerp_zeros y0_zeros y1_zeros y1p_zeros yn_zeros ynp_zeros c_roots cg_roots h_roots he_roots j_roots js_roots "
        "l_roots "
        "la_roots p_roots ps_roots s_roots t_roots ts_roots u_roots us_roots roots_chebyc roots_chebys roots_chebyt "
        "roots_chebyu roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre "
        "roots_legendre roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre bernoulli euler comb perm "
        "factorial factorial2 factorialk stirling2 mathieu_even_coef mathieu_odd_coef",
    "are distribution functions by their old names: use `scipy.stats`":
        "bdtr bdtrc bdtri bdtrik bdtrin btdtria btdtrib chdtr chdtrc chdtri chdtriv chndtr chndtridf chndtrinc "
        "chndtrix fdtr fdtrc fdtri fdtridfd gdtr gdtrc gdtria gdtrib gdtrix nbdtr nbdtrc nbdtri nbdtrik nbdtrin ncfdtr "
        "ncfdtri "
        "ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit nrdtrimn nrdtrisd pdtr pdtrc pdtri pdtrik "
        "stdtr stdtridf stdtrit kolmogorov kolmogi smirnov smirnovi",
    "give polynomials as objects: use `np.polyval` of coefficients":
        "chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre legendre sh_chebyt "
        "sh_chebyu sh_jacobi sh_legendre",
    "set or tell how errors are treated": "geterr seterr",
}


def names() -> dict[str, str]:
    """The reason for each function of NumPy and ``scipy.special`` that has neither a line nor source to go by."""
    found = {f"np.{name}": reason for reason, text in NUMPY.items() for name in text.split()}
    found.update((f"scipy.special.{name}", reason) for reason, text in SCIPY_SPECIAL.items() for name in text.split())
    return found
