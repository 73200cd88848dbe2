"""Brand kits of the server: folders on its disk that objectives name by the names of these folders."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mediaan.config.brand import KIT_FILE, BrandSettings, load_kit
from mediaan.errors import UsageError, did_you_mean, shorten


def kit_names(folder: Path | None) -> tuple[str, ...]:
    """List the kits in a folder by name, as they are there now."""
    if folder is None:
        return ()
    return tuple(sorted(file.parent.name for file in folder.glob(f"*/{KIT_FILE}")))


def kit_folder(folder: Path | None, name: str) -> Path:
    """Return the folder of a kit.

    Raises UsageError: ``unknown_kit``: there is none; those that there are are named.
    """
    names = kit_names(folder)
    if folder is None or name not in names:
        there = f"there are {', '.join(names)}" if names else "this server has none"
        near = did_you_mean(name, names) or f"; {there}"
        raise UsageError(f"brand_kit: no brand kit is called {shorten(name)!r}{near}", code="unknown_kit")
    return folder / name


def check_kit(folder: Path | None, objectives: Mapping[str, Any]) -> None:
    """Refuse objectives that name a kit which is not there, cannot be read, or is of another brand than they name.

    Raises UsageError: without the place of the folder, which clients should not learn.
    """
    if (name := objectives.get("brand_kit")) is None:
        return
    place, brand = kit_folder(folder, name), objectives.get("brand")
    try:
        load_kit(place).merged_with(BrandSettings.model_validate(brand) if brand else None)
    except UsageError as error:
        assert folder is not None
        raise UsageError(f"brand_kit: {without_place(error.message, folder)}", code=error.code) from error


def without_place(message: str, folder: Path) -> str:
    """Remove the path of the folder of kits from a sentence."""
    for path in (folder.resolve(), folder.absolute(), folder):
        message = message.replace(f"{path}{os.sep}", "")
    return message
