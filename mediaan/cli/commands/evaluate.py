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
    help="Another model, as for --model: both in one table, with the paired difference and its interval.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="SUITE.toml: folder to which those of its sets are relative.  [default: that of the file]",
)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="SUITE.toml: only this set; may be repeated.")
@click.option(
    "--metrics",
    metavar="NAMES",
    help="Tables of a suite: nss, cc, sim, kld, auc_judd, shuffled_auc, information_gain.  "
    "[default: nss,cc,kld,auc_judd,shuffled_auc]",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Keep in this folder what people reach, which no model changes: the next run is quicker.",
)
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
@click.option("--markdown", is_flag=True, help="Tables of a suite, or of two models, in Markdown.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each one's scores (Parquet).")
@click.option("--gallery", type=click.Path(path_type=Path, dir_okay=False), help="Write worst and best cases (JPEG).")
@click.option("--gallery-maps-only", is_flag=True, help="Leave the pictures out of the gallery; maps only.")
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
    densities/NAME.png where fixations are unknown, or exports of Tobii Pro Lab (.tsv) or RealEye (.csv), or a table
    whose columns DIR/columns.yaml names; or videos/NAME.* and fixations.parquet (video, viewer, t_s in
    seconds from the first frame, x, y; perhaps duration_s). The model stands between the centre bias of the set and
    what other people reach; all metrics as in the MIT/Tübingen saliency benchmark.

    SUITE.toml lists sets: [[set]] with folder and domain, and perhaps name, pictures, without and windows. Then there
    is one table, by domain.
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
        raise UsageError(f"{wrong[0]} applies to a list of sets (SUITE.toml) and to --against; leave it out")
    shown = evaluate_set(target, wanted, out=out, gallery=gallery, maps_only=gallery_maps_only, as_json=as_json)
    click.echo(shown)
