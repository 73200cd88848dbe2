"""Write an ad in a page to a folder: pictures, numbers, a table, and one HTML page."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from mediaan import __version__
from mediaan.report.web.environment import page_environment, picture_uri, sources
from mediaan.run.tables.writing import write_table
from mediaan.studies.context.result import ContextResult
from mediaan.studies.context.specs import CONTEXT_METRICS
from mediaan.studies.folder import write_study

FACTS_FILE, TABLE_FILE = "context.json", "context.parquet"

_STYLES = ("core/page.css", "studies/context.css")
_NARROW, _WIDE = 165, 420
"""Least width of figures on the page, px: of upright pictures, and of others."""


def render_context(result: ContextResult) -> str:
    """Render the page, a complete HTML document that needs no network and no other file.

    `result`: with its pictures.
    """
    environment = page_environment()
    specs = [spec for spec in CONTEXT_METRICS if any(spec.name in position for position in result.positions)]
    setting = f"looked at for {result.exposure_s:g} s"
    if result.draws > 1:
        setting = f"{result.draws} other pictures (seed {result.seed}), {setting}"
    return environment.get_template("studies/context.html.j2").render(
        result=result,
        setting=setting[0].upper() + setting[1:],
        pictures=_figures(result),
        columns=specs,
        rows=[(position.name, [position.get(spec.name) for spec in specs]) for position in result.positions],
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _figures(result: ContextResult) -> list[tuple[int, list[tuple[str, str]]]]:
    """Group pictures by their shape: least width and figures, each with its caption and data."""
    figures = [(picture.shape[0] > picture.shape[1], name, picture) for name, picture in result.pictures.items()]
    return [
        (_NARROW if upright else _WIDE, [(_caption(name, result), picture_uri(picture)) for _, name, picture in group])
        for upright, group in groupby(figures, key=lambda figure: figure[0])
    ]


def _caption(name: str, result: ContextResult) -> str:
    place = name.removesuffix("_heat")
    caption = "Page before" if place == "page_before" else result.positions[int(place.removeprefix("place_")) - 1].name
    return f"{caption}: attention" if name.endswith("_heat") else caption


def write_folder(result: ContextResult, folder: Path) -> Path:
    """Write the composed pictures, ``context.parquet``, ``context.json`` and ``index.html`` (see `write_study`)."""
    page = write_study(folder, FACTS_FILE, result.to_dict(), render_context(result), result.pictures)
    write_table(folder / TABLE_FILE, "context", result.rows())
    return page
