"""The browser of this machine that prints pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from mediaan.errors import SetupError

VARIABLE = "MEDIAAN_BROWSER"

_NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "microsoft-edge-stable", "msedge", "brave-browser"),
)
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "{PROGRAMFILES}/Google/Chrome/Application/chrome.exe",
    "{PROGRAMFILES(X86)}/Microsoft/Edge/Application/msedge.exe",
    "{PROGRAMFILES}/Microsoft/Edge/Application/msedge.exe",
    "{LOCALAPPDATA}/Google/Chrome/Application/chrome.exe",
)
"""Where installers put them on systems that do not put them on the search path."""


def find_browser(given: str | Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """An installed Chromium, Chrome or Edge.

    Parameters
    ----------
    given : path, optional
        Its program, or its name; else ``MEDIAAN_BROWSER`` says it; else it is looked for.
    environment : mapping of str to str

    Raises
    ------
    SetupError
        There is none (code no_browser), or not the one that was named.
    """
    named = given or environment.get(VARIABLE)
    for name in (str(named),) if named else _NAMES:
        if found := shutil.which(name, path=environment.get("PATH")):
            return Path(found)
    if named:
        whence = "--browser" if given else VARIABLE
        raise SetupError(f"{whence} {named}: no such program; name a Chromium, Chrome or Edge", code="no_browser")
    for place in _PLACES:
        path = Path(_filled(place, environment))
        if path.is_file():
            return path
    raise SetupError(
        "A PDF is printed by Chromium, Chrome or Edge, and none was found; install one (Debian and Ubuntu: "
        f"apt install chromium), or name its program with --browser or {VARIABLE}. Any browser can also print the "
        "report itself.",
        code="no_browser",
    )


def _filled(place: str, environment: Mapping[str, str]) -> str:
    for name in ("PROGRAMFILES(X86)", "PROGRAMFILES", "LOCALAPPDATA"):
        place = place.replace(f"{{{name}}}", environment.get(name, ""))
    return place
