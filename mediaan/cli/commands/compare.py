"""`mediaan compare`: which one is better, and is the difference real?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.analysis.options import Device
from mediaan.cli import options
from mediaan.cli.main import EXIT_SOME_FAILED
from mediaan.cli.options import FOLDER, PATH
from mediaan.cli.table import join_blocks, table_lines
from mediaan.errors import MediumError
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.studies.compare.differences import Comparison
    from mediaan.studies.compare.ranking import VariantRanking
    from mediaan.studies.compare.result import CompareResult


@click.command()
@click.argument("names", metavar="[A B ...]", nargs=-1)
@click.option("--runs", multiple=True, type=PATH, metavar="RUN", help="Run that holds the files.")
@options.metric("metrics", multiple=True, help="Score to compare, or all.")
@click.option(
    "--by", metavar="KEY", help="Compare groups by folder, run, a setting of objectives such as platform, or a column."
)
@click.option("--pair", metavar="KEY", help="Pair the files of groups by a key, such as name.")
@click.option("--cluster", metavar="KEY", help="Files of a group that share this, such as a campaign, count once.")
@options.medium_type
@click.option("--versions", is_flag=True, help="They are versions of one design: errors that all share cancel out.")
@click.option("--attributes", type=PATH, metavar="FILE", help="CSV file with columns of your own.")
@click.option("--objectives", type=PATH, metavar="FILE", help="What the ads are for; that decides what is better.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write a page, a table and JSON here.")
@options.device
@options.json_lines
def compare(
    names: tuple[str, ...], runs: tuple[Path, ...], out: Path | None, device: Device, as_json: bool, **asked: Any
) -> int:
    """Compare A with B, rank many, or compare groups; and say which differences are real.

    \b
    mediaan compare a.png b.png                two files
    mediaan compare RUN                        all files of a run
    mediaan compare RUN --by platform          groups

    A and B are files, or names of files in a run (the end of the path is enough). Files that no run holds are analyzed
    first. Images and videos are compared apart. --runs and --metric can be repeated; a metric is, for example, focus or
    branding.percentage_seen.start.
    """
    from mediaan.run import is_run
    from mediaan.run.files import check_own_folder
    from mediaan.studies.compare.compare import compare_types
    from mediaan.studies.compare.media import TYPE_NAMES
    from mediaan.studies.compare.page import FACTS_FILE, write_folder
    from mediaan.studies.compare.result import CompareResult
    from mediaan.studies.compare.workflow import find_media

    media = [name for name in names if not is_run(Path(name))]
    runs = (*runs, *(Path(name) for name in names if is_run(Path(name))))
    if out is not None and not any((out / folder / FACTS_FILE).is_file() for folder in TYPE_NAMES):
        check_own_folder(out, FACTS_FILE)
    pages = []
    try:
        with find_media(media, runs, device) as held:
            results = compare_types(held, device=device, **asked)
            for kind, result in results.items():
                if out is not None and isinstance(result, CompareResult):
                    of_kind = [medium for medium in held if medium.type == kind]
                    pages.append(write_folder(result, of_kind, out / kind if len(results) > 1 else out))
    except MediumError as error:
        click.echo(error.message, err=True)
        return EXIT_SOME_FAILED
    if as_json:
        for kind, result in results.items():
            facts = {"reason": result} if isinstance(result, str) else result.to_dict()
            click.echo(json.dumps(({"type": kind} if len(results) > 1 else {}) | facts))
        return 0
    click.echo(comparisons_as_text(results))
    click.echo("\n" + ("\n".join(f"page: {page}" for page in pages) or "For a page with images: --out DIR"))
    return 0


_COLUMNS = ("", "A", "B", "A - B", "90 % interval", "P(A>B)", "p corrected", "")
_MOST_PLACES = 20
_LONGEST = 44
"""Characters of an area's name that a table shows."""

_TRUE = "A's true score is higher."
_PROXIES = "Memory is an estimate: its rows are about the formula, not about people."


def comparisons_as_text(results: Mapping[str, CompareResult | str]) -> str:
    """Write comparisons by type, each under its heading where there are several."""
    from mediaan.studies.compare.media import TYPE_NAMES

    blocks = []
    for kind, result in results.items():
        if isinstance(result, str):
            blocks.append(f"== {TYPE_NAMES[kind].capitalize()} ==\n{result}")
            continue
        count = len({path for paths in result.media.values() for path in paths})
        heading = f"== {TYPE_NAMES[kind].capitalize()} ({count}) ==\n" if len(results) > 1 else ""
        blocks.append(heading + compared_as_text(result))
    return "\n\n\n".join(blocks)


def compared_as_text(compared: CompareResult) -> str:
    """Say who is compared, the table or the rankings, what it comes to, and what to keep in mind."""
    from mediaan.studies.compare.result import left_out_lines

    groups = compared.by is not None
    blocks = [_ranking(ranking, groups=groups) for ranking in compared.rankings]
    if compared.two:
        names = []
        for side, name in zip("AB", compared.names, strict=True):
            if groups:
                most = max((row.n_a if name == row.a else row.n_b for row in compared.rows), default=0)
                clusters = f", {most} by {compared.cluster}" if compared.cluster else ""
                names.append(f"{side}  {compared.by}: {name} ({media_count(len(compared.media[name]))}{clusters})")
            else:
                names.append(f"{side}  {name}")
        blocks = [[*names, "", *table_lines([_COLUMNS, *_rows(compared.rows)], left=(0, -1))]]
    missing = [] if compared.two else left_out_lines(compared.rankings)
    notes = [*(f"left out: {line}" for line in missing), *(f"note: {note}" for note in compared.notes)]
    return join_blocks((*blocks, [compared.summary], notes, _legend(compared)))


