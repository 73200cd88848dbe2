"""Write a comparison of two runs as text for people."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.cli.output.table import table_lines
from mediaan.studies.drift.result import SAME, VERDICT_SENTENCES, Drift
from mediaan.studies.drift.statistics import MetricDrift
from mediaan.types.glossary import media_count

_COLUMNS = (
    "",
    "n",
    "mean shift [95 %]",
    "median",
    "95 %",
    "largest",
    "rank",
    "outside",
    "width",
    "flips",
    "largest in",
)
_DENSITY_COLUMNS = ("", "n", "CC", "KLD", "largest", "largest in")
_FEW_NAMES = 3
_FEW_REASONS = 5


def drift_as_text(drift: Drift) -> str:
    """Write the summary of a comparison: verdict, what differs, tables, flips of categories."""
    blocks = [_heading(drift), _differences(drift), _media(drift), _scores(drift), _areas(drift), _densities(drift)]
    blocks += [_flips(drift), [f"Note: {note}" for note in drift.notes], _legend()]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _heading(drift: Drift) -> list[str]:
    lines = [
        f"{letter}  {side['run']}: mediaan {side['mediaan']}, {side['created_at']}, {side['device']}"
        for letter, side in (("A", drift.old), ("B", drift.new))
    ]
    reasons = [f"  - {reason}" for reason in drift.reasons[:_FEW_REASONS]]
    more = len(drift.reasons) - len(reasons)
    return [VERDICT_SENTENCES[drift.verdict], *reasons, *([f"  - and {more} more"] if more > 0 else []), "", *lines]


def _differences(drift: Drift) -> list[str]:
    if not drift.differences:
        return ["Made in the same way: version, recipe, models and libraries."]
    width = max(len(one.what) for one in drift.differences)
    return ["Made differently:", *(f"  {one.what:{width}}  {one.old} -> {one.new}" for one in drift.differences)]


def _media(drift: Drift) -> list[str]:
    join = drift.media
    groups = {
        "only in A": join.only_old,
        "only in B": join.only_new,
        "failed in A alone": join.failed_in_old,
        "failed in B alone": join.failed_in_new,
        "failed in both": join.failed_in_both,
    }
    named = [f"{len(paths)} {what} ({_few(paths)})" for what, paths in groups.items() if paths]
    return [f"{media_count(join.both)} in both" + "".join(f"; {part}" for part in named)]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_FEW_NAMES]) + (" ..." if len(names) > _FEW_NAMES else "")


def _scores(drift: Drift) -> list[str]:
    return table_lines([("score", *_COLUMNS[1:]), *(_cells(one, drift) for one in drift.scores)], left=(0, -1))


def _areas(drift: Drift) -> list[str]:
    if drift.areas is None:
        return []
    join = drift.areas
    counted = f"{join.both} areas in both; {join.only_old} only in A; {join.only_new} only in B"
    moved = [one for one in drift.area_scores if one.n_lost or one.n_gained or abs(one.largest or 0.0) >= SAME]
    if not moved:
        return [counted + ("; none of their scores moved" if join.both else "")]
    rows = [_cells(one, drift) for one in moved if one.time == "total"]
    others = [f"(start and end: --json, or --out FILE.html; {len(drift.area_scores) - len(moved)} rows did not move)"]
    return [counted, *table_lines([("score of areas", *_COLUMNS[1:]), *rows], left=(0, -1)), *others]


def _cells(one: MetricDrift, drift: Drift) -> tuple[str, ...]:
    interval = "" if one.lo is None else f" [{one.lo:+.2f}, {one.hi:+.2f}]"
    alone = f" ({one.n_lost} lost, {one.n_gained} new)" if one.n_lost or one.n_gained else ""
    return (
        one.title,
        str(one.n) + alone,
        _number(one.mean_shift, "+.2f") + interval,
        _number(one.median_size, ".2f"),
        _number(one.p95_size, ".2f"),
        _number(one.largest, "+.2f"),
        _number(one.rank_correlation, ".3f"),
        _percent(one.outside),
        "-" if one.bounds is None else f"{one.width_old:.1f}->{one.width_new:.1f}",
        _percent(one.flipped),
        "" if one.largest_medium is None or not one.largest else drift.names[one.largest_medium],
    )


def _densities(drift: Drift) -> list[str]:
    if not drift.densities:
        return []
    rows = [
        (
            one.window,
            str(one.n),
            _number(one.cc, ".4f"),
            f"{one.kld:.4f}",
            f"{one.largest_kld:.4f}",
            drift.names[one.largest_medium],
        )
        for one in drift.densities
    ]
    return table_lines([("densities", *_DENSITY_COLUMNS[1:]), *rows], left=(0, -1))


def _flips(drift: Drift) -> list[str]:
    return [
        f"{one.title}: {flip.n} from {flip.before} to {flip.after}" for one in drift.scores for flip in one.flips or ()
    ]


def _legend() -> list[str]:
    return [
        "Shifts are B minus A, in the score's unit; median and 95 % are of their size. Rank: Spearman's correlation.",
        "Outside: new values outside the old 90 % interval. Width: of the intervals, in the mean, old and new.",
        "Flips: changes of category (edges 10, 30, 70, 90).",
    ]


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else f"{value:{form}}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"
