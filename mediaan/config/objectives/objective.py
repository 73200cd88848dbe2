"""Validate the objective of one medium: purpose, platform, industry, use case, country, brand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from glob import has_magic
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias

from PIL import Image
from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from mediaan.config.validation import StrictModel, describe_value, format_key_path, validation_problems
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary, match_known
from mediaan.errors import UsageError
from mediaan.types.aoi import Brand
from mediaan.types.media import Purpose

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
        what = f"brand: {_complaints(error, BrandSettings)} (example: {example})"
        raise UsageError(what, code="config_invalid") from error


def _complaints(error: ValidationError, model: type[StrictModel]) -> str:
    problems = validation_problems(error, model)
    return "; ".join(": ".join(filter(None, (format_key_path(problem.path), problem.text))) for problem in problems)


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


Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]

LONGEST_EXPOSURE_S = 60.0
"""Nobody looks at one image longer; viewers whose gaze the scores rest on looked for 5 s."""

_NO_FILE = replace(BUILT_IN_VOCABULARY, open=False)
"""What is said by a program or over HTTP has no ``values``."""


def _vocabulary(info: ValidationInfo) -> Vocabulary:
    return info.context if isinstance(info.context, Vocabulary) else _NO_FILE


def _raise_if(complaint: str | None) -> None:
    if complaint:
        raise PydanticCustomError("unknown_value", "{text}", {"text": complaint})


def _spelled(word: str, words: Iterable[str], info: ValidationInfo) -> str:
    """Return the known word that is meant: people may write `Facebook`; requests over HTTP are taken literally."""
    return match_known(word, tuple(words)) if _written_by_people(info) else word


def _written_by_people(info: ValidationInfo) -> bool:
    return isinstance(info.context, Vocabulary)


def _known(kind: str) -> BeforeValidator:
    """Validate a word of the vocabulary."""

    def check(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            vocabulary = _vocabulary(info)
            value = _spelled(value, vocabulary.words(kind), info)
            _raise_if(vocabulary.complaint(kind, value))
        return value

    return BeforeValidator(check)


def _capitals(value: Any, info: ValidationInfo) -> Any:
    return value.upper() if isinstance(value, str) and len(value) == 2 and _written_by_people(info) else value


def _decimal_point(value: Any, info: ValidationInfo) -> Any:
    is_decimal = isinstance(value, str) and re.fullmatch(r"\d+,\d+", value)
    return value.replace(",", ".") if is_decimal and _written_by_people(info) else value


class Division(StrictModel):
    """A category, and perhaps a finer division of it."""

    kind: ClassVar[str]
    category: Text
    subcategory: Text | None = None

    @field_validator("category", mode="before")
    @classmethod
    def _known_category(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            vocabulary = _vocabulary(info)
            value = _spelled(value, vocabulary.words(cls.kind), info)
            _raise_if(vocabulary.complaint(cls.kind, value))
        return value

    @field_validator("subcategory", mode="before")
    @classmethod
    def _known_subcategory(cls, value: Any, info: ValidationInfo) -> Any:
        category = info.data.get("category")  # absent where it is wrong itself
        if isinstance(value, str) and category:
            vocabulary = _vocabulary(info)
            value = _spelled(value, vocabulary.subcategories(cls.kind, category), info)
            _raise_if(vocabulary.subcategory_complaint(cls.kind, category, value))
        return value


class Industry(Division):
    """The trade that a medium advertises for."""

    kind = "industry"
    category: Text = Field(description="the industry, such as food")
    subcategory: Text | None = Field(default=None, description="a finer division, such as snacks, or leave it out")


class UseCase(Division):
    """Kind of thing that a medium is, such as an advertisement."""

    kind = "usecase"
    category: Text = Field(description="the use case, such as advertisement")
    subcategory: Text | None = Field(default=None, description="a finer division, such as launch, or leave it out")


class SharedObjective(StrictModel):
    """Settings of an objective that files, programs and requests over HTTP have; unset fields are None."""

    purpose: Annotated[Purpose, _known("purpose")] | None = Field(
        default=None, description="brand_building or conversion"
    )
    """One of ``brand_building``, ``conversion`` or None."""
    platform: Annotated[Text, _known("platform")] | None = Field(
        default=None, description="a platform, such as instagram"
    )
    """Where it is shown."""
    industry: Industry | None = Field(
        default=None, description="an industry, such as food or food/snacks, or a category and a subcategory"
    )
    usecase: UseCase | None = Field(
        default=None, description="a use case, such as advertisement, or a category and a subcategory"
    )
    country: Annotated[str, Field(pattern="^[A-Z]{2}$"), BeforeValidator(_capitals)] | None = Field(
        default=None, description="a country as two capital letters, such as DE"
    )
    """ISO 3166-1 alpha-2."""
    brand: BrandSettings | None = Field(
        default=None, description="a brand, such as Acme, or its name, aliases and logos (images)"
    )
    """Brand to look for; ``brand.located(folder)`` with the folder of the objectives file finds its logos."""
    domain: Annotated[Text, _known("domain")] | None = Field(
        default=None, description="what attention is predicted for, such as photo, ad, design or page"
    )
    """What kind of image it is, of those that the attention model tells apart; None: the model tells by itself."""
    exposure_s: Annotated[float, Field(gt=0, le=LONGEST_EXPOSURE_S), BeforeValidator(_decimal_point)] | None = Field(
        default=None, description="how many seconds people look at an image: a number above 0, at most 60, such as 2.5"
    )
    """How long an image is looked at, s; a medium that moves lasts as long as it lasts."""
    benchmark: Text | None = Field(
        default=None, description="a norm set: a name from `mediaan benchmark list`, a path, or none"
    )
    """The norm set that it is compared with: a name, a path as it was written, or ``none``."""

    @field_validator("industry", "usecase", mode="before")
    @classmethod
    def _short_form(cls, value: Any, info: ValidationInfo) -> Any:
        """Split `food` and `food/snacks`; a word of the user's own may hold a slash itself."""
        if not isinstance(value, str):
            return value
        category, slash, subcategory = value.partition("/")
        words = _vocabulary(info).words(str(info.field_name))
        if not slash or _spelled(value, words, info) in words:
            return {"category": value}
        return {"category": category.strip(), "subcategory": subcategory.strip()}


