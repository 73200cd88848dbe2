"""Read brand kits: folders of plain files that hold what a brand is called and what its logos and packs look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.config.objectives.objective import MOST_PICTURES, BrandNames, BrandSettings, logo_files
from mediaan.config.validation import format_problems, read_document, validation_problems
from mediaan.errors import UsageError

KIT_FILE = "brand.yaml"
PICTURE_FOLDERS = ("logos", "packs")
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif"})
_MOST_KITS = 200


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Address: TypeAlias = Annotated[str, Field(min_length=3, max_length=100, pattern=r"[.@]\w")]
Colour: TypeAlias = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


class KitSettings(BrandNames):
    """Contents of ``brand.yaml``; the other spellings are `BrandNames.aliases`."""

    addresses: Annotated[tuple[Address, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=50, description='a list of web domains and handles, such as [acme.com, "@acme"]'
    )
    """Web domains and handles. A text with one names the brand, but is no mark of it."""
    colours: Annotated[tuple[Colour, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=20, description='a list of colours, such as ["#c8102e"]; the quotes are needed'
    )
    """Of the brand, for people: logos are found in any colour."""


@dataclass(frozen=True, slots=True)
class BrandKit:
    """A folder that holds what is known of a brand."""

    folder: Path
    settings: KitSettings
    logos: tuple[Path, ...]
    """Images of its logos, by name."""
    packs: tuple[Path, ...]
    """Images of its packs, by name."""

    @property
    def name(self) -> str:
        """The brand's name."""
        return self.settings.name

    def is_of(self, name: str) -> bool:
        """Tell whether a name is the brand's or one of its aliases; case, accents and blanks do not count."""
        return normalize_name(name) in map(normalize_name, (self.name, *self.settings.aliases))

    def merged_with(self, brand: BrandSettings | None = None) -> BrandSettings:
        """Return the brand as objectives hold it, with what they say of it themselves.

        Raises UsageError: it is another brand.
        """
        names, kit_files = self.settings, [tuple(map(str, files)) for files in (self.logos, self.packs)]
        stated = brand or BrandSettings(name=self.name)
        if not self.is_of(stated.name):
            raise UsageError(
                f"the brand is {stated.name!r}, but the kit {self.folder} is of {self.name!r}; leave one of them out, "
                f"or add {stated.name!r} to the aliases of the kit",
                code="kit_of_another_brand",
            )
        spellings = {name.casefold(): name for name in (*stated.aliases[::-1], stated.name, *names.aliases[::-1])}
        spellings.pop(self.name.casefold(), None)
        aliases = tuple(spellings.values())[::-1]
        logos, packs = (
            tuple(dict.fromkeys((*files, *more)))
            for files, more in zip(kit_files, (stated.logos, stated.packs), strict=True)
        )
        addresses = tuple(dict.fromkeys((*names.addresses, *stated.addresses)))
        return BrandSettings(name=self.name, aliases=aliases, addresses=addresses, logos=logos, packs=packs)


def load_kit(folder: Path) -> BrandKit:
    """Read a brand kit.

    `folder`: with ``brand.yaml``, and where there are any ``logos/*.png`` and ``packs/*.jpg``.
    Raises UsageError: naming the file, its lines and what must change.
    """
    file = folder / KIT_FILE
    if not file.is_file():
        raise UsageError(
            f"{folder}: is no brand kit, as it has no {KIT_FILE}; make one with `mediaan brand new {folder} --name "
            "NAME`",
            code="kit_missing",
        )
    document = read_document(file)
    try:
        settings = KitSettings.model_validate(document.content)
    except ValidationError as error:
        document.problems += validation_problems(error, KitSettings)
    if document.problems:
        raise UsageError(format_problems(str(file), document, document.problems), code="config_invalid")
    logos, packs = (kit_pictures(folder, name) for name in PICTURE_FOLDERS)
    return BrandKit(folder.resolve(), settings, logos, packs)


def kit_pictures(folder: Path, name: str) -> tuple[Path, ...]:
    """List the pictures in a folder of a kit, by name; empty where there is no such folder.

    Raises UsageError: one is a link out of the kit, no image, or too large; or there are too many.
    """
    root, place = folder.resolve(), folder / name
    if not place.is_dir():
        return ()
    if not place.resolve().is_relative_to(root):
        raise UsageError(f"{place}: leads out of the kit; put a folder in its place", code="kit_link")
    files = sorted(file for file in place.iterdir() if file.suffix.lower() in _PICTURES and file.name[0] != ".")
    for file in files:
        if not file.resolve().is_relative_to(root):
            raise UsageError(f"{file}: is a link out of the kit; put the picture itself there", code="kit_link")
    if not files:
        return ()
    pattern = "*"
    try:
        for file in files:
            logo_files(str(file.resolve()), root)
    except UsageError as error:
        raise UsageError(f"{place / pattern}: {error.message}", code=error.code) from error
    if len(files) > MOST_PICTURES:
        raise UsageError(f"{place}: holds {len(files)} pictures; keep {MOST_PICTURES} at most", code="logo_too_many")
    return tuple(file.resolve() for file in files)


def load_kits(folder: Path) -> tuple[BrandKit, ...]:
    """Read a brand kit, or all kits in the folders of a folder, by name.

    Raises UsageError: a kit is wrong, there is none, or two are of one brand.
    """
    if (folder / KIT_FILE).is_file():
        return (load_kit(folder),)
    places = sorted(file.parent for file in folder.glob(f"*/{KIT_FILE}")) if folder.is_dir() else []
    if not places:
        load_kit(folder)  # which says what is missing
    if len(places) > _MOST_KITS:
        raise UsageError(f"{folder}: holds {len(places)} brand kits; {_MOST_KITS} are read at most", code="kit_many")
    kits = tuple(load_kit(place) for place in places)
    for i, kit in enumerate(kits):
        for other in kits[:i]:
            if kit.is_of(other.name) or other.is_of(kit.name):
                raise UsageError(
                    f"{folder}: {other.folder.name} and {kit.folder.name} are both kits of {kit.name!r}; keep one",
                    code="kit_twice",
                )
    return kits


def describe_by_kits(brand: BrandSettings | None, kits: Sequence[BrandKit]) -> BrandSettings | None:
    """Return a brand as the kit of its name describes it, if there is one; a single kit is of whatever names none."""
    if brand is None:
        return kits[0].merged_with() if len(kits) == 1 else None
    kit = next((kit for kit in kits if kit.is_of(brand.name)), None)
    return kit.merged_with(brand) if kit else brand
