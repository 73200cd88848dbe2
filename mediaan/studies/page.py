"""Render what a study found as one HTML page that opens from disk, and write it to a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mediaan import __version__
from mediaan.maps import encode_image
from mediaan.report.web.environment import page_environment, sources
from mediaan.run.files import check_own_folder, make_folder, write_atomic
from mediaan.types.arrays import UInt8

PAGE = "index.html"

Filters = Mapping[str, Callable[..., Any]]
"""Filters of a template by name."""


def render_study(
    name: str, filters: Filters | None = None, *, styles: tuple[str, ...] = (), rules: str = "", **content: Any
) -> str:
    """Render the page of a study: a complete HTML document that needs no network and no other file.

    `name`: of its template and of its style sheet.
    `filters`: of the template, beside those of all pages.
    `styles`, `rules`: style sheets, and rules, below its own.
    """
    environment = page_environment()
    environment.filters |= filters or {}
    style = rules + sources(environment, ("core/page.css", *styles, f"studies/{name}.css"))
    template = environment.get_template(f"studies/{name}.html.j2")
    return template.render(content, version=__version__, style=Markup(style))


def write_study(
    folder: Path, facts_file: str, facts: Mapping[str, Any], page: str, pictures: Mapping[str, UInt8] | None = None
) -> Path:
    """Write a page, facts as JSON, and pictures as PNG; return the page.

    `folder`: made if absent; files of an earlier study of the kind are replaced.
    `facts_file`: name of the file of facts, by which folders of the kind are known.
    Raises UsageError: the folder holds something else, or cannot be made.
    Raises SetupError: it cannot be written to.
    """
    check_own_folder(folder, facts_file)
    make_folder(folder)
    write_atomic(folder / facts_file, (json.dumps(facts, indent=2) + "\n").encode())
    for name, picture in (pictures or {}).items():
        write_atomic(folder / f"{name}.png", encode_image(picture, "png"))
    write_atomic(folder / PAGE, page.encode())
    return folder / PAGE
