"""`mediaan drift`: what changed between two runs of the same files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mediaan.cli import options
from mediaan.cli.main import EXIT_NOT_MET
from mediaan.cli.options import FILE, PATH
from mediaan.cli.paths import check_output_path
from mediaan.cli.table import join_blocks, table_lines
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.studies.drift.statistics import MetricDrift
    from mediaan.studies.drift.workflow import Drift, MediaJoin


@click.command()
@click.argument("old", metavar="RUN_A", type=PATH)
@click.argument("new", metavar="RUN_B", type=PATH)
@options.json_lines
@click.option("--out", type=FILE, help="Write a page (.html), or every value of both runs side by side (.parquet).")
@click.option(
    "--max-shift",
    type=click.FloatRange(min=0),
    metavar="POINTS",
    help="Exit code 4 when a score of 0-100 of any file moved by more, or is lost.",
)
def drift(old: Path, new: Path, as_json: bool, out: Path | None, max_shift: float | None) -> int:
    """Compare two runs of the same files: other settings, another model, or another version of the program.

    First come the settings that differ, each with both values; then how far scores moved, B minus A. Files are matched
    by their content, whatever their names.
    """

    from tqdm import tqdm

    from mediaan.studies.drift.page import write_drift, write_drift_page
    from mediaan.studies.drift.workflow import compare_runs

    check_output_path("--out", out, ".html", ".parquet")

    def watch(media: list[str]) -> tqdm[str]:
        return tqdm(media, unit="medium", disable=as_json or not sys.stderr.isatty(), file=sys.stderr)

    result = compare_runs(old, new, watch=watch)
    if out and out.suffix.lower() == ".html":
        write_drift_page(result, out)
    elif out:
        write_drift(result, out)
    click.echo(json.dumps(result.to_dict()) if as_json else drift_as_text(result))
    if max_shift is None or result.largest_shift <= max_shift:
        return 0
    if result.largest_shift == float("inf"):
        click.echo(f"--max-shift {max_shift:g}: a score or a file of the old run is missing in the new one", err=True)
    else:
        click.echo(f"--max-shift {max_shift:g}: a score moved by {result.largest_shift:.2f} points", err=True)
    return EXIT_NOT_MET


_COLUMNS = ("n", "mean shift [95 %]", "median", "95 %", "largest", "rank", "outside", "width", "flips", "largest in")
_FEW_NAMES = 3
_FEW_REASONS = 5
_MOST_DIFFERENCES = 30
_LEGEND = [
    "Shifts are B minus A, in the score's unit; median and 95 % are of their absolute size. Rank: "
    "Spearman's correlation.",
    "Outside: new values outside the old 90 % interval. Width: mean width of the intervals, old and new.",
    "Flips: changes of category (edges 10, 30, 70, 90).",
]


def drift_as_text(drift: Drift) -> str:
    """Write the summary of a comparison: verdict, what differs, tables, flips of categories."""
    from mediaan.studies.drift.workflow import VERDICT_SENTENCES

    verdict = [VERDICT_SENTENCES[drift.verdict], *(f"  - {reason}" for reason in drift.reasons[:_FEW_REASONS])]
    if len(drift.reasons) > _FEW_REASONS:
        verdict.append(f"  - and {len(drift.reasons) - _FEW_REASONS} more")
    verdict.append("")
    for letter, run in (("A", drift.old), ("B", drift.new)):
        verdict.append(f"{letter}  {run['run']}: mediaan {run['mediaan']}, {run['created_at']}, {run['device']}")
    differences = ["Same version, settings, models and libraries."]
    if drift.differences:
        width = max(len(difference.what) for difference in drift.differences)
        differences = ["Differences:"]
        differences += [
            f"  {difference.what:{width}}  {difference.old} -> {difference.new}"
            for difference in drift.differences[:_MOST_DIFFERENCES]
        ]
        if len(drift.differences) > _MOST_DIFFERENCES:
            differences.append(f"  and {len(drift.differences) - _MOST_DIFFERENCES} more (--json, or --out FILE.html)")
    scores = [("score", *_COLUMNS), *(_cells(score, drift) for score in drift.scores)]
    flips = [
        f"{score.title}: {flip.n} from {flip.before} to {flip.after}"
        for score in drift.scores
        for flip in score.flips or ()
    ]
    blocks = [verdict, differences, [_media(drift.media)], table_lines(scores, left=(0, -1)), _areas(drift)]
    if drift.densities:
        rows = [("densities", "n", "CC", "KLD", "largest", "largest in")]
        for density in drift.densities:
            kld = (f"{density.kld:.4f}", f"{density.largest_kld:.4f}")
            rows.append(
                (density.window, str(density.n), _number(density.cc, ".4f"), *kld, drift.names[density.largest_medium])
            )
        blocks.append(table_lines(rows, left=(0, -1)))
    blocks += [flips, [f"Note: {note}" for note in drift.notes], _LEGEND]
    return join_blocks(blocks)


def _media(join: MediaJoin) -> str:
    groups = {
        "only in A": join.only_old,
        "only in B": join.only_new,
        "failed only in A": join.failed_in_old,
        "failed only in B": join.failed_in_new,
        "failed in both": join.failed_in_both,
    }
    text = f"{media_count(join.both)} in both"
    for what, paths in groups.items():
        if paths:
            more = " ..." if len(paths) > _FEW_NAMES else ""
            text += f"; {len(paths)} {what} ({', '.join(paths[:_FEW_NAMES])}{more})"
    return text


def _areas(drift: Drift) -> list[str]:
    if drift.areas is None:
        return []
    join = drift.areas
    counted = f"{join.both} areas in both; {join.only_old} only in A; {join.only_new} only in B"
    moved = drift.moved_area_scores
    if not moved:
        return [counted + ("; none of their scores changed" if join.both else "")]
    rows = [_cells(score, drift) for score in moved if score.time == "total"]
    others = [
        f"(for start and end: --json, or --out FILE.html; {len(drift.area_scores) - len(moved)} rows did not change)"
    ]
    return [counted, *table_lines([("score of areas", *_COLUMNS), *rows], left=(0, -1)), *others]


def _cells(metric: MetricDrift, drift: Drift) -> tuple[str, ...]:
    interval = "" if metric.lo is None else f" [{metric.lo:+.2f}, {metric.hi:+.2f}]"
    alone = f" ({metric.n_lost} lost, {metric.n_gained} new)" if metric.n_lost or metric.n_gained else ""
    return (
        metric.title,
        str(metric.n) + alone,
        _number(metric.mean_shift, "+.2f") + interval,
        _number(metric.median_size, ".2f"),
        _number(metric.p95_size, ".2f"),
        _number(metric.largest, "+.2f"),
        _number(metric.rank_correlation, ".3f"),
        _percent(metric.outside),
        "-" if metric.bounds is None else f"{metric.width_old:.1f}->{metric.width_new:.1f}",
        _percent(metric.flipped),
        "" if metric.largest_medium is None or not metric.largest else drift.names[metric.largest_medium],
    )


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else f"{value:{form}}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"
