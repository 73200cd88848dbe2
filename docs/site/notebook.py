"""A Jupyter notebook as a page: its text, its code, and what that printed and drew when it was last run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ALONE = "---\nhide: [navigation]\n---"  # the menu at the side has none of the notebooks
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")  # colours of a terminal
PICTURES = {"image/png": "png", "image/jpeg": "jpeg", "image/webp": "webp"}


def page_of(notebook: Path) -> str:
    """Markdown of a notebook, which it links to at its top."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    parts = [part for cell in cells for part in cell_parts(cell)]
    title, rest = parts[0].split("\n", 1) if parts[0].startswith("# ") else (f"# {notebook.stem}", parts[0])
    # as HTML, since links of Markdown to a notebook lead to its page, this one
    note = f'<a href="{notebook.name}" download>This notebook as a file</a>, to run in Jupyter. Below, its last run.'
    return "\n\n".join([ALONE, title, note, rest, *parts[1:]])


def cell_parts(cell: dict[str, Any]) -> list[str]:
    """Return what a cell says, and what came of it."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return [source]
    return [fenced("python", source), *(output_of(output) for output in cell["outputs"])]


def output_of(output: dict[str, Any]) -> str:
    """Return the richest form of an output that a page can show."""
    if output["output_type"] == "stream":
        return fenced("text", "".join(output["text"]))
    data = output.get("data", {})
    for kind in PICTURES:
        if kind in data:
            return f'<img alt="output of the cell above" src="data:{kind};base64,{"".join(data[kind]).strip()}">'
    if "text/html" in data:
        # without the frame and the styles of its own, so that it looks like the site's tables
        html = re.sub(
            r'<style.*?</style>|\n\s*| border="1"| class="dataframe"', "", "".join(data["text/html"]), flags=re.DOTALL
        )
        return f'<div class="output">{html}</div>'
    return fenced("text", "".join(data.get("text/plain", [])))


def fenced(language: str, text: str) -> str:
    """Return a block of code, which may hold fences itself."""
    return f"````{language}\n{ESCAPES.sub('', text).rstrip()}\n````"
