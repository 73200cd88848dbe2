"""The words of the code: those of the glossary in docs/architecture.md, one class name for one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "mediaan"
GLOSSARY = PACKAGE.parent / "docs" / "architecture.md"


@cache
def sources() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def forbidden_words() -> dict[str, str]:
    """Return each word that the glossary's tables forbid in names, with the term to use."""
    text = GLOSSARY.read_text(encoding="utf-8").partition("\n## Glossary\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines() if row.startswith("| ")]
    words: dict[str, str] = {}
    for term, _meaning, forbidden in rows[1:]:
        words.update((word.strip(" `"), term.strip("`")) for word in forbidden.split(",") if word.strip(" `"))
    assert len(words) > 20, "the glossary was not found"
    return words


def words_of(name: str) -> list[str]:
    """Return the lower-case words of an identifier in snake or camel case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def names(path: Path, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield names that this program gives: modules, classes, functions, parameters, fields and variables."""
    yield from ((part, 1) for part in path.relative_to(PACKAGE).with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def test_no_name_has_a_word_that_the_glossary_forbids() -> None:
    forbidden = forbidden_words()
    found = {
        f"{path.relative_to(PACKAGE.parent)}:{line}: {name}: say {forbidden[word]}"
        for path, tree in sources().items()
        for name, line in names(path, tree)
        for word in words_of(name)
        if word in forbidden
    }
    assert not found, "\n".join(sorted(found))


def test_a_public_class_name_stands_for_one_thing() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path, tree in sources().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(PACKAGE.parent)))
    assert not {name: paths for name, paths in homes.items() if len(paths) > 1}


def test_docstrings_tell_what_is_done_not_what_is_asked() -> None:
    questions = [
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and re.match(r"(What|Whether|How|Who|Where|When|Which|Why)\b", ast.get_docstring(node) or "")
    ]
    assert not questions, "\n".join(questions)
