"""`mediaan calibrate`: an attention model fitted to one's own eye tracking."""

from __future__ import annotations

from pathlib import Path

import click

from mediaan.cli import options
from mediaan.cli.paths import check_output_path


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="File to write, such as my.calibration.",
)
@options.model
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Fit only to the images of this list (one name a line, or a JSON list).",
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
    show_default=True,
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
    import json
    import sys
    from dataclasses import asdict
    from functools import partial

    from tqdm import tqdm

    from mediaan.cli.output.calibration_output import calibration_as_text
    from mediaan.config.calibration import save_calibration
    from mediaan.config.gaze_columns import load_columns
    from mediaan.evaluation.calibration.fit import fit_calibration
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
