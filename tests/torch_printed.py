"""What programs print, with PyTorch to record it and with s2sgrad to compare.

``python tests/torch_printed.py``, where PyTorch is installed, records the answers anew.
"""
from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
from pathlib import Path
from typing import Any

import torch_again  # noqa: F401
import torch_corners  # noqa: F401
import torch_everyday  # noqa: F401
import torch_layers  # noqa: F401
import torch_places  # noqa: F401
import torch_posts  # noqa: F401
import torch_saving  # noqa: F401
import torch_training  # noqa: F401
from torch_decorated import PROGRAMS

PRINTED = Path(__file__).parent / "torch_printed.json"


def printed(torch: Any, name: str) -> list[str]:
    """The lines that a program prints, without addresses and without the names of modules."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            PROGRAMS[name](torch)
        except Exception as error:
            print(f"ended by {type(error).__name__}: {error}")
    return re.sub(r"0x[0-9a-f]+", "0x", out.getvalue()).splitlines()


if __name__ == "__main__":
    torch = importlib.import_module("torch")
    found = {name: printed(torch, name) for name in PROGRAMS}
    PRINTED.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
