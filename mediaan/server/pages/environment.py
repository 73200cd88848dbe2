"""Templates, style and scripts of the pages; the looks are the report's own."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from mediaan.server.pages.listing import PROXIES, SCORES, STATES, TYPES

_REPORT_STYLES = ("core/page.css", "overview/overview.css")
_STYLES = ("library.css", "uploads.css", "dialogs.css", "library_print.css")
SCRIPTS = ("page.js", "api.js", "library.js", "actions.js", "objectives.js", "queue.js", "transfer.js", "theme.js")
STYLE = "page.css"


@cache
def environment() -> Environment:
    """Templates, escaped, in which nothing may be undefined."""
    # by path, not as packages: to import mediaan.report is to load arrays and decoders
    own, report = PackageLoader("mediaan.server.pages"), PackageLoader("mediaan", "report/web/views")
    made = Environment(
        loader=ChoiceLoader([own, report]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["assets"] = f"assets/{version()}"
    made.filters.update(mebibytes=mebibytes, file_size=file_size)
    made.globals.update(scores=SCORES, proxies=PROXIES, states=STATES, types=TYPES)
    return made


def mebibytes(size: int) -> str:
    """A limit as people say it.

    Examples
    --------
    >>> mebibytes(64 << 20), mebibytes(2 << 30), mebibytes(100 << 10)
    ('64 MiB', '2 GiB', '0.1 MiB')
    """
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{round(size / 2**20, 1):g} MiB"


def file_size(size: int) -> str:
    """Size of a file as file managers say it.

    Examples
    --------
    >>> file_size(443), file_size(75_400), file_size(2_310_000), file_size(1_500_000_000)
    ('1 kB', '75 kB', '2.3 MB', '1.5 GB')
    """
    if size < 1e6:
        return f"{max(1, round(size / 1e3))} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


@cache
def assets() -> dict[str, str]:
    """Text of the style sheet and of the scripts, by name."""
    package = files("mediaan")
    styles = [package / "report" / "web" / "views" / name for name in _REPORT_STYLES]
    styles += [package / "server" / "pages" / "assets" / name for name in _STYLES]
    found = {STYLE: "\n".join(file.read_text("utf-8") for file in styles)}
    return found | {name: (package / "server" / "pages" / "assets" / name).read_text("utf-8") for name in SCRIPTS}


@cache
def version() -> str:
    """Changes whenever an asset does, so that browsers may keep them for ever."""
    return hashlib.sha256(json.dumps(assets()).encode()).hexdigest()[:12]
