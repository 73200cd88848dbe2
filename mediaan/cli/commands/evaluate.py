"""`mediaan evaluate`: how well a model predicts eye tracking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mediaan.cli import complete, options
from mediaan.errors import UsageError

if TYPE_CHECKING:
    from mediaan.types.densities import Window


@click.command()
@click.argument("target", metavar="DIR|SUITE.toml", type=click.Path(path_type=Path, exists=True))
@options.model
@click.option(
    "--against",
    metavar="NAME",
    shell_complete=complete.model,
    help="Another model to compare with: both in one table, with the paired difference and its interval.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="SUITE.toml: folder that the folders of its sets are relative to.  [default: that of the file]",
)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="SUITE.toml: only this set; can be repeated.")
@click.option(
    "--metrics",
    metavar="NAMES",
    help="Tables of a suite: nss, cc, sim, kld, auc_judd, shuffled_auc, information_gain.  "
    "[default: nss,cc,kld,auc_judd,shuffled_auc]",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Keep the results for human viewers, which do not depend on the model, here; the next run is faster.",
)
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Score only the images or videos of this list (one name a line, or a JSON list); all still form the "
    "centre bias.",
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
    help="Videos: points in time per second at which gaze is compared.  [default: 5]",
)
@click.option("--lag", is_flag=True, help="Videos: also show NSS against gaze shifted in time; it should peak near 0.")
@click.option("--limit", type=click.IntRange(min=1), help="Score only the first so many images or videos.")
@options.json_lines
@click.option("--markdown", is_flag=True, help="Tables of a suite, or of two models, in Markdown.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the scores of each image or video (Parquet)."
)
@click.option(
    "--gallery", type=click.Path(path_type=Path, dir_okay=False), help="Write the worst and best cases (JPEG)."
)
@click.option("--gallery-maps-only", is_flag=True, help="Leave the images out of the gallery; show only maps.")
@options.device
def evaluate(
    target: Path,
    model: str,
    against: str | None,
    data: Path | None,
    sets: tuple[str, ...],
    metrics: str | None,
    cache: Path | None,
    pictures: Path | None,
    window: Window,
    fps: float | None,
    lag: bool,
    limit: int | None,
    as_json: bool,
    markdown: bool,
    out: Path | None,
    gallery: Path | None,
    gallery_maps_only: bool,
    device: str,
) -> None:
    """Score a model against the eye tracking in DIR, or in the sets that SUITE.toml lists.

    DIR holds images/NAME.* and fixations.parquet (image, viewer, x, y in unit coordinates, onset_s in seconds), or
    densities/NAME.png if fixations are not available, or exports of Tobii Pro Lab (.tsv) or RealEye (.csv), or a table
    whose columns DIR/columns.yaml names; or videos/NAME.* and fixations.parquet (video, viewer, t_s in
    seconds from the first frame, x, y; optional duration_s). The table shows the model between the centre bias of the
    set and what other people reach. All metrics are those of the MIT/Tübingen saliency benchmark.

    SUITE.toml lists sets: [[set]] with folder and domain, optional: name, pictures, without and windows. The result is
    one table, by domain.
    """
    from mediaan.cli.commands.evaluate_sets import EvaluateOptions, SuiteOptions, evaluate_set, evaluate_sets

    wanted = EvaluateOptions(model, device, names=pictures, window=window, fps=fps, lag=lag, limit=limit)
    if target.is_file() or against is not None:
        suite = SuiteOptions(against, data, sets, metrics, cache, out, gallery, gallery_maps_only)
        click.echo(evaluate_sets(target, wanted, suite, as_json=as_json, markdown=markdown))
        return
    if wrong := [
        option
        for option, given in (
            ("--data", data),
            ("--set", sets),
            ("--metrics", metrics),
            ("--cache", cache),
            ("--markdown", markdown),
        )
        if given
    ]:
        raise UsageError(f"{wrong[0]} applies only to a list of sets (SUITE.toml) and to --against; leave it out")
    shown = evaluate_set(target, wanted, out=out, gallery=gallery, maps_only=gallery_maps_only, as_json=as_json)
    click.echo(shown)