def _rows(rows: Sequence[Comparison]) -> Iterator[tuple[str, ...]]:
    """Yield headline scores first, then the detail, if there is any."""
    from mediaan.studies.compare.result import area_title, one_sided_rows, row_title

    headlines, detail = ([row for row in rows if row.headline == wanted] for wanted in (True, False))
    if not headlines or not detail:
        yield from _part(rows)
    else:
        yield _heading("Headline scores")
        yield from _part(headlines)
        yield _heading("Detail")
        yield from _part(detail)
    for row in one_sided_rows(rows):
        title = row_title(row).split(": ", 1)[1]
        yield _cells(f"{_short(area_title(row))}: {title}", row)


def _heading(title: str) -> tuple[str, ...]:
    return (title, *[""] * (len(_COLUMNS) - 1))


def _part(rows: Sequence[Comparison]) -> Iterator[tuple[str, ...]]:
    """Yield the media's own scores, then those of areas, each area under its name; without those of one side alone."""
    from mediaan.studies.compare.differences import is_one_sided
    from mediaan.studies.compare.result import area_title, row_title

    heading = None
    for row in rows:
        if row.aoi_type is None:
            yield _cells(f"  {row_title(row)}{_kind(row.metric)}", row)
        elif row.headline and (not is_one_sided(row) or row.probability is not None):
            yield _cells(f"  {_short(area_title(row))}: {row_title(row).split(': ', 1)[1]}", row)
        elif not is_one_sided(row):
            if heading != (row.aoi_type, row.aoi_label):
                heading = row.aoi_type, row.aoi_label
                yield _heading(f"  {_short(area_title(row))}")
            yield _cells(f"    {row_title(row).split(': ', 1)[1]}", row)


def _kind(metric: str) -> str:
    from mediaan.studies.compare.result import is_proxy

    return " (estimate)" if is_proxy(metric) else ""


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…"


def _cells(title: str, row: Comparison) -> tuple[str, ...]:
    from mediaan.report.formatting import format_number
    from mediaan.studies.compare.result import verdict_words

    lo, hi, difference = (format_number(value, row.unit, signed=True) for value in (row.lo, row.hi, row.difference))
    interval = "" if row.lo is None else f"{lo} to {hi}"
    values = (format_number(value, row.unit) for value in (row.value_a, row.value_b))
    chances = (_share(row.probability, 2), _share(row.p_corrected, 3))
    better = f", {row.better.upper()} is better" if row.better else ""
    return (title, *values, difference, interval, *chances, verdict_words(row) + better)


def _ranking(ranking: VariantRanking, *, groups: bool) -> list[str]:
    from mediaan.report.formatting import format_number
    from mediaan.studies.compare.result import ranking_title

    ways = {
        "higher": "higher is better",
        "lower": "lower is better",
        "middle": "neither high nor low is better; highest first",
    }
    head = f"{ranking_title(ranking)}{_kind(ranking.score_key.metric)} ({ways[ranking.direction]})"
    rows = [
        (
            str(number),
            f"{place.name} (n {place.estimate.n})" if groups else place.name,
            format_number(place.estimate.value, ranking.unit),
            ""
            if place.estimate.lo is None
            else " to ".join(format_number(end, ranking.unit) for end in (place.estimate.lo, place.estimate.hi)),
            "" if place.group is None else f"group {place.group}",
            "" if place.best is None else f"best: {_percent(place.best)}",
        )
        for number, place in enumerate(ranking.places[:_MOST_PLACES], start=1)
    ]
    more = len(ranking.places) - len(rows)
    rest = [f"  and {more} more (--out or --json)"] if more > 0 else []
    return [head, *table_lines(rows, left=(1, 4)), *rest]


def _legend(compared: CompareResult) -> list[str]:
    from mediaan.metrics.scales import ALPHA, LEAN
    from mediaan.studies.compare.result import is_proxy, odds_words

    counts = sorted({row.n_comparisons for row in compared.rows if row.n_comparisons}) or [0]
    between = " and, for the detail, " if compared.two else " to "
    many = between.join(map(str, (counts[0], counts[-1]))) if len(counts) > 1 else str(counts[0])
    family = f"{many} comparison{'' if many == '1' else 's'}" + (
        " in each ranking" if not compared.two and len(compared.rankings) > 1 else ""
    )
    first = (
        "P(A>B): probability that " + ("one more look would find A higher." if compared.versions else _TRUE)
        if compared.two
        else "Groups: the first of one is ahead of the first of the next in two of three such pairs or more; best: "
        "probability of being the best of all."
    )
    if counts == [0]:
        return []
    return [
        first,
        *([f"Proven: p below {ALPHA:g} after correction for {family} (Holm)."] if compared.two else []),
        *([f"Leans, leads: a probability of {odds_words(LEAN)} or more."] if compared.two else []),
        *([_PROXIES] if not compared.versions and any(is_proxy(row.metric) for row in compared.rows) else []),
    ]


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _share(value: float | None, digits: int) -> str:
    """Format a probability without the certainty that rounding makes up."""
    if value is None:
        return ""
    least = 10.0**-digits
    if value < least / 2:
        return f"<{least:.{digits}f}"
    return f">{1 - least:.{digits}f}" if 1 - least / 2 < value < 1 else f"{value:.{digits}f}"
