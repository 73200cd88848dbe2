"""The table of targets in docs/ranges.md, made from targets.toml: ``python tests/benchmark/targets_table.py``."""

from __future__ import annotations

import re
from pathlib import Path

from mediaan.benchmark.targets import ANY, ScoreTarget, targets

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ranges.md"
_PLACE = re.compile(r"(<!-- made by: .*? -->\n).*?(<!-- end -->)", re.DOTALL)


def table() -> str:
    """Scores of one target share a row."""
    rows: dict[tuple[ScoreTarget, str], list[str]] = {}
    for (key, purpose), target in targets().items():
        rows.setdefault((target, purpose), []).append(key)
    lines = ["| scores | for | recommended | why |", "|---|---|---|---|"]
    for (target, purpose), keys in rows.items():
        why = f"{target.why} {target.source}".strip()
        lines.append(f"| {_scores(keys)} | {_purpose(purpose)} | {_categories(target)} | {why} |")
    return "\n".join(lines) + "\n"


def _scores(keys: list[str]) -> str:
    """`focus`; areas by type with their metrics."""
    metrics: dict[tuple[str, ...], list[str]] = {}
    for metric in dict.fromkeys(key.rpartition(".")[2] for key in keys):
        types = tuple(key.rpartition(".")[0] for key in keys if key.rpartition(".")[2] == metric)
        metrics.setdefault(types, []).append(metric)
    return "; ".join(
        (f"{', '.join(t.replace('_', ' ') for t in types)}: " if types[0] else "") + ", ".join(f"`{m}`" for m in names)
        for types, names in metrics.items()
    )


def _purpose(purpose: str) -> str:
    return "any objective" if purpose == ANY else f"`{purpose}`"


def _categories(target: ScoreTarget) -> str:
    if not target.categories:
        return "nothing"
    first, last = (target.categories[place].replace("_", " ") for place in (0, -1))
    return first if first == last else f"{first} to {last}"


def written(page: str) -> str:
    """A page with the table as it must be."""
    return _PLACE.sub(lambda found: f"{found[1]}{table()}{found[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
