"""Execute the notebooks in place, so that they carry their tables and pictures, and nothing of the machine.

python notebooks/render.py                  # all
python notebooks/render.py video            # some
python notebooks/render.py --check          # writes nothing; says where tables and texts come out otherwise
"""

from __future__ import annotations

import argparse
import base64
import difflib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

FOLDER = Path(__file__).parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
JPEG_QUALITY = 82
BAR = re.compile(r"^ *\d+%\|.*\n", re.MULTILINE)  # of progress, with times


def main() -> int:
    """Render what the command line names; 1 where a check finds a difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="notebooks, without suffix"
    )
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    given = parser.parse_args()
    paths = [FOLDER / f"{name}.ipynb" for name in given.names] or sorted(
        FOLDER.glob("*.ipynb")
    )
    changed = 0
    for path in paths:
        before = nbformat.read(path, as_version=4)
        after = executed(path)
        differences = list(
            difflib.unified_diff(
                *(list(texts(one)) for one in (before, after)), lineterm="", n=0
            )
        )
        changed += bool(differences)
        print(f"{path.name}: {'other output' if differences else 'same output'}")
        if given.check:
            print("\n".join(differences))
        else:
            nbformat.write(after, path)
    return int(given.check and bool(changed))


def executed(path: Path) -> NotebookNode:
    """Execute a notebook in a fresh kernel; outputs keep no times, ids of sessions and addresses of objects."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(
        notebook, timeout=600, record_timing=False, coalesce_streams=True, resources=where
    ).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", ()):
            tidy(output, caption_of(cell))
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("text") != ""]
    return notebook


def caption_of(cell: NotebookNode) -> str:
    """Return the comment that a cell begins with, as the caption of its picture."""
    first = cell.source.partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""


def tidy(output: NotebookNode, caption: str) -> None:
    """Pictures become small, and get a text for those who cannot see them; bars of progress go."""
    if output.output_type == "stream":
        output.text = BAR.sub("", output.text)
    png = output.get("data", {}).pop("image/png", None)
    if png is None:
        return
    if not caption:
        raise ValueError(
            "a cell that draws begins with a comment that says what its picture shows"
        )
    mime, data = smaller(base64.b64decode(png))
    output.data[mime] = base64.b64encode(data).decode()
    output.metadata = nbformat.from_dict({mime: {"alt": caption}})


def smaller(png: bytes) -> tuple[str, bytes]:
    """Keep a chart as PNG; make an image with photographs a JPEG where that is less than half as large."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    lossless, lossy = io.BytesIO(), io.BytesIO()
    picture.save(lossless, "PNG", optimize=True)
    picture.save(lossy, "JPEG", quality=JPEG_QUALITY, optimize=True)
    if 2 * len(lossy.getvalue()) < len(lossless.getvalue()):
        return "image/jpeg", lossy.getvalue()
    return "image/png", lossless.getvalue()


def texts(notebook: NotebookNode) -> Iterator[str]:
    """All that is printed, line by line."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            yield from text.splitlines()


if __name__ == "__main__":
    sys.exit(main())
