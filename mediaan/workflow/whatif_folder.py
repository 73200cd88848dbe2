"""What an edit leaves on disk: pictures, numbers, and a page that shows both."""

from __future__ import annotations

import json
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.maps import encode_picture
from mediaan.report.whatif import render_whatif
from mediaan.run.files import make_folder, write_whole
from mediaan.types.change import WhatIf

FACTS_FILE, PAGE = "whatif.json", "index.html"


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds something else than an earlier edit.

    Raises
    ------
    UsageError
    """
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / FACTS_FILE).is_file())):
        raise UsageError(f"--out {folder}: holds other things; name a new or empty folder", code="bad_out")


def write_folder(result: WhatIf, folder: Path) -> Path:
    """Write ``before.png``, ``after.png``, both heatmaps, the difference, ``whatif.json`` and ``index.html``.

    Parameters
    ----------
    result : WhatIf
    folder : Path
        Made if absent; files of an earlier edit are replaced.

    Returns
    -------
    Path
        The page, which holds its pictures and needs no network.

    Raises
    ------
    UsageError
        The folder holds something else, or cannot be made.
    SetupError
        It cannot be written to.
    """
    check_folder(folder)
    make_folder(folder)
    write_whole(folder / FACTS_FILE, (json.dumps(result.to_dict(), indent=2) + "\n").encode())
    for name, picture in result.pictures.items():
        write_whole(folder / f"{name}.png", encode_picture(picture, "png"))
    write_whole(folder / PAGE, render_whatif(result).encode())
    return folder / PAGE
