"""`mediaan evaluate`: how well a model foretells eye tracking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mediaan.cli import options

if TYPE_CHECKING:
    from mediaan.types.maps import Window


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@options.model
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Score only the pictures or videos of this list (one name a line, or a JSON list); all form the centre bias.",
)
@click.option(
    "--window",
    type=click.Choice(["total", "start", "end"]),
    default="total",
    show_default=True,
    help="Part of the exposure: all, the first 2 s, or the last 2 s of 5 s. Videos: total only.",
)
@click.option(
    "--fps",
    type=click.FloatRange(min=0, min_open=True, max=60),
    help="Videos: instants per second at which gaze is compared.  [default: 5]",
)
@click.option("--lag", is_flag=True, help="Videos: NSS against gaze shifted in time, too; it should peak near 0.")
@click.option("--limit", type=click.IntRange(min=1), help="Score only the first so many pictures or videos.")
@options.json_lines
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each one's scores (Parquet).")
@click.option("--gallery", type=click.Path(path_type=Path, dir_okay=False), help="Write worst and best cases (JPEG).")
@click.option("--gallery-maps-only", is_flag=True, help="Leave the pictures out of the gallery; maps only.")
@options.device
def evaluate(
    folder: Path,
    model: str,
    pictures: Path | None,
    window: Window,
    fps: float | None,
    lag: bool,
    limit: int | None,
    as_json: bool,
    out: Path | None,
    gallery: Path | None,
    gallery_maps_only: bool,
    device: str,
) -> None:
    """Score a model against the eye tracking in DIR.

    DIR holds images/NAME.* and fixations.parquet (image, viewer, x, y in unit coordinates, onset_s in seconds), or
    densities/NAME.png where fixations are unknown, or exports of Tobii Pro Lab (.tsv) or RealEye (.csv), or a table
    whose columns DIR/columns.yaml names; or videos/NAME.* and fixations.parquet (video, viewer, t_s in
    seconds from the first frame, x, y; perhaps duration_s). The model stands between the centre bias of the set and
    what other people reach; all metrics as in the MIT/Tübingen saliency benchmark.
    """
    from mediaan.cli.evaluation import Wanted, evaluate_set

    wanted = Wanted(model, device, names=pictures, window=window, fps=fps, lag=lag, limit=limit)
    shown = evaluate_set(folder, wanted, out=out, gallery=gallery, maps_only=gallery_maps_only, as_json=as_json)
    click.echo(shown)
