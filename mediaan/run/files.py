"""Files of one medium in a run: its rendered maps and, when asked, its densities."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np

from mediaan.maps.encode import encode_picture
from mediaan.types.maps import WINDOWS
from mediaan.types.result import Result

_READABLE = 40  # characters of a file's own name that its folder keeps


@dataclass(frozen=True, slots=True)
class MapWriter:
    """Writes the pictures of results below a run directory.

    Parameters
    ----------
    run_dir : Path
    densities : bool
        Whether to write ``density.npz`` too.
    quality : int
        Of the JPEGs, 1-100.
    """

    run_dir: Path
    densities: bool = False
    quality: int = 85

    def __call__(self, result: Result) -> dict[str, str]:
        """Write, and return each file's path relative to the run directory by name of the map."""
        folder = Path("maps") / folder_name(result.medium.name, result.medium.medium_id)
        written: dict[str, str] = {}
        if result.pictures or self.densities:
            (self.run_dir / folder).mkdir(parents=True, exist_ok=True)
        for name, picture in result.pictures.items():
            relative = folder / f"{name}.jpg"
            write_whole(self.run_dir / relative, encode_picture(picture, quality=self.quality))
            written[name] = relative.as_posix()
        if self.densities:
            relative = folder / "density.npz"
            self._write_densities(self.run_dir / relative, result)
            written["density"] = relative.as_posix()
        return written

    def _write_densities(self, path: Path, result: Result) -> None:
        maps = {w: result.densities.maps[w] for w in WINDOWS if w in result.densities.maps}
        partial = path.with_name(f".{path.name}.{os.getpid()}.part")
        with partial.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **maps)
        partial.replace(path)


def folder_name(name: str, medium_id: UUID) -> str:
    """A folder that people recognise and that no other medium has.

    Examples
    --------
    >>> folder_name("Spring sale (final).png", UUID("4f2a91c0-0000-8000-8000-000000000000"))
    'Spring-sale-final-4f2a91c000008000'
    """
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", Path(name).stem).strip("-")[:_READABLE].strip("-")
    return f"{stem or 'medium'}-{medium_id.hex[:16]}"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    partial.write_bytes(data)
    partial.replace(path)
