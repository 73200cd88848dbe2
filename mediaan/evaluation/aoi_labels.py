"""Pictures on which people drew areas of interest, to compare with what is found."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.media import find_files
from mediaan.types.aoi import Brand, Drawing
from mediaan.types.counts import media_count

_IMAGE_COLUMNS = ("name", "image", "path", "file")


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """A picture and what a person drew on it.

    Attributes
    ----------
    name : str
        Its path below the folder.
    path : Path
    drawings : tuple of Drawing
        Empty where the person found nothing.
    brand : Brand or None
        Whose advertisement it is, where that is known.
    """

    name: str
    path: Path
    drawings: tuple[Drawing, ...]
    brand: Brand | None = None


def labelled_pictures(
    folder: Path,
    drawings: Callable[[str], tuple[Drawing, ...] | None],
    brands: Callable[[str], Brand | None] = lambda name: None,
) -> tuple[LabelledPicture, ...]:
    """Pictures of a folder that somebody judged, in order of their names.

    Parameters
    ----------
    folder : Path
        Searched recursively.
    drawings : callable
        What was drawn on a picture by its name; None where nobody looked at it.
    brands : callable
        Whose advertisement it is; None where that is not known.

    Raises
    ------
    UsageError
        No such folder, or no picture in it was judged.
    """
    files = find_files([folder]).files
    judged = [(file, drawn) for file in files if (drawn := drawings(file.shown)) is not None]
    if not judged:
        raise UsageError(
            f"the labels name none of the {media_count(len(files))} in {folder}; names must agree, as in 'ad.jpg'"
        )
    return tuple(LabelledPicture(file.shown, file.path, drawn, brands(file.shown)) for file, drawn in judged)


def read_brands(path: Path) -> dict[str, Brand]:
    """Whose advertisement each picture is, from a CSV with the columns name (or image) and brand.

    Returns
    -------
    dict of str to Brand
        By name as it is written there, with or without extension; rows without a brand are left out.

    Raises
    ------
    UsageError
        The file cannot be read, or lacks a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as a CSV of brands: {error}") from error
    rows = csv.DictReader(text.splitlines())
    columns = rows.fieldnames or ()
    named = next((column for column in _IMAGE_COLUMNS if column in columns), None)
    if named is None or "brand" not in columns:
        raise UsageError(f"{path} needs the columns name and brand; it has {', '.join(columns) or 'none'}")
    return {row[named]: Brand(row["brand"].strip()) for row in rows if row[named] and (row["brand"] or "").strip()}


def brand_of(name: str, brands: dict[str, Brand]) -> Brand | None:
    """The brand of a picture by its path, its file name, or that without extension.

    Examples
    --------
    >>> brand_of("summer/ad_1.jpg", {"ad_1": Brand("Acme")})
    Brand(name='Acme', aliases=(), logos=())
    """
    file = name.rsplit("/", 1)[-1]
    return next((brands[key] for key in (name, file, Path(file).stem) if key in brands), None)


def check_all_there(unused: Iterable[str], folder: Path) -> None:
    """Refuse labels of pictures that are not in the folder: they would be scored on other pictures than was asked for.

    Raises
    ------
    UsageError
        Naming the first of them.
    """
    missing = sorted(unused)
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise UsageError(f"{folder} holds no {', '.join(map(repr, missing[:3]))}{more}, which the labels name")
