"""The Python in the documents runs."""
from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def module_of(document: Path, folder: Path) -> Any:
    """The Python in a document, run as a module."""
    blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(encoding="utf-8"), re.M | re.S)
    return module_in(folder / f"{document.stem.lower()}_blocks.py", "\n\n".join(blocks))


def module_in(file: Path, text: str) -> Any:
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_blocks_run(document: Path, tmp_path: Path) -> None:
    module_of(document, tmp_path)


@pytest.mark.parametrize("document, label, args", [
    ("README.md", "dense", (np.ones((3, 4)), np.full((4, 2), 0.1))),
    ("docs/how_it_works.md", "energy", (np.full((3, 4), 0.5), np.full((4, 2), 0.1)))])
def test_generated_code_is_shown_as_it_is(document: str, label: str, args: tuple, tmp_path: Path) -> None:
    function = getattr(module_of(ROOT / document, tmp_path), label)
    generated = s2sgrad.source(function, *args) + "\n" + s2sgrad.source(function, *args, mode="forward")
    blocks = re.findall(r"^ *```text\n(.*?)^ *```", (ROOT / document).read_text(encoding="utf-8"), re.M | re.S)
    shown = [text for text in map(textwrap.dedent, blocks) if text.startswith(f"def {label}_")]
    assert shown
    for text in shown:
        assert text in generated


def test_the_refusal_in_the_readme(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown, = re.findall(r"^```text\n(model.py:5: .*?)\n```", text, re.M | re.S)
    file = tmp_path / "model.py"
    module = module_in(file, f"import numpy as np\n\n\ndef roots(x):\n{shown.splitlines()[1]}\n")
    with pytest.raises(UnsupportedError) as refused:
        s2sgrad.grad(module.roots)(np.ones(3))
    assert str(refused.value) == shown.replace("model.py", str(file), 1)


def test_the_developers_guide_names_every_file() -> None:
    """Those of a folder that has a row of its own, with it."""
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/developers_guide.md").read_text(encoding="utf-8"), re.M)
    named = set()
    for row in rows:
        folder = ""
        for name in re.findall(r"`([^`]+)`", row):
            folder = name.rpartition("/")[0] if "/" in name else folder if folder and (
                ROOT / "s2sgrad" / folder / name).exists() else ""
            named.add(name if "/" in name else f"{folder}/{name}".lstrip("/"))
    there = {path.relative_to(ROOT / "s2sgrad").as_posix() for path in (ROOT / "s2sgrad").rglob("*.py")}
    folders = {f"{path.parent}/" for path in map(Path, there)}
    assert named <= there | folders
    assert not {path for path in there - named
                if f"{Path(path).parent}/" not in named and Path(path).stem != "__init__"}


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        text = re.sub(r"`[^`]*`", "", document.read_text(encoding="utf-8"))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = link.partition("#")
            target = document.parent / path if path else document
            assert link.startswith("https://") or target.exists(), (document.name, link)
            if anchor:
                headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.M)
                assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
