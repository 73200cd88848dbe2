"""Find the browser that the machine has."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from mediaan.errors import SetupError

BROWSER_VARIABLE = "MEDIAAN_BROWSER"

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


def find_browser(
    program: str | Path | None = None, environment: Mapping[str, str] = os.environ, *, work: str = "a PDF is printed"
) -> Path:
    """Find an installed Chromium, Chrome or Edge.

    `program`: its program, or its name; else ``MEDIAAN_BROWSER`` says it; else it is looked for.
    `work`: what it is for, in words.
    Raises SetupError: there is none (code no_browser), or not the one that was named.
    """
    named = program or environment.get(BROWSER_VARIABLE)
    for name in (str(named),) if named else _NAMES:
        if path := shutil.which(name, path=environment.get("PATH")):
            return Path(path)
    if named:
        source_name = "--browser" if program else BROWSER_VARIABLE
        raise SetupError(f"{source_name} {named}: no such program; name a Chromium, Chrome or Edge", code="no_browser")
    for place in _PLACES:
        for name in ("PROGRAMFILES(X86)", "PROGRAMFILES", "LOCALAPPDATA"):
            place = place.replace(f"{{{name}}}", environment.get(name, ""))
        if Path(place).is_file():
            return Path(place)
    raise SetupError(
        f"{work[:1].upper()}{work[1:]} by Chromium, Chrome or Edge, and none was found; install one (Debian and "
        f"Ubuntu: apt install chromium), or name its program with {BROWSER_VARIABLE}",
        code="no_browser",
    )
