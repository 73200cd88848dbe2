"""Make brand kits: a new folder, pictures added to it, and what people drew or confirmed in a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import yaml
from PIL import Image

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.aoi.region import PixelBox
from mediaan.config.brand import KIT_FILE, MOST_PICTURES, PICTURE_FOLDERS, BrandKit, KitSettings, load_kit, logo_files
from mediaan.errors import UsageError
from mediaan.run import read_run
from mediaan.run.changes import original_pictures
from mediaan.run.files import write_atomic
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.result import Result

PictureKind = Literal["logo", "pack"]
_FOLDER_OF: dict[PictureKind, str] = dict(zip(("logo", "pack"), PICTURE_FOLDERS, strict=True))

_SAME_PICTURE = 0.9
"""Correlation of two pictures, made 32 px large, from which on they show the same."""

_SMALLEST_PX = 12
"""Shorter sides show too little of a logo to find it by."""


@dataclass(frozen=True, slots=True)
class KitChanges:
    """What was added to a kit."""

    kit: BrandKit
    added: tuple[Path, ...] = ()
    """Pictures that are new in it."""
    skipped: tuple[str, ...] = ()
    """Pictures that it has already, or that are too small, a sentence each."""


def new_kit(folder: Path, name: str, aliases: Sequence[str] = ()) -> BrandKit:
    """Make a kit without pictures.

    Raises UsageError: there is a kit already, or the name is none.
    """
    file = folder / KIT_FILE
    if file.exists():
        raise UsageError(
            f"{file} exists; edit it, or add pictures with `mediaan brand add {folder}`", code="kit_exists"
        )
    if not normalize_name(name):
        raise UsageError(f"{name!r} is no name of a brand; write letters or digits", code="config_invalid")
    for place in PICTURE_FOLDERS:
        (folder / place).mkdir(parents=True, exist_ok=True)
    _write_settings(folder, KitSettings(name=name, aliases=tuple(aliases)))
    return load_kit(folder)


_LINES = """\
# What the brand is called, and where it is on the web. Logos lie in logos/, packs in packs/, as PNG or JPEG.
name: {name}
# Other spellings, slogans and product names that count as the brand.
aliases: {aliases}
# Web domains and handles, such as [acme.com, "@acme"].
addresses: {addresses}
# Colours, such as ["#c8102e"].
colours: {colours}
"""


def _write_settings(folder: Path, settings: KitSettings) -> None:
    flow = {
        name: yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1000)
        .removesuffix("...\n")
        .strip()
        for name, value in settings.model_dump(mode="json").items()
    }
    write_atomic(folder / KIT_FILE, _LINES.format(**flow).encode())


def add_pictures(folder: Path, files: Sequence[Path], kind: PictureKind | None = None) -> KitChanges:
    """Copy pictures of logos and packs into a kit.

    `files`: images, transparent, on a plain ground, or photographed.
    `kind`: what they show; by default the name of each file says it.
    Raises UsageError: no kit, no image, or a picture that may be either; nothing is copied then.
    """
    kit = load_kit(folder)
    kinds: dict[Path, PictureKind] = {}
    for file in files:
        try:
            logo_files(str(file.resolve()), Path())
        except UsageError as error:
            raise UsageError(f"{file}: {error.message}", code=error.code) from error
        shown = kind or recognize_picture(file)
        if shown is None:
            raise UsageError(
                f"{file}: may be a logo or a pack; say which with --logo or --pack", code="picture_unclear"
            )
        kinds[file] = shown
    pictures = (
        (shown, _plain_name(file.stem), _read_picture(file), file.read_bytes(), file.suffix.lower())
        for file, shown in kinds.items()
    )
    return _add(kit, pictures)


def recognize_picture(file: Path) -> PictureKind | None:
    """Tell a logo from a pack by the name of the file; None where that does not tell.

    The number of colours does not tell: packs on white have as few as logos that were cut out of a photograph.

    >>> [recognize_picture(Path(name)) for name in ("Acme_Logo.png", "pack-shot.jpg", "acme.png", "logo on pack.png")]
    ['logo', 'pack', None, None]
    """
    name = file.stem.casefold()
    kinds: list[PictureKind] = [kind for kind in _FOLDER_OF if kind in name]
    return kinds[0] if len(kinds) == 1 else None


def kit_from_run(run_dir: Path, folder: Path, name: str | None = None) -> KitChanges:
    """Fill a kit with the branding and products that people drew or confirmed in a run.

    `run_dir`, `folder`: a kit that is not there yet is made.
    `name`: of the brand; by default that of the kit, else of the branding if all has one.
    Raises UsageError: no run, nothing that people drew or confirmed, or branding of several brands.
    """
    run = read_run(run_dir)
    stated = load_kit(folder) if (folder / KIT_FILE).exists() else None
    results = [
        result
        for result in run.results(("aois", "aoi_tracks"))
        if any(area.type == "branding" and area.source != "detected" for area in result.aois or ())
    ]
    labels = Counter(
        area.label.strip()
        for result in results
        for area in result.aois or ()
        if area.type == "branding" and area.source != "detected" and normalize_name(area.label)
    )
    if stated is None and name is None:
        brands = {normalize_name(label): label for label in labels}
        if len(brands) != 1:
            names = ", ".join(f"{label} ({count})" for label, count in labels.most_common(10))
            what = (
                f"people named several brands: {names}" if names else "no branding was drawn or confirmed with a name"
            )
            raise UsageError(f"{run_dir}: {what}; say which with --name", code="kit_unnamed")
        (name,) = brands.values()
    kit = stated or new_kit(folder, name or "")
    if name and not kit.is_of(name):
        raise UsageError(
            f"{folder}: is the kit of {kit.name!r}, not of {name!r}; give another folder", code="kit_exists"
        )
    originals = original_pictures(run)
    if results and not originals:
        raise UsageError(
            f"{run_dir}: keeps no pictures of the ads to cut out of; analyze them again with maps", code="no_pictures"
        )
    return _add(kit, (picture for result in results for picture in _crops(result, kit, originals)))


_Picture = tuple[PictureKind, str, UInt8, bytes | None, str]
"""Kind, name, pixels, and the file where it is copied as it is, with its suffix."""


def _crops(result: Result, kit: BrandKit, originals: dict[str, Path]) -> Iterator[_Picture]:
    """Yield what people drew or confirmed of a brand in an ad, the largest first."""
    areas = [area for area in result.aois or () if area.source != "detected" and not area.track]
    marks = [area for area in areas if area.type == "branding" and kit.is_of(area.label or kit.name)]
    file = originals.get(str(result.medium.medium_id))
    if not marks or file is None:
        return
    rgb = _read_picture(file)
    for area in sorted((*marks, *(area for area in areas if area.type == "product")), key=lambda area: -area.box.area):
        crop = rgb[PixelBox.of(area.box, rgb.shape[1], rgb.shape[0]).slices]
        kind: PictureKind = "logo" if area.type == "branding" else "pack"
        yield kind, _plain_name(Path(result.medium.name).stem), crop, None, ".png"


def _add(kit: BrandKit, pictures: Iterable[_Picture]) -> KitChanges:
    """Write pictures into a kit, those that it has not."""
    added: list[Path] = []
    skipped: list[str] = []
    seen = {
        kind: [(file.name, _thumbnail(_read_picture(file))) for file in files]
        for kind, files in (("logo", kit.logos), ("pack", kit.packs))
    }
    for kind, name, rgb, data, suffix in pictures:
        thumbnail = _thumbnail(rgb)
        same = next((other for other, its in seen[kind] if _alike(thumbnail, its)), None)
        if same is not None:
            skipped.append(f"{name}: looks like {_FOLDER_OF[kind]}/{same}")
        elif min(rgb.shape[:2]) < _SMALLEST_PX:
            skipped.append(f"{name}: is only {rgb.shape[1]} x {rgb.shape[0]} px")
        elif len(seen[kind]) >= MOST_PICTURES:
            skipped.append(f"{name}: the kit has {MOST_PICTURES} {_FOLDER_OF[kind]}, which is the most")
        else:
            file = _free_name(kit.folder / _FOLDER_OF[kind], name, suffix)
            file.parent.mkdir(exist_ok=True)
            if data is None:
                ok, encoded = cv2.imencode(".png", cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2BGR))
                assert ok
                data = encoded.tobytes()
            write_atomic(file, data)
            seen[kind].append((file.name, thumbnail))
            added.append(file)
    return KitChanges(load_kit(kit.folder), tuple(added), tuple(skipped))


def _read_picture(file: Path) -> UInt8:
    """Read an image over white."""
    with Image.open(file) as opened:
        rgba = opened.convert("RGBA")
    rgba.thumbnail((1024, 1024), Image.Resampling.LANCZOS)
    white = Image.new("RGBA", rgba.size, "white")
    return np.asarray(Image.alpha_composite(white, rgba).convert("RGB"), np.uint8)


def _thumbnail(rgb: UInt8) -> tuple[float, Float32]:
    """Return the aspect of a picture, and its colours in 32 x 32 px, centred."""
    small = cv2.resize(np.ascontiguousarray(rgb), (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
    return rgb.shape[1] / rgb.shape[0], np.asarray(small - small.mean(), np.float32).ravel()


def _alike(first: tuple[float, Float32], other: tuple[float, Float32]) -> bool:
    """Tell whether two thumbnails are of one shape and one picture."""
    (aspect, a), (other_aspect, b) = first, other
    energy = float(np.sqrt((a @ a) * (b @ b)))
    return 0.8 < aspect / other_aspect < 1.25 and float(a @ b) >= _SAME_PICTURE * energy


def _plain_name(stem: str) -> str:
    return re.sub(r"[^\w.-]+", "_", stem)[:60].strip("._") or "picture"


def _free_name(folder: Path, name: str, suffix: str) -> Path:
    file, number = folder / f"{name}{suffix}", 1
    while file.exists():
        number += 1
        file = folder / f"{name}-{number}{suffix}"
    return file
