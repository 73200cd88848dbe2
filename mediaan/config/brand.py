"""Validate brands, as objectives name them, and read brand kits: folders with what a brand is called and looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from PIL import Image
from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.config.validation import StrictModel, describe_error, describe_value, read_document, validate_document
from mediaan.errors import UsageError
from mediaan.types.aoi import Brand

LOGO_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
MOST_PICTURES = 20
"""Of logos, and of packs. More make every image slow; a brand has few marks, each in a light and a dark version."""

_MAX_MEGAPIXELS = 50.0

Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"\w")]
LogoPath = Annotated[str, Field(min_length=1, max_length=1000)]


def _listed(value: Any) -> Any:
    """Convert one text alone, or a list, to a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


class BrandNames(StrictModel):
    """Names of a brand."""

    name: Name = Field(description="the brand's name, such as Acme")
    aliases: Annotated[tuple[Name, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=50, description="a list of other spellings, such as [Acme Foods, ACME Inc]"
    )
    """Other spellings, slogans and product names that count as the brand."""

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class BrandSettings(BrandNames):
    """Brand to look for: its names and what its logo and packs look like."""

    addresses: Annotated[tuple[Name, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=50, description='a list of web domains and handles, such as [acme.com, "@acme"]'
    )
    """A text with one names the brand, but is no mark of it."""
    logos: Annotated[tuple[LogoPath, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=MOST_PICTURES, description='a list of images, such as [logo.png, "logos/*.png"]'
    )
    """Images of its logo, as they were written: paths or patterns, relative to the file they stand in."""
    packs: Annotated[tuple[LogoPath, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=MOST_PICTURES, description='a list of images, such as [pack.jpg, "packs/*.png"]'
    )
    """Images of its packs, likewise."""

    @model_serializer(mode="wrap")
    def _brief(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what few brands have and runs of earlier versions do not know."""
        content: dict[str, Any] = write(self)
        return {name: value for name, value in content.items() if value or name not in ("addresses", "packs")}

    @property
    def is_described(self) -> bool:
        """True if more is said of it than its name."""
        return bool(self.aliases or self.addresses or self.logos or self.packs)

    def located(self, folder: Path) -> Brand:
        """Return the brand with the images of its logos and packs located.

        `folder`: of the file in which the settings stand; relative paths start there.
        Raises UsageError: if a path or pattern leads to no file or to something that is no image.
        """
        logos, packs = (
            tuple(dict.fromkeys(file for written in images for file in logo_files(written, folder)))
            for images in (self.logos, self.packs)
        )
        return Brand(self.name, self.aliases, logos, packs, self.addresses)


def read_brand(brand: str | Brand | Mapping[str, Any]) -> Brand:
    """Return the brand that a program names.

    `brand`: a name, or a mapping with ``name`` and, if wanted, ``aliases`` and ``logos``; logos are found from the
        current folder.
    Raises UsageError: it is none of these, or a logo is no image.

    >>> read_brand({"name": "Acme", "aliases": ["Acme Foods"]}).spellings
    ('Acme', 'Acme Foods')
    """
    if isinstance(brand, Brand):
        return brand
    example = '{"name": "Acme", "aliases": ["Acme Foods"], "logos": ["logo.png"]}'
    content: Any = {"name": brand} if isinstance(brand, str) else brand
    if not isinstance(content, Mapping):
        what = f"brand: found {describe_value(content)}; write a name, such as 'Acme', or {example}"
        raise UsageError(what, code="config_invalid")
    content = dict(content)
    if "logos" in content:
        logos = content["logos"]
        listed = logos if isinstance(logos, (list, tuple)) else [logos]
        content["logos"] = [str(logo) if isinstance(logo, Path) else logo for logo in listed]
    try:
        return BrandSettings.model_validate(content).located(Path())
    except ValidationError as error:
        what = f"brand: {describe_error(error, BrandSettings)} (example: {example})"
        raise UsageError(what, code="config_invalid") from error


def logo_files(written: str, folder: Path) -> tuple[Path, ...]:
    """Return the image files that a path or pattern stands for.

    `written`: a path, or a pattern with ``*``, ``?`` and ``**``; a file of exactly that name goes first.
    `folder`: where relative paths start.
    Raises UsageError: saying what is wrong with it and what to write.
    """
    path = folder / Path(written).expanduser()
    files: tuple[Path, ...] = ()
    if path.is_file():
        files = (path,)
    elif has_magic(written) and not Path(written).is_absolute():
        files = tuple(sorted(file for file in folder.glob(written) if file.is_file()))
    if not files:
        raise UsageError(f"{written!r} matches no file in {folder}; write the path of an image", code="logo_missing")
    if len(files) > MOST_PICTURES:
        raise UsageError(f"{written!r} fits {len(files)} files; name {MOST_PICTURES} at most", code="logo_too_many")
    for file in files:
        try:
            with Image.open(file, formats=LOGO_FORMATS) as picture:
                width, height = picture.size
        except (OSError, Image.DecompressionBombError) as error:
            what = "is not an image that can be read" if isinstance(error, OSError) else "is too large"
            raise UsageError(f"{file.name!r} {what}; save the logo as PNG", code="logo_unreadable") from error
        if width * height > _MAX_MEGAPIXELS * 1e6:
            raise UsageError(f"{file.name!r} is larger than {_MAX_MEGAPIXELS:.0f} MP", code="logo_unreadable")
    return files


KIT_FILE = "brand.yaml"
PICTURE_FOLDERS = ("logos", "packs")
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif"})
_MOST_KITS = 200


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
    settings = validate_document(file, read_document(file), KitSettings)
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
