"""`mediaan benchmark`: populations that scores are compared with."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.main import EXIT_USAGE
from mediaan.cli.options import FILE, PATH
from mediaan.cli.paths import check_output_path
from mediaan.cli.table import table_lines
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.judge.benchmark.norm import Norm
    from mediaan.judge.benchmark.norm_set import NormMatch, NormSet


@click.command()
@options.run
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=complete.benchmark,
    help="Benchmark that scores are compared with: auto, none, a name from `mediaan benchmark list`, or a "
    "file.  [default: unchanged]",
)
@options.benchmark_despite
@click.option(
    "--attributes",
    type=PATH,
    metavar="FILE",
    help="CSV with a row for each file: the keys that the benchmark is divided by.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print recommended ranges in the format of the v2 service, a line for each file.",
)
@options.quiet(help="No summary.")
def apply(
    run: Path, benchmark: str | None, benchmark_despite: str | None, attributes: Path | None, as_json: bool, quiet: bool
) -> None:
    """Compare the scores of RUN with a benchmark, and write its report again.

    The new comparison replaces the earlier one. No file is analyzed again; the rules of the run are checked again.
    """

    from mediaan.workflow.derived import write_ranges
    from mediaan.workflow.ranges import recommended_ranges_of

    facts = write_ranges(run, benchmark, benchmark_despite or "", attributes)
    if as_json:
        for row in recommended_ranges_of(run):
            click.echo(json.dumps(row, ensure_ascii=False))
    elif not quiet:
        for line in benchmark_lines(facts):
            click.echo(line)
        click.echo(f"report: {run / 'report' / 'index.html'}")


@click.command()
@click.argument("sources", nargs=-1, required=True, type=PATH, metavar="SOURCE...")
@click.option(
    "--out",
    required=True,
    type=FILE,
    metavar="NAME.parquet",
    help="File to write; a page about it, NAME.md, is written beside it.",
)
@click.option("--by", metavar="KEYS", help="Keys that divide it, such as industry,platform or folder1.")
@click.option("--attributes", type=PATH, metavar="FILE", help="CSV with a row for each file: its keys.")
@click.option("--only", multiple=True, metavar="KEY=VALUES", help="Keep only files whose KEY has one of these values.")
@click.option("--name", metavar="NAME", help="Name in tables.  [default: that of the file]")
@click.option("--title", metavar="TEXT", help="Name in reports.  [default: its name]")
@click.option("--population", metavar="TEXT", help="Whose scores it holds, in a sentence.")
@click.option(
    "--note", multiple=True, metavar="TEXT", help="What else people should know about it; repeat for each paragraph."
)
@click.option("--suits", multiple=True, metavar="KEY=VALUES", help="What it is for, such as usecase=advertisement.")
@click.option(
    "--min-n",
    type=click.IntRange(min=1),
    default=30,
    help="Files that a part needs; smaller parts fall back to coarser ones.",
)
@click.option("--run", type=PATH, metavar="DIR", help="Keep the run of files and folders here.")
@click.option("--objectives", type=PATH, metavar="FILE", help="YAML file: what each file is for.")
@options.workers
@options.quiet(help="No progress, no summary.")
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
    """Build a benchmark from runs, or from files and folders, which are analyzed first with all AOIs.

    For other settings (a model, a calibration, an exposure of your own) run `mediaan analyze` first and name its run.
    """
    from mediaan.cli.commands.analyze import analyze_with_progress
    from mediaan.workflow.benchmark_build import NormSettings, build_benchmark, write_norm_set

    check_output_path("--out", out, ".parquet")
    settings = NormSettings(
        name=name or out.stem,
        title=title or "",
        population=population or "",
        by=comma_separated(by or ""),
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
        analyze=lambda *asked: analyze_with_progress(*asked, quiet=quiet)[0],
    )
    write_norm_set(made, out)
    if not quiet:
        click.echo(_summary(made, out))


def comma_separated(text: str) -> tuple[str, ...]:
    """Split words between commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def by_key(option: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Parse options like ``KEY=VALUE,VALUE`` by key."""

    values_by_key = {key.strip(): comma_separated(rest) for key, _, rest in (value.partition("=") for value in values)}
    if not all(key and rest for key, rest in values_by_key.items()):
        raise UsageError(f"{option} {' '.join(values)}: write KEY=VALUE, or KEY=VALUE,VALUE", code="bad_option")
    return values_by_key


def _summary(made: NormSet, out: Path) -> str:
    from mediaan.judge.benchmark.norm_set import MIN_N

    lines = [f"{media_count(made.counts['media'])}, {len(made.norms)} norms: {out}"]
    for name, what in (("failed", "could not be analyzed"), ("same_bytes", "were copies"), ("left_out", "left out")):
        if made.counts.get(name):
            lines.append(f"{made.counts[name]} {what}")
    if made.counts["media"] < MIN_N:
        lines.append(f"few files: use at least {MIN_N}, better 100, for reliable categories (docs/benchmarks.md)")
    for key in made.keys:
        parts = {segment[0][1]: n for segment, n in made.sizes.items() if len(segment) == 1 and segment[0][0] == key}
        n_known = sum(n for value, n in parts.items() if "/" not in value)
        large = sum(n >= made.min_n for n in parts.values())
        lines.append(f"{key}: known for {n_known} files; {large} of {len(parts)} parts have {made.min_n} or more")
    return "\n".join([*lines, f"read {out.with_suffix('.md')}"])


@click.command("list")
@options.json_lines
def list_sets(as_json: bool) -> None:
    """List the built-in benchmarks."""
    from mediaan.cli.table import table_lines
    from mediaan.judge.benchmark import list_norm_sets

    norm_sets = list_norm_sets()
    if as_json:
        facts = [
            {
                "name": about.name,
                "title": about.title,
                "population": about.population,
                "keys": about.keys,
                "min_n": about.min_n,
                "suits": about.applies_to,
                "created": about.created,
                "media": about.sizes[()],
                "file": str(about.path),
            }
            for about in norm_sets.values()
        ]
        click.echo(json.dumps(facts))
        return
    lines = []
    for about in norm_sets.values():
        divided = f", by {', '.join(about.keys)}" if about.keys else ""
        lines.append((about.name, f"{about.title}: {media_count(about.sizes[()])}{divided}"))
    click.echo("\n".join(table_lines(lines, left=(0, 1))))


@click.command()
@click.argument("name", shell_complete=complete.norm_set)
@options.metric(help="Show one score, at all times and for all types of AOI.  [default: the main ones]")
@click.option("--segment", metavar="KEY=VALUE,...", help="A part of the benchmark.  [default: all of it]")
@click.option(
    "--min-n", type=click.IntRange(min=1), help="Files that a part needs to be shown.  [default: that of the set]"
)
@options.json_lines
def show(name: str, metric: str | None, segment: str | None, min_n: int | None, as_json: bool) -> None:
    """Show the category edges of a benchmark, built-in or a file, with their intervals."""
    from mediaan.judge.benchmark import find_norm_set

    norm_set = find_norm_set(name)
    values = {key: value[0] for key, value in by_key("--segment", comma_separated(segment or "")).items()}
    shown = shown_norms(norm_set, metric, values, min_n)
    click.echo(json.dumps(norms_to_dict(norm_set, shown)) if as_json else norms_as_text(norm_set, shown))


@click.command()
@click.argument("file", type=PATH)
def validate(file: Path) -> int:
    """Check that the benchmark in FILE is consistent; exit code 2 if it is not."""
    from mediaan.judge.benchmark.file import norm_set_problems, parse_norm_set

    norm_set = parse_norm_set(file)
    problems = norm_set_problems(norm_set)
    for problem in problems:
        click.echo(problem, err=True)
    if not problems:
        click.echo(f"{file}: ok, {len(norm_set.norms)} norms of {media_count(norm_set.sizes[()])}")
    return EXIT_USAGE if problems else 0


@click.group()
def benchmark() -> None:
    """Benchmarks, the sets of ads that scores are compared with: apply to a run, build, list, show, validate."""


for command in (apply, build, list_sets, show, validate):
    benchmark.add_command(command)


_MARKS = ((10, "."), (30, "-"), (70, "="), (90, "-"), (99, "."))  # up to the percentile, of the five categories
_CELLS = 40
_STRIPS = (
    "Strips, from 0 to 100 (other units: to the 99th percentile): . extreme low, - low, = medium, - high, "
    ". extreme high, | the median."
)


def shown_norms(
    norm_set: NormSet, metric: str | None, values: Mapping[str, str], min_n: int | None = None
) -> tuple[NormMatch, ...]:
    """Return the norms of one metric, or of the main ones, from the parts for a medium that are large enough.

    Raises UsageError: the set is not divided by such a key, holds no medium of such a value, or has no such metric.
    """
    from mediaan.judge.benchmark.file import AOI_SCORES_SHOWN
    from mediaan.judge.benchmark.norm_set import NormMatch

    for key, value in values.items():
        if key not in norm_set.keys:
            keys = ", ".join(norm_set.keys) or "nothing"
            raise UsageError(f"--segment: {norm_set.name} is divided by {keys}, not by {key}", code="unknown_key")
        there = [segment[0][1] for segment in norm_set.sizes if len(segment) == 1 and segment[0][0] == key]
        if value.partition("/")[0] not in there:
            guess = did_you_mean(value, there) or f"; choose from {', '.join(there)}"
            raise UsageError(f"--segment: {norm_set.name} has no {key} {value!r}{guess}", code="unknown_segment")
    metrics = list(dict.fromkeys(norm.metric for norm in norm_set.norms))
    if metric is not None and metric not in metrics:
        guess = did_you_mean(metric, metrics) or f"; choose from {', '.join(metrics)}"
        raise UsageError(f"--metric: {norm_set.name} has no {metric!r}{guess}", code="unknown_metric")
    matches = []
    for norm in norm_set.norms:
        if metric is None:
            main = norm.aoi_type is None or (norm.metric in AOI_SCORES_SHOWN[:2] and norm.metric_time == "total")
        else:
            main = norm.metric == metric
        if main and not norm.segment:
            matches.append(norm_set.find(norm.type, norm.metric, norm.metric_time, norm.aoi_type, values, min_n))
    return tuple(match for match in matches if isinstance(match, NormMatch))


def norms_to_dict(norm_set: NormSet, shown: Sequence[NormMatch]) -> dict[str, Any]:
    """Return content for JSON: provenance, and every norm with its quantiles."""
    from mediaan.judge.benchmark.file import provenance_facts

    norms = []
    for match in shown:
        norm = match.norm
        plain = ("type", "metric", "metric_time", "aoi_type", "unit", "n", "n_media")
        facts = {name: getattr(norm, name) for name in plain}
        facts |= {"segment": match.segment, "fallback": match.fallback}
        facts |= {name: list(getattr(norm, name)) for name in ("edges", "edges_lo", "edges_hi")}
        facts |= {name: getattr(norm, name).tolist() for name in ("quantiles", "lo", "hi")}
        norms.append(facts)
    return {**provenance_facts(norm_set), "norms": norms}


def norms_as_text(norm_set: NormSet, shown: Sequence[NormMatch]) -> str:
    """Describe the set, then write a line for each norm: edges with their intervals, and a strip of the categories."""
    from mediaan.judge.benchmark.file import format_edge

    lines = [f"{norm_set.title} ({norm_set.name}), {norm_set.created}", norm_set.population, ""]
    rows = [["", "part", "n", "P10", "P30", "P70", "P90", ""]]
    for match in shown:
        norm = match.norm
        kind = "" if norm.type == "image" else f", {norm.type}s"
        unit = "" if norm.unit == "score" else f", {norm.unit}"
        area = f"{norm.aoi_type} " if norm.aoi_type else ""
        n = str(norm.n) if norm.n == norm.n_media else f"{norm.n} in {norm.n_media}"
        edges = zip(norm.edges, norm.edges_lo, norm.edges_hi, strict=True)
        ranges = [f"{format_edge(edge)} [{format_edge(lo)}-{format_edge(hi)}]" for edge, lo, hi in edges]
        name = f"{area}{norm.metric} ({norm.metric_time}{kind}{unit})"
        rows.append([name, match.segment, n, *ranges, strip(norm)])
    lines += table_lines(rows, left=range(len(rows[0])))
    reasons = list(dict.fromkeys(match.fallback for match in shown if match.fallback))
    lines += ["", *reasons] if reasons else []
    lines += [f"not compared: {metric}, because {why}" for metric, why in norm_set.without.items()]
    if norm_set.uncompared_areas:
        lines += [f"not compared: areas that too few files have: {', '.join(norm_set.uncompared_areas)}"]
    lines += ["", f"Edges in brackets: {norm_set.intervals}.", _STRIPS]
    return "\n".join(lines)


def strip(norm: Norm) -> str:
    """Draw where the five categories lie between 0 and the 99th percentile, or 100 for scores and shares.

    >>> import numpy as np
    >>> from mediaan.judge.benchmark.norm import Norm
    >>> at = np.linspace(1, 99, 99)
    >>> strip(Norm("image", "focus", "total", None, "score", (), 500, 500, at, at, at))
    '|....--------========|=======--------....|'
    """
    import numpy as np

    from mediaan.judge.benchmark.norm import PERCENTS

    top = 100.0 if norm.unit in ("score", "%") else float(norm.quantiles[-1]) or 1.0
    cells = []
    for place in range(_CELLS):
        value = (place + 0.5) * top / _CELLS
        share = float(np.interp(value, norm.quantiles, PERCENTS))
        inside = norm.quantiles[0] <= value <= norm.quantiles[-1]
        cells.append(next(mark for edge, mark in _MARKS if share <= edge) if inside else " ")
    middle = min(_CELLS - 1, int(norm.value_at(50) / top * _CELLS))
    return f"|{''.join(cells[:middle])}|{''.join(cells[middle + 1 :])}|"


def benchmark_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say what a run was compared with, and what could not be, from what `run.json` says of it.

    >>> used = {"name": "ads", "title": "Print ads", "n": 198, "media": 12}
    >>> list(benchmark_lines({"norm_sets": [used], "refused": []}))
    ['12 files compared with Print ads (benchmark ads, 198 files)']
    """
    for used in facts["norm_sets"]:
        norms = f"{used['title']} (benchmark {used['name']}, {used['n']} files)"
        yield f"{media_count(used['media'])} compared with {norms}"
    for used in facts.get("rescored", ()):
        seen = f"for an exposure of {used['exposure_s']:g} s"
        yield f"areas of {media_count(used['media'])} compared with those of {used['norm_set']} {seen}"
    for refusal in facts["refused"]:
        what = "areas of " if refusal["what"] == "aois" else ""
        yield f"{what}{media_count(refusal['media'])} not compared with {refusal['norm_set']}: {refusal['reason']}"
