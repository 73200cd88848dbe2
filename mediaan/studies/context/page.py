"""Write an ad in its context to a folder: pictures, numbers, a table, and one HTML page."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from mediaan import __version__
from mediaan.report.formatting import digits
from mediaan.report.web.environment import page_environment, picture_uri, sources
from mediaan.run.tables.writing import write_table
from mediaan.studies.context.result import ContextPosition, ContextResult, ContextScore
from mediaan.studies.context.specs import CONTEXT_METRICS
from mediaan.studies.folder import write_study

FACTS_FILE, TABLE_FILE = "context.json", "context.parquet"

_STYLES = ("core/page.css", "studies/context.css")
_WHERE = {"page": "in a page", "feed": "in a feed", "shelf": "on a shelf"}
_CAPTIONS = {"page_before": "Page before", "shelf": "Shelf"}
_NARROW, _WIDE = 165, 420
"""Least width of figures on the page, px: of upright pictures, and of others."""

Row = tuple[str, bool, list[ContextScore | None]]


def render_context(result: ContextResult) -> str:
    """Render the page.

    Parameters
    ----------
    result : ContextResult
        With its pictures.

    Returns
    -------
    str
        A complete HTML document that needs no network and no other file.
    """
    environment = page_environment()
    specs = [spec for spec in CONTEXT_METRICS if any(spec.name in one for one in result.positions)]
    return environment.get_template("studies/context.html.j2").render(
        result=result,
        where=_WHERE[result.kind],
        setting=_setting(result),
        pictures=_figures(result),
        columns=specs,
        groups=_groups(result, [spec.name for spec in specs]),
        shelf=_shelf_map(result),
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _setting(result: ContextResult) -> str:
    """Say what was composed."""
    looked = f"looked at for {result.exposure_s:g} s"
    if result.others and result.draws > 1:
        what = "packs" if result.kind == "shelf" else "pictures"
        return f"{result.others} other {what}, {result.draws} draws (seed {result.seed}), {looked}"
    return f"{result.others} other packs, {looked}" if result.others else looked.capitalize()


def _figures(result: ContextResult) -> list[tuple[int, list[tuple[str, str]]]]:
    """Group pictures by their shape: least width and figures, each with its caption and data."""
    shown = [(name, picture, picture.shape[0] > picture.shape[1]) for name, picture in result.pictures.items()]
    return [
        (_NARROW if upright else _WIDE, [(_caption(name, result), picture_uri(picture)) for name, picture, _ in group])
        for upright, group in groupby(shown, key=lambda one: one[2])
    ]


def _caption(name: str, result: ContextResult) -> str:
    heat = name.endswith("_heat")
    name = name.removesuffix("_heat")
    if name.startswith("place_"):
        shown = result.own()[int(name.removeprefix("place_")) - 1].name
    else:
        shown = _CAPTIONS.get(name) or name.replace("_", ", ", 1).replace("_", " ").capitalize()
    return f"{shown}: attention" if heat else shown


def _shelf_map(result: ContextResult) -> list[list[tuple[str, str, int]]]:
    """Return, for shelves filled by lot, each place with its attention, its ratio to others, and its shade, %."""
    if result.kind != "shelf" or result.overall() is None:
        return []
    rows: dict[str, list[tuple[str, str, int]]] = {}
    most = max(one["attention"].value or 0.0 for one in result.own())
    for one in result.own():
        share, ratio = one["attention"].value or 0.0, one["ratio_to_others"].value
        shade = round(60 * share / most) if most else 0
        cell = f"{digits(share, 1)} %", "–" if ratio is None else f"{digits(ratio, 2)} times", shade
        rows.setdefault(one.name.partition(",")[0], []).append(cell)
    return list(rows.values())


def _groups(result: ContextResult, names: list[str]) -> list[tuple[str, list[Row]]]:
    """Group rows of the table by view, or by pack where there are several."""

    def title(one: ContextPosition) -> str:
        if one.view:
            return one.view.capitalize()
        return "" if one.item == result.path else "Other packs"

    def row(one: ContextPosition) -> Row:
        name = one.name if one.item == result.path else f"{one.item} ({one.name})"
        return name, one.box is None, [one.get(metric) for metric in names]

    return [(heading, [row(one) for one in group]) for heading, group in groupby(result.positions, key=title)]


def write_folder(result: ContextResult, folder: Path) -> Path:
    """Write the composed pictures, ``context.parquet``, ``context.json`` and ``index.html`` (see `write_study`)."""
    page = write_study(folder, FACTS_FILE, result.to_dict(), render_context(result), result.pictures)
    write_table(folder / TABLE_FILE, "context", result.rows())
    return page
