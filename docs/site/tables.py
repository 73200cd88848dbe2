"""Tables of the pages that the program knows: columns, codes, types of area, targets, words, weights.

A page holds such a table between ``<!-- table: NAME ARGUMENT -->`` and ``<!-- end -->``. The site is built with it as
the program has it; `make docs` also writes it into the pages of the repository, but for `OF_THE_SITE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.judge.benchmark.targets import ANY, ScoreTarget, targets
from mediaan.metrics.guide import agreements
from mediaan.metrics.scores.memory import MEMORY_COMPOSITE
from mediaan.run import OTHER_TABLES, TABLES
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.glossary import GlossaryTerm, glossary
from mediaan.workflow.populations import METRIC_SPECS

DOCS = Path(__file__).resolve().parents[1]
OF_THE_SITE = frozenset({"codes", "targets", "words"})
"""Tables that the site alone has: long ones, which commands print or a file of the package lists."""

_PLACE = re.compile(r"(<!-- table: (\w+) ?(\w*) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(markdown: str, *, but: frozenset[str] = frozenset()) -> str:
    """Return a page with its tables as the program has them, those named in `but` left as they are.

    Raises
    ------
    KeyError
        The page asks for a table that there is not.
    """
    return _PLACE.sub(
        lambda match: match[0] if match[2] in but else f"{match[1]}{_MAKERS[match[2]](match[3])}{match[4]}", markdown
    )


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    header = list(header)
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, ["---"] * len(header), *rows))


def _columns(name: str) -> str:
    """Columns of a table of runs."""
    schema = {**TABLES, **OTHER_TABLES}[name]
    return _table(
        ("column", "type", "meaning"),
        ((f"`{field.name}`", _type(field), (field.metadata or {})[b"caption"].decode()) for field in schema),
    )


def _type(field: pa.Field) -> str:
    kind = re.sub(r"(?:32)?\[(?:ms|day)\]$", "", str(field.type))  # timestamp, date
    kind = re.sub(r"^list<item: (?:fixed_size_list<item: (\w+)>\[2\]|(\w+))>$", r"list of \1\2", kind)
    return ", ".join(filter(None, (kind, (field.metadata or {}).get(b"unit", b"").decode())))


def _codes(_: str) -> str:
    return _table(
        ("code", "severity", "meaning"), ((f"`{term.name}`", term.severity, term.meaning) for term in _terms("problem"))
    )


def _areas(_: str) -> str:
    rows = ((f"`{name}`", area_type.meaning, area_type.found_by) for name, area_type in AREA_TYPES.items())
    return _table(("type", "what it is", "found by"), rows)


def _terms(kind: str) -> list[GlossaryTerm]:
    return [term for term in glossary() if term.kind == kind]


def _words(kind: str) -> str:
    """Words of objectives."""
    divided, sectors = kind in ("industry", "usecase"), kind == "industry"
    header = ["word", "means", *["subcategories"] * divided, *["NACE"] * sectors]
    rows = (
        [f"`{name}`", word.means]
        + [", ".join(f"`{part}`" for part in word.subcategories)] * divided
        + [", ".join(word.nace)] * sectors
        for name, word in BUILT_IN_VOCABULARY.built_in[kind].items()
    )
    return _table(header, rows)


def _memory(_: str) -> str:
    rows = (
        (f"`{term.driver}`", term.toward, f"{term.weight:.2f}".lstrip("0"), term.evidence)
        for term in MEMORY_COMPOSITE.terms
    )
    return _table(("property", "raises it", "weight", "evidence"), rows)


def _agreement(_: str) -> str:
    """How well scores agree with people."""
    rows = (
        (
            METRIC_SPECS[metric].title,
            found.compared,
            f"{found.n:,}",
            found.r_text,
            found.grade,
        )
        for metric in METRIC_SPECS
        for found in agreements(metric)
    )
    return _table(("score", "compared on", "n", "r", "grade"), rows)


def _targets(_: str) -> str:
    """Recommended categories; scores with one target share a row."""
    rows: dict[tuple[ScoreTarget, str], list[str]] = {}
    for (key, purpose), target in targets().items():
        rows.setdefault((target, purpose), []).append(key)
    return _table(
        ("scores", "for", "recommended", "why"),
        (
            (_scores(keys), _purpose(purpose), _categories(target), f"{target.why} {target.source}".strip())
            for (target, purpose), keys in rows.items()
        ),
    )


def _scores(keys: list[str]) -> str:
    """`focus`; areas by type with their metrics."""
    metrics: dict[tuple[str, ...], list[str]] = {}
    for metric in dict.fromkeys(key.rpartition(".")[2] for key in keys):
        types = tuple(key.rpartition(".")[0] for key in keys if key.rpartition(".")[2] == metric)
        metrics.setdefault(types, []).append(metric)
    return "; ".join(
        (f"{', '.join(name.replace('_', ' ') for name in types)}: " if types[0] else "")
        + ", ".join(f"`{name}`" for name in names)
        for types, names in metrics.items()
    )


def _purpose(purpose: str) -> str:
    return "any objective" if purpose == ANY else f"`{purpose}`"


def _categories(target: ScoreTarget) -> str:
    if not target.categories:
        return "nothing"
    first, last = (target.categories[place].replace("_", " ") for place in (0, -1))
    return first if first == last else f"{first} to {last}"


_MAKERS = {
    "agreement": _agreement,
    "areas": _areas,
    "codes": _codes,
    "columns": _columns,
    "memory": _memory,
    "targets": _targets,
    "words": _words,
}

if __name__ == "__main__":
    for path in DOCS.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(with_tables(text, but=OF_THE_SITE), encoding="utf-8")
