"""`mediaan evaluate`: how well a model foretells eye tracking."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click
from tqdm import tqdm

from mediaan.cli import options
from mediaan.errors import UsageError
from mediaan.evaluation.dataset import read_gaze_set, read_names
from mediaan.evaluation.gallery import write_gallery
from mediaan.evaluation.gaze import GazedPicture
from mediaan.evaluation.score import METRICS, Evaluation, MetricSummary, evaluate_predictor
from mediaan.evaluation.table import write_pictures
from mediaan.predictors import load_predictor
from mediaan.types.maps import Window

_COLUMNS = ("", "model [95 % interval]", "centre bias", "prior", "one vs others", "split half", "share explained")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@options.model
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Score only the pictures of this list (one name a line, or a JSON list); all form the centre bias.",
)
@click.option(
    "--window",
    type=click.Choice(["total", "start", "end"]),
    default="total",
    show_default=True,
    help="Part of the exposure: all, the first 2 s, or the last 2 s of 5 s.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Score only the first so many pictures.")
@options.json_lines
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each picture's scores (Parquet).")
@click.option("--gallery", type=click.Path(path_type=Path, dir_okay=False), help="Write worst and best cases (JPEG).")
@click.option("--gallery-maps-only", is_flag=True, help="Leave the pictures out of the gallery; maps only.")
@options.device
def evaluate(
    folder: Path,
    model: str,
    pictures: Path | None,
    window: Window,
    limit: int | None,
    as_json: bool,
    out: Path | None,
    gallery: Path | None,
    gallery_maps_only: bool,
    device: str,
) -> None:
    """Score a model against the eye tracking in DIR.

    DIR holds images/NAME.* and fixations.parquet (image, viewer, x, y in unit coordinates, onset_s in seconds), or
    densities/NAME.png where fixations are unknown. The model stands between the centre bias of the set and what other
    people reach; all metrics as in the MIT/Tübingen saliency benchmark.
    """
    _check_targets(out, gallery)
    names = read_names(pictures) if pictures else None
    gaze_set = read_gaze_set(folder, window=window, names=names, limit=limit)
    predictor = load_predictor(model, device)
    evaluation = evaluate_predictor(predictor, gaze_set, progress=_watch)
    if out:
        write_pictures(evaluation, out)
    if gallery:
        write_gallery(predictor, gaze_set, evaluation, gallery, maps_only=gallery_maps_only)
    click.echo(json.dumps(evaluation.to_dict()) if as_json else as_text(evaluation))


def as_text(evaluation: Evaluation) -> str:
    """The summary as a table for people."""
    rows = [_COLUMNS, *((METRICS[summary.metric], *_cells(summary)) for summary in evaluation.metrics)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    table = ["  ".join(_justify(row, widths)).rstrip() for row in rows]
    return "\n".join([_heading(evaluation), "", *table, "", *_footnotes(evaluation)])


def _heading(evaluation: Evaluation) -> str:
    return (
        f"{evaluation.predictor} on {evaluation.dataset}: {len(evaluation.pictures)} pictures, "
        f"window {evaluation.window}, {evaluation.device}"
    )


def _cells(summary: MetricSummary) -> tuple[str, ...]:
    interval = "" if summary.lo is None else f" [{summary.lo:.3f}, {summary.hi:.3f}]"
    share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
    others = (summary.centre, summary.prior, summary.one_vs_others, summary.split_half)
    return (_number(summary.model) + interval, *(_number(value) for value in others), share)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _justify(row: tuple[str, ...], widths: list[int]) -> list[str]:
    """Names to the left, numbers to the right."""
    return [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]


def _footnotes(evaluation: Evaluation) -> list[str]:
    lines = ["More is better, but for KLD. Share explained = (model − centre bias) / (people − centre bias)."]
    ceiling, mixture = evaluation["cc"].ceiling, evaluation.centre_mixture
    if ceiling is not None:
        lines.append(f"For CC, people = {ceiling:.3f}, what a perfect model would reach against this many viewers:")
        lines.append("√(2r / (1 + r)), r of the split halves. SIM and KLD have no such ceiling.")
    if mixture is not None:
        lines.append(f"People's information gain: the density of the others with {mixture:.0%} centre bias in it.")
    return lines + [f"Note: {note}." for note in evaluation.notes]


def _check_targets(*targets: Path | None) -> None:
    """Find out before the work whether its results can be kept."""
    for target in targets:
        if target is not None and not target.absolute().parent.is_dir():
            raise UsageError(f"{target} cannot be written: the folder {target.parent} does not exist; make it first")


def _watch(pictures: list[GazedPicture]) -> Iterable[GazedPicture]:
    return tqdm(pictures, unit="picture", disable=not sys.stderr.isatty())
