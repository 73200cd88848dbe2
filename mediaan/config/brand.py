"""The brand of a medium: how it is called and what its logo looks like."""

from __future__ import annotations

from collections.abc import Iterator
from glob import has_magic
from pathlib import Path
from typing import Annotated, Any

from PIL import Image
from pydantic import BeforeValidator, Field, model_validator

from mediaan.config.strict import Strict
from mediaan.errors import UsageError
from mediaan.types.aoi import Brand

LOGO_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
_MOST_LOGOS = 20
"""More make every picture slow; a brand has few marks, each in a light and a dark version at most."""

_MAX_MEGAPIXELS = 50.0

Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"\w")]
LogoPath = Annotated[str, Field(min_length=1, max_length=1000)]


def _listed(value: Any) -> Any:
    """One text alone is a list of it; a list is a tuple, which alone is taken where types are strict."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


class BrandNames(Strict):
    """How a brand is called.

    Attributes
    ----------
    name : str
    aliases : tuple of str
        Other spellings, slogans and product names that count as the brand.
    """

    name: Name = Field(description="the brand's name, such as Acme")
    aliases: Annotated[tuple[Name, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=50, description="a list of other spellings, such as [Acme Foods, ACME Inc]"
    )

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class BrandSettings(BrandNames):
    """Whose marks shall be found: what it is called, and what its logo looks like.

    Attributes
    ----------
    logos : tuple of str
        Pictures of its logo, as they were written: paths or patterns, relative to the file they stand in.
    """

    logos: Annotated[tuple[LogoPath, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=_MOST_LOGOS, description='a list of pictures, such as [logo.png, "logos/*.png"]'
    )

    def located(self, folder: Path) -> Brand:
        """The brand with its logo pictures found.

        Parameters
        ----------
        folder : Path
            Of the file in which the settings stand; relative paths start there.

        Raises
        ------
        UsageError
            If a path or pattern leads to no file or to something that is no picture.
        """
        files = [file for written in self.logos for file in logo_files(written, folder)]
        return Brand(self.name, self.aliases, tuple(dict.fromkeys(files)))


def logo_files(written: str, folder: Path) -> tuple[Path, ...]:
    """Files that a path or pattern stands for, each a picture that can be opened.

    Parameters
    ----------
    written : str
        A path, or a pattern with ``*``, ``?`` and ``**``; a file of exactly that name goes first.
    folder : Path
        Where relative paths start.

    Raises
    ------
    UsageError
        Saying what is wrong with it and what to write.
    """
    files = tuple(_found(written, folder))
    if not files:
        raise UsageError(f"{written!r} fits no file in {folder}; write the path of a picture", code="logo_missing")
    if len(files) > _MOST_LOGOS:
        raise UsageError(f"{written!r} fits {len(files)} files; name at most {_MOST_LOGOS} logos", code="logo_too_many")
    for file in files:
        _check(file)
    return files


def _found(written: str, folder: Path) -> Iterator[Path]:
    path = folder / Path(written).expanduser()
    if path.is_file():
        yield path
    elif has_magic(written) and not Path(written).is_absolute():
        yield from sorted(found for found in folder.glob(written) if found.is_file())


def _check(file: Path) -> None:
    try:
        with Image.open(file, formats=LOGO_FORMATS) as picture:
            width, height = picture.size
    except (OSError, Image.DecompressionBombError) as error:
        what = "is no picture that can be read" if isinstance(error, OSError) else "is too large"
        raise UsageError(f"{file.name!r} {what}; save the logo as PNG", code="logo_unreadable") from error
    if width * height > _MAX_MEGAPIXELS * 1e6:
        raise UsageError(f"{file.name!r} is larger than {_MAX_MEGAPIXELS:.0f} MP", code="logo_unreadable")
