"""`mediaan calibrate`: an attention model fitted to one's own eye tracking."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mediaan.cli import options
from mediaan.cli.options import EXISTING_FILE, EXISTING_FOLDER, FILE
from mediaan.cli.paths import check_output_path
from mediaan.cli.table import join_blocks, number_text, table_lines

if TYPE_CHECKING:
    from mediaan.types.eye_tracking import Calibration, Interval


@click.command()
@click.argument("folder", metavar="DIR", type=EXISTING_FOLDER)
@click.option("--out", type=FILE, required=True, help="File to write, such as my.calibration.")
@options.model
@click.option(
    "--pictures", type=EXISTING_FILE, help="Fit only to the images of this list (one name a line, or a JSON list)."
)
@click.option(
    "--exposure",
    type=click.FloatRange(min=0.5, max=60),
    help="Seconds for which people looked at an image.  [default: taken from the fixations]",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2, max=50),
    default=5,
    help="Groups of images; each is left out once to measure the improvement.",
)
@options.json_lines
@options.device
def calibrate(
    folder: Path,
    out: Path,
    model: str,
    pictures: Path | None,
    exposure: float | None,
    folds: int,
    as_json: bool,
    device: str,
) -> None:
    """Fit an attention model to the eye tracking in DIR, and show the improvement on images left out of the fit.

    DIR holds images/NAME.* and fixations.parquet (as for mediaan evaluate), or exports of Tobii Pro Lab (.tsv) or
    RealEye (.csv), or any table whose columns DIR/columns.yaml names. About 50 images are enough; with few, little
    changes. `mediaan analyze --calibration FILE` uses the result.
    """

    from tqdm import tqdm

    from mediaan.config.calibration import load_columns, save_calibration
    from mediaan.evaluation.calibration import fit_calibration
    from mediaan.evaluation.datasets.image_set import read_fixations, read_names
    from mediaan.saliency import load_predictor

    check_output_path("--out", out)
    watch = partial(tqdm, unit="image", disable=not sys.stderr.isatty())
    fixations = read_fixations(folder, load_columns(folder))
    if pictures:
        fixations = fixations.only(read_names(pictures))
    calibration = fit_calibration(
        load_predictor(model, device), fixations, folder, exposure_s=exposure, folds=folds, progress=watch
    )
    save_calibration(calibration, out)
    click.echo(json.dumps(asdict(calibration)) if as_json else calibration_as_text(calibration, fixations.notes, out))


_WINDOWS = {"total": "whole exposure", "start": "first two seconds", "end": "last two seconds"}


def calibration_as_text(calibration: Calibration, notes: Sequence[str], out: Path) -> str:
    """Say what was fitted, what it gains, what it means, and where it was written."""
    from mediaan.config.calibration import describe_calibration
    from mediaan.evaluation.calibration import METRICS

    heading = (
        f"{calibration.model} on {calibration.source}: {calibration.pictures} images, {calibration.viewers} viewers, "
        f"{calibration.fixations:,} fixations"
    )
    blocks = [[heading]]
    fitted = [("fitted", "", "value [90 %]")]
    for window, title in _WINDOWS.items():
        gains = [
            (METRICS[e.metric], f"{e.before:.3f}", f"{e.after:.3f}", f"{e.gain:+.3f} [{e.lo:+.3f}, {e.hi:+.3f}]")
            for e in calibration.evidence
            if e.window == window
        ]
        if gains:
            taken = "" if window != "total" or not calibration.total.changes_nothing else "; not used"
            head = (f"images left out, {title}{taken}", "before", "after", "gain [95 %]")
            blocks.append(table_lines([head, *gains]))
        readout = {"total": calibration.total, "start": calibration.start, "end": calibration.end}[window]
        if readout is not None:
            fitted += [
                (title, "sharpness", _estimate(readout.sharpness, readout.sharpness_interval)),
                (title, "spread", _estimate(readout.spread, readout.spread_interval)),
                (title, "centre", _estimate(readout.centre, readout.centre_interval)),
            ]
    pace = calibration.pace
    fitted += [
        ("pace", "rate", _estimate(pace.rate, pace.rate_interval)),
        ("pace", "agreement", _estimate(pace.agreement, pace.agreement_interval)),
    ]
    if pace.gaze is not None:
        fitted.append(("pace", "gaze", _estimate(pace.gaze, pace.gaze_interval)))
    footnotes = [
        "Higher is better, except for KLD. Changes that do not clearly help on images left out are not made.",
        *(f"Note: {note}." for note in notes),
        f"Written: {out}",
    ]
    blocks += [table_lines(fitted), describe_calibration(calibration), footnotes]
    return join_blocks(blocks)


def _estimate(value: float, interval: Interval | None) -> str:
    return number_text(value, *(interval or ()), form=".3f")
