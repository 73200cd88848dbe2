"""What `mediaan analyze` says last on a terminal: what stands out, and what to do next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mediaan.checks.spec import check_specs
from mediaan.cli.location import shown_below
from mediaan.cli.report import page_size
from mediaan.run import Run
from mediaan.types.counts import media_count

_MOST_MEDIA = 10_000
"""Of larger runs the report says what stands out: reading their tables again would take seconds."""


def closing_lines(run: Run, out: str | Path) -> Iterator[str]:
    """Two or three facts, where there are any, and the next steps."""
    yield ""
    yield from _facts(run)
    yield "next"
    for step, purpose in _steps(run, out):
        yield f"  {step}\n      {purpose}"


def _facts(run: Run) -> Iterator[str]:
    counts = Counter() if run.facts["counts"]["done"] > _MOST_MEDIA else Counter(run.verdicts["verdict"])
    if told := counts.total() - counts["unknown"]:
        yield (
            f"{counts['works']:,} of {media_count(told)} {'works' if counts['works'] == 1 else 'work'}, "
            f"{counts['attention']:,} {'needs' if counts['attention'] == 1 else 'need'} attention, "
            f"{counts['open']:,} undecided"
        )
        failed = run.checks[run.checks["status"] == "failed"]["name"].value_counts()
        if len(failed):
            flaws = {spec.name: spec.flaw for spec in check_specs()}
            flaw = flaws.get(str(failed.index[0]), str(failed.index[0]))
            yield f"most often, in {failed.iloc[0]:,}: {flaw[0].lower()}{flaw[1:]}"
    strange = _problems(run).count("unlike_training")
    if strange:
        unlike = "is unlike" if strange == 1 else "are unlike"
        yield f"{media_count(strange)} {unlike} what the model has learned from: check with people what is predicted"


def _steps(run: Run, out: str | Path) -> Iterator[tuple[str, str]]:
    page = Path(out) / "report" / "index.html"
    opened = page.is_file()  # it is not here that a store has it
    yield f"open {shown_below(out, 'report', 'index.html')}", page_size(page) if opened else "the report"
    if run.facts["counts"]["failed"]:
        code = run.media["error_code"].dropna().value_counts().index[0]
        yield f"mediaan explain {code}", "why files failed, and what to do; the report lists them"
    yield "mediaan explain clarity", "what a number means, how it is known, and which way is good"
    if not run.facts.get("objectives"):
        yield "mediaan init FOLDER", "say what your media are for: what is recommended depends on it"
    elif opened and run.facts["counts"]["done"] > 1:
        yield f"mediaan compare --runs {shlex.quote(str(out))} A B", "which of two media is better, and how surely"


def _problems(run: Run) -> list[str]:
    return [] if run.facts["counts"]["done"] > _MOST_MEDIA else list(run.problems["code"])
