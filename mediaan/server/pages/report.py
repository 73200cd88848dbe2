"""The report of a medium and its pictures, from the run directory that holds the medium's results now."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from mediaan.server.api.operations import PREFIX
from mediaan.server.files import TYPES
from mediaan.server.pages.listing import COLLECTIONS
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.media import StoredMedium

CONTENT_TYPES: Mapping[str, str] = MappingProxyType(
    {suffix: kind for suffix, kind in TYPES.items() if kind.startswith(("image/", "video/"))}
)
"""What reports show; nothing else of a run is handed out here."""

_PART = re.compile(r"[^./\\\0][^/\\\0]*")
_NO_NETWORK = "default-src 'none';"


def report_page(folder: DataFolder, medium: StoredMedium, company: str, root: str) -> str | None:
    """Text of a medium's report, told where it is served and where areas are saved; None: there is none.

    On disk a report may fetch nothing. Here its scripts, which are still known by their hash alone, may speak to this
    server.
    """
    if medium.run is None:
        return None
    try:
        page = (folder.run(medium.media_id, medium.run) / "report" / "index.html").read_text("utf-8")
    except OSError:
        return None
    api = root + PREFIX
    told = {
        "company": company,
        "areas": f"{api}/{COLLECTIONS[medium.kind]}/{medium.media_id}/aois",
        "medium": f"{api}/media/{medium.media_id}",
        "home": f"{root}/",
    }
    head, body = page.partition("<title>")[::2]
    head = head.replace(_NO_NETWORK, f"{_NO_NETWORK} connect-src 'self';", 1)
    return f'{head}<meta name="mediaan-served" content="{escape(json.dumps(told))}">\n<title>{body}'


def run_file(folder: DataFolder, medium: StoredMedium, run: str, path: str) -> Path | None:
    """A picture or film of a run, by its path from the run's folder.

    Returns
    -------
    Path or None
        None where there is no such file, where it is no picture or film, or where the path leads elsewhere, also by
        a symbolic link.
    """
    parts = path.split("/")
    if Path(path).suffix.lower() not in CONTENT_TYPES or not all(_PART.fullmatch(part) for part in parts):
        return None
    root = folder.run(medium.media_id, run).resolve()
    try:
        file = root.joinpath(*parts).resolve(strict=True)
    except (OSError, ValueError):  # it is not there, or no file can have such a name
        return None
    return file if file.is_relative_to(root) and file.is_file() else None
