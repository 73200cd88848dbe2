"""What an edit leaves on disk: pictures, numbers, and a page that shows both."""

from __future__ import annotations

import json
from pathlib import Path

from mediaan.maps import encode_picture
from mediaan.report.whatif import render_whatif
from mediaan.run.files import check_own_folder, make_folder, write_whole
from mediaan.types.change import WhatIf

FACTS_FILE, PAGE = "whatif.json", "index.html"


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
    check_own_folder(folder, FACTS_FILE)
    make_folder(folder)
    write_whole(folder / FACTS_FILE, (json.dumps(result.to_dict(), indent=2) + "\n").encode())
    for name, picture in result.pictures.items():
        write_whole(folder / f"{name}.png", encode_picture(picture, "png"))
    write_whole(folder / PAGE, render_whatif(result).encode())
    return folder / PAGE
