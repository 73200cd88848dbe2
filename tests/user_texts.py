"""Texts that a user can meet: of the package's code, pages and data, of the documents and the notebooks."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mediaan"

Text = tuple[Path, int, str]  # file, line, text

_NO_PROSE = {"revision.py", "vocabulary.toml"}
_COMMAND = {"command", "group"}


def user_texts() -> Iterator[Text]:
    """Yield every text with its place; of code only what looks like prose: two words or more."""
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix == ".py" and path.name not in _NO_PROSE:
            yield from python_texts(path)
        elif path.suffix == ".js" and not path.name.endswith(".bundle.js"):
            yield from script_texts(path)
        elif path.suffix == ".j2":
            yield from page_texts(path)
        elif path.suffix == ".toml" and path.name not in _NO_PROSE:
            yield from (
                (path, n, line.partition("=")[2] or line)
                for n, line in lines_of(path)
                if not line.startswith(("#", "["))
            )
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if path.name not in ("style.md", "architecture.md"):  # the latter speaks of code
            yield from markdown_texts(path, path.read_text("utf-8"))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield from ((path, 0, text) for _, _, text in markdown_texts(path, "".join(cell["source"])))


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(path.read_text("utf-8").splitlines(), 1)


def python_texts(path: Path) -> Iterator[Text]:
    """String literals but docstrings; the docstring of a command of the command line is its help."""
    tree = ast.parse(path.read_text("utf-8"))
    silent = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = getattr(node, "decorator_list", [])
            calls = [d.func if isinstance(d, ast.Call) else d for d in decorators]
            helps = any(isinstance(call, ast.Attribute) and call.attr in _COMMAND for call in calls)
            silent |= {id(s.value) for s in node.body if isinstance(s, ast.Expr) and not (helps and s is node.body[0])}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
        if is_text and re.search(r"\w[ \n]+\w", node.value):
            yield path, node.lineno, node.value


def script_texts(path: Path) -> Iterator[Text]:
    for n, line in lines_of(path):
        code = re.sub(r"(^|\s)//.*$|^\s*/?\*.*$", "", line)
        for match in re.finditer(r'"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`', code):
            text = re.sub(r"\$\{[^}]*\}", "…", match[1] or match[2] or "")
            if re.search(r"\w \w", text):
                yield path, n, text


def page_texts(path: Path) -> Iterator[Text]:
    text = re.sub(
        r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text("utf-8"), flags=re.S
    )
    told = re.sub(r"<[^>]*?(?:(?:title|aria-label|placeholder|alt)=\"([^\"]*)\")?[^>]*>", r" \1 ", text)
    yield from ((path, n, line) for n, line in enumerate(told.splitlines(), 1) if re.search(r"\w \w", line))


def markdown_texts(path: Path, source: str) -> Iterator[Text]:
    """Prose and tables; no code."""
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        if token.type == "inline":
            prose = "".join(child.content if child.type == "text" else " " for child in token.children or [])
            yield path, (token.map or [0])[0] + 1, prose
