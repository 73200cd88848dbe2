"""Write what a study found to a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mediaan.maps import encode_image
from mediaan.run.files import check_own_folder, make_folder, write_atomic
from mediaan.types.arrays import UInt8

PAGE = "index.html"


def write_study(
    folder: Path, facts_file: str, facts: Mapping[str, Any], page: str, pictures: Mapping[str, UInt8] | None = None
) -> Path:
    """Write a page, facts as JSON, and pictures as PNG; return the page, which needs no network.

    `folder`: made if absent; files of an earlier study of the kind are replaced.
    `facts_file`: name of the file of facts, by which folders of the kind are known.
    `page`: HTML that holds its pictures.
    `pictures`: mapping of name to (H, W, 3) uint8.
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
