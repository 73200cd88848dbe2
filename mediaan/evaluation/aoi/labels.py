"""Read images on which people drew areas of interest, to compare with what is detected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.media import find_files
from mediaan.media.names import NameIndex
from mediaan.storage.input_file import open_table
from mediaan.types.aoi import Brand, Drawing
from mediaan.types.glossary import media_count

_IMAGE_COLUMNS = ("name", "image", "path", "file")


@dataclass(frozen=True, slots=True)
class AdFacts:
    """Facts of an ad beside its areas."""

    brand: Brand | None = None
    """Of the advertiser."""
    kind: str | None = None
    """Such as banner, poster or landing page."""


@dataclass(frozen=True, slots=True)
class LabelledImage:
    """An image and the areas that a person drew on it."""

    name: str
    """Path below the folder."""
    path: Path
    drawings: tuple[Drawing, ...]
    """Empty where the person found nothing."""
    facts: AdFacts = AdFacts()
    undecided: tuple[Drawing, ...] = ()
    """Areas that count neither way, see `mediaan.evaluation.aoi.matching.match_areas`."""


def labelled_images(
    folder: Path,
    drawings: Callable[[str], tuple[Drawing, ...] | None],
    facts: Callable[[str], AdFacts] = lambda name: AdFacts(),
    undecided: Callable[[str], tuple[Drawing, ...] | None] = lambda name: None,
) -> tuple[LabelledImage, ...]:
    """Return the labelled images of a folder, in order of their names.

    `folder`: searched recursively.
    `drawings`: from the name of an image to the areas drawn on it; None where nobody looked at it.
    `facts`: from the name of an image to facts of the ad.
    `undecided`: areas that count neither way; None is the same as none.
    Raises UsageError: no such folder, or no image in it is labelled.
    """
    files = find_files([folder]).files
    labelled = [(file, drawn) for file in files if (drawn := drawings(file.display_path)) is not None]
    if not labelled:
        raise UsageError(
            f"the labels name none of the {media_count(len(files))} in {folder}; names must agree, as in 'ad.jpg'"
        )
    return tuple(
        LabelledImage(file.display_path, file.path, drawn, facts(file.display_path), undecided(file.display_path) or ())
        for file, drawn in labelled
    )


def read_ad_facts(path: Path) -> dict[str, AdFacts]:
    """Read brand and kind of ads from a CSV.

    `path`: as `open_table` reads it, with the columns name (or image) and brand; aliases, with | between
        them, and kind may be there as well.
    Returns: by name as written there, to be found by `find_facts`.
    Raises UsageError: the file cannot be read, lacks a column, or gives aliases of a brand that it does not name.
    """
    header, rows = open_table(path, "usage").trimmed()
    columns = [name.casefold() for name in header]
    named = next((columns.index(column) for column in _IMAGE_COLUMNS if column in columns), None)
    if named is None or "brand" not in columns:
        raise UsageError(f"{path} needs the columns name and brand; it has {', '.join(header) or 'none'}")
    facts = {}
    for line, cells in rows:
        row = dict(zip(columns, cells, strict=False))
        brand, kind = row.get("brand", ""), row.get("kind", "")
        aliases = tuple(alias for part in row.get("aliases", "").split("|") if (alias := part.strip()))
        if aliases and not brand:
            raise UsageError(f"{path}, line {line}: gives aliases of {cells[named]!r} without a brand; name the brand")
        if cells[named]:
            facts[cells[named]] = AdFacts(Brand(brand, aliases) if brand else None, kind or None)
    return facts


def find_facts(name: str, facts: Mapping[str, AdFacts]) -> AdFacts:
    """Return the facts of an image by its path, as `NameIndex` finds it.

    >>> find_facts("summer/ad_1.jpg", {"ad_1": AdFacts(kind="poster")})
    AdFacts(brand=None, kind='poster')
    """
    return next((facts[key] for key in NameIndex(facts).find(name)), AdFacts())


def check_names_exist(unused: Iterable[str], folder: Path, file: str = "the labels") -> None:
    """Refuse names of images that are not in the folder.

    `unused`: names that fit no image.
    `file`: file that names them.
    Raises UsageError: naming the first of them.
    """
    missing = sorted(unused)
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise UsageError(f"{folder} holds no {', '.join(map(repr, missing[:3]))}{more}, named by {file}")
