"""`mediaan benchmark build`: a norm set from media of one's own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mediaan.cli import options
from mediaan.cli.outputs import check_output
from mediaan.types.counts import media_count

if TYPE_CHECKING:
    from mediaan.benchmark.norm_set import NormSet
    from mediaan.run import Run
    from mediaan.workflow import Settings


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SOURCE...")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="NAME.parquet",
    help="The norm set; a page about it, NAME.md, is written beside it.",
)
@click.option("--by", metavar="KEYS", help="What to divide it by, such as industry,platform or folder1.")
@click.option(
    "--attributes", type=click.Path(path_type=Path), metavar="FILE", help="CSV that says more of each file: its keys."
)
@click.option("--only", multiple=True, metavar="KEY=VALUES", help="Leave out media whose KEY is none of these.")
@click.option("--name", metavar="NAME", help="What tables call it.  [default: that of the file]")
@click.option("--title", metavar="TEXT", help="What reports call it.  [default: its name]")
@click.option("--population", metavar="TEXT", help="Whose scores it holds, in a sentence.")
@click.option("--note", multiple=True, metavar="TEXT", help="What else people should know of it, a paragraph each.")
@click.option(
    "--suits", multiple=True, metavar="KEY=VALUES", help="What it is meant for, such as usecase=advertisement."
)
@click.option(
    "--min-n",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="Media that a part needs; smaller ones fall back to coarser parts.",
)
@click.option("--run", type=click.Path(path_type=Path), metavar="DIR", help="Keep the run of files and folders here.")
@click.option("--objectives", type=click.Path(path_type=Path), metavar="FILE", help="YAML file: what each file is for.")
@options.workers
@click.option("--quiet", "-q", is_flag=True, help="No progress, no summary.")
def build(
    sources: tuple[Path, ...],
    out: Path,
    by: str | None,
    attributes: Path | None,
    only: tuple[str, ...],
    name: str | None,
    title: str | None,
    population: str | None,
    note: tuple[str, ...],
    suits: tuple[str, ...],
    min_n: int,
    run: Path | None,
    objectives: Path | None,
    workers: int | None,
    quiet: bool,
) -> None:
    """Make a norm set of SOURCEs: runs, or files and folders, which are analysed first with all AOIs.

    For other settings (a model, a calibration, an exposure of your own) run `mediaan analyze` first and name its run.
    """
    from mediaan.workflow.benchmark_build import NormSettings, build_benchmark, write_norm_set

    check_output("--out", out, ".parquet")
    settings = NormSettings(
        name=name or out.stem,
        title=title or "",
        population=population or "",
        by=words(by or ""),
        attributes=attributes,
        only=by_key("--only", only),
        suits=by_key("--suits", suits),
        min_n=min_n,
        notes=note,
        command=shlex.join(["mediaan", *sys.argv[1:]]),
    )
    made = build_benchmark(
        sources,
        settings,
        run_dir=run,
        objectives=objectives,
        workers=workers,
        analyze=lambda files, where, settings: _analyze(files, where, settings, quiet=quiet),
    )
    write_norm_set(made, out)
    if not quiet:
        click.echo(_summary(made, out))


def words(text: str) -> tuple[str, ...]:
    """Words between commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def by_key(option: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Options like ``KEY=VALUE,VALUE`` by key."""
    from mediaan.errors import UsageError

    found = {key.strip(): words(rest) for key, _, rest in (value.partition("=") for value in values)}
    if not all(key and rest for key, rest in found.items()):
        raise UsageError(f"{option} {' '.join(values)}: write KEY=VALUE, or KEY=VALUE,VALUE", code="bad_option")
    return found


def _analyze(files: Sequence[Path], where: Path, settings: Settings, *, quiet: bool) -> Run:
    """Analyse with progress on stderr."""
    from mediaan.cli.progress import ProgressBar
    from mediaan.workflow import analyze_folder

    with ProgressBar(quiet=quiet) as bar:
        return analyze_folder(
            files,
            where,
            settings=settings,
            on_start=lambda listing: bar.start(listing.files),
            on_progress=bar.advance if bar.shows else None,
            on_report=bar.step,
        )


def _summary(made: NormSet, out: Path) -> str:
    from mediaan.benchmark.norm_set import MIN_N

    lines = [f"{media_count(made.counts['media'])}, {len(made.norms)} norms: {out}"]
    for name, what in (
        ("failed", "could not be analysed"),
        ("same_bytes", "were there twice"),
        ("left_out", "left out"),
    ):
        if made.counts.get(name):
            lines.append(f"{made.counts[name]} {what}")
    if made.counts["media"] < MIN_N:
        lines.append(f"few: from {MIN_N} media on, better 100, its categories can be relied on (docs/benchmarks.md)")
    for key in made.keys:
        parts = {segment[0][1]: n for segment, n in made.sizes.items() if len(segment) == 1 and segment[0][0] == key}
        known = sum(n for value, n in parts.items() if "/" not in value)
        large = sum(n >= made.min_n for n in parts.values())
        lines.append(f"{key}: known of {known} media; {large} of {len(parts)} parts have {made.min_n} or more")
    return "\n".join([*lines, f"read {out.with_suffix('.md')}"])