_VIEWPORT = r"^(auto|whole|[1-9][0-9]{2,3}x[1-9][0-9]{2,3})$"
"""As `mediaan.saliency.folds` reads it, which a server must not load."""


class Objective(SharedObjective):
    """Objective of one medium; unset fields are None."""

    placement: tuple[Text, ...] | None = Field(
        default=None, description="a placement, such as instagram_story, a list of them, or none"
    )
    """Placements in which it is shown; None: the one that its platform alone stands for, if it has one; none where the
    tuple is empty. The other fields are those of `SharedObjective`."""
    brand_kit: Text | None = Field(
        default=None, description="the folder of a brand kit, such as kits/acme, beside brand or in its place"
    )
    """Folder of the kit in which the brand is described; `resolve_objective` puts what it says into `brand`."""
    viewport: Annotated[str, Field(pattern=_VIEWPORT)] | None = Field(
        default=None, description="the screen on which a tall page is seen, such as 1440x900; auto, or whole"
    )
    """Screen on which a tall page is judged fold by fold, such as ``390x844``; ``auto`` or ``whole``, as in `Recipe`.
    """

    @field_validator("placement", mode="before")
    @classmethod
    def _known_placements(cls, value: Any, info: ValidationInfo) -> Any:
        """Take a list, one name, or names with commas or semicolons between them, as tables have them."""
        names = re.split(r"[;,]", value) if isinstance(value, str) else value
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
            return value
        vocabulary = _vocabulary(info)
        spelled = [_spelled(name.strip(), (*vocabulary.words("placement"), "none"), info) for name in names]
        if spelled == ["none"]:
            return ()
        for name in spelled:
            _raise_if(vocabulary.complaint("placement", name))
        return tuple(dict.fromkeys(spelled))


def read_objective(objective: Objective | Mapping[str, Any]) -> Objective:
    """Return the objective that a program states; words may be written freely, such as ``Facebook``.

    Raises UsageError: naming the setting, and what to write.

    >>> read_objective({"platform": "Facebook", "industry": "Food/Snacks"}).model_dump(exclude_none=True)
    {'platform': 'facebook', 'industry': {'category': 'food', 'subcategory': 'snacks'}}
    """
    try:
        return Objective.model_validate(objective, context=_NO_FILE)
    except ValidationError as error:
        raise UsageError(_complaints(error, Objective), code="config_invalid") from error
