"""The notebooks use public names only, and carry their outputs, and nothing of the machine that made these."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

import mediaan as mn

ROOT = Path(__file__).parents[2]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
OF_A_MACHINE = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users|usr|var|private)/|[A-Z]:\\\\|0x[0-9a-f]{8,}|\.venv")


def cells(name: str, kind: str) -> list[Any]:
    return [cell for cell in nbformat.read(NOTEBOOKS[name], as_version=4).cells if cell.cell_type == kind]


def strange_names(source: str) -> Iterator[str]:
    """Names of mediaan in a cell that are not in its `__all__`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "mediaan":
            yield from (name.name for name in node.names if node.module != "mediaan" or name.name not in mn.__all__)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("mediaan."))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "mn":
            yield from [node.attr] if node.attr not in mn.__all__ else []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_only_public_names_are_used(name: str) -> None:
    code = [cell.source for cell in cells(name, "code")]
    assert any("import mediaan as mn" in source for source in code)
    assert [strange for source in code for strange in strange_names(source)] == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_they_were_executed_from_top_to_bottom_without_a_word_of_warning(name: str) -> None:
    code = cells(name, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert sum(any(kind.startswith("image/") for kind in output.get("data", ())) for output in outputs) >= 2


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_pictures_say_what_they_show(name: str) -> None:
    for cell in cells(name, "code"):
        for output in cell.outputs:
            for kind in output.get("data", ()):
                if kind.startswith("image/"):
                    assert len(output.metadata[kind]["alt"]) > 20


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_nothing_of_a_machine_or_a_session_is_left(name: str) -> None:
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    assert [cell for cell in notebook.cells if cell.metadata] == []
    for cell in cells(name, "code"):
        for output in cell.outputs:
            said = [output.get("text", ""), *(text for kind, text in output.get("data", {}).items() if "text" in kind)]
            assert not OF_A_MACHINE.search("\n".join(said))
