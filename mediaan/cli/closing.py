"""What `mediaan analyze` says last on a terminal: what stands out, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from mediaan.cli.location import shown_below
from mediaan.cli.report import page_size
from mediaan.metrics import BUILT_INS
from mediaan.report.tally import surely_placed
from mediaan.run import Run
from mediaan.types.counts import media_count

_MOST_MEDIA = 10_000
"""Of larger runs the report says what stands out: reading their tables again would take seconds."""

_RANGES = ("medium_id", "aoi_id", "metric", "metric_time", "position", "lo", "hi", "lower", "upper", "target")


def closing_lines(run: Run, out: str | Path) -> Iterator[str]:
    """Two or three facts, where there are any, and the next steps."""
    yield ""
    weakest = _weakest(run)
    yield from _facts(run, weakest)
    yield "next"
    for step, purpose in _steps(run, out, weakest[0] if weakest else "clarity"):
        yield f"  {step}\n      {purpose}"


def _facts(run: Run, weakest: tuple[str, int, int] | None) -> Iterator[str]:
    if weakest:
        name, missed, of = weakest
        title = next(one.spec.title for one in BUILT_INS if one.spec.name == name)
        yield f"most often surely outside its recommended range: {title}, in {missed:,} of {media_count(of)}"
    strange = _problems(run).count("unlike_training")
    if strange:
        unlike = "is unlike" if strange == 1 else "are unlike"
        yield f"{media_count(strange)} {unlike} what the model has learned from: check with people what is predicted"


def _steps(run: Run, out: str | Path, metric: str) -> Iterator[tuple[str, str]]:
    page = Path(out) / "report" / "index.html"
    opened = page.is_file()  # it is not here that a store has it
    yield f"open {shown_below(out, 'report', 'index.html')}", page_size(page) if opened else "the report"
    if run.facts["counts"]["failed"]:
        code = run.media["error_code"].dropna().value_counts().index[0]
        yield f"mediaan explain {code}", "why files failed, and what to do; the report lists them"
    yield f"mediaan explain {metric}", "what a number means, how it is known, and which way is good"
    if not run.facts.get("objectives"):
        yield "mediaan init FOLDER", "say what your media are for: what is recommended depends on it"
    elif opened and run.facts["counts"]["done"] > 1:
        yield f"mediaan compare --runs {shlex.quote(str(out))} A B", "which of two media is better, and how surely"


def _weakest(run: Run) -> tuple[str, int, int] | None:
    """The score, proxies apart, that most media surely miss; how many, and of how many. None where none is missed."""
    if run.facts["counts"]["done"] > _MOST_MEDIA:
        return None
    ranges = run.benchmark_ranges
    firm = [one.spec.name for one in BUILT_INS if one.spec.basis != "proxy"]
    whole = ranges["aoi_id"].isna() & (ranges["metric_time"] == "total") & ranges["metric"].isin(firm)
    rows = ranges[whole & ranges["position"].notna()]
    if rows.empty:
        return None
    place = surely_placed(pa.Table.from_pandas(rows[list(_RANGES)], preserve_index=False))
    missed = rows["metric"][[one in ("below", "above") for one in place]].value_counts()
    if missed.empty:
        return None
    name = str(missed.index[0])
    return name, int(missed.iloc[0]), int((rows["metric"] == name).sum())


def _problems(run: Run) -> list[str]:
    return [] if run.facts["counts"]["done"] > _MOST_MEDIA else list(run.problems["code"])
