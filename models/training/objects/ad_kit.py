"""What ads are made of, at hand: fonts, marks, photographs, cut-outs. Without: system fonts, shapes."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import skia
from ad_words import LANGUAGES, SPACELESS, Rng
from fontTools.pens.basePen import BasePen
from fontTools.svgLib.path import parse_path

SYSTEM_FONTS = Path("/usr/share/fonts")
SCRIPTS = [
    "pacifico",
    "lobster",
    "great-vibes",
    "dancing-script",
    "caveat",
    "permanent-marker",
    "yellowtail",
    "satisfy",
    "amatic-sc",
    "kaushan-script",
]
LOUD = [
    "anton",
    "bebas-neue",
    "archivo-black",
    "abril-fatface",
    "alfa-slab-one",
    "bangers",
    "righteous",
    "fjalla-one",
    "oswald",
    "teko",
    "russo-one",
    "monoton",
    "shrikhand",
    "titan-one",
    "luckiest-guy",
    "limelight",
    "bungee",
    "playball",
    "rye",
    "chewy",
    "ultra",
    "passion-one",
    "orbitron",
    "press-start-2p",
    "lobster",
    "barlow-condensed",
    "unbounded",
    "special-elite",
]
CJK = re.compile("wqy|NotoSansCJK|NotoSerifCJK|ipa|vlgothic|droid-fallback", re.IGNORECASE)


@dataclass(frozen=True)
class FontFile:
    path: Path
    family: str
    style: str  # text, loud, script
    bold: bool


@dataclass(frozen=True)
class Photo:
    """A photograph and what teachers saw: rows of type, box, confidence, label."""

    path: Path
    width: int
    height: int
    boxes: tuple[dict, ...]
    zones: tuple[dict, ...]

    def rgb(self) -> np.ndarray:
        return _pixels(self.path)[..., :3]


@dataclass(frozen=True)
class Cut:
    """A thing or a person cut out: RGBA, and boxes of faces within it in unit coordinates."""

    path: Path
    role: str
    kind: str
    faces: tuple[tuple[float, ...], ...] = ()

    @property
    def photographed(self) -> bool:
        return self.path.parent.name == "cuts"

    def rgba(self) -> np.ndarray:
        return _pixels(self.path)


@functools.lru_cache(maxsize=400)
def _pixels(path: Path) -> np.ndarray:
    """RGBA, at most 900 px on the long side."""
    bgra = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if bgra.ndim == 2:
        bgra = cv2.cvtColor(bgra, cv2.COLOR_GRAY2BGR)
    rgba = cv2.cvtColor(bgra, cv2.COLOR_BGRA2RGBA if bgra.shape[2] == 4 else cv2.COLOR_BGR2RGBA)
    scale = 900 / max(rgba.shape[:2])
    return cv2.resize(rgba, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else rgba


class _SkiaPen(BasePen):
    def __init__(self) -> None:
        super().__init__(None)
        self.path = skia.Path()

    def _moveTo(self, p: tuple[float, float]) -> None:  # noqa: N802 (fontTools' names)
        self.path.moveTo(*p)

    def _lineTo(self, p: tuple[float, float]) -> None:  # noqa: N802
        self.path.lineTo(*p)

    def _curveToOne(self, a: tuple, b: tuple, c: tuple) -> None:  # noqa: N802
        self.path.cubicTo(*a, *b, *c)

    def _closePath(self) -> None:  # noqa: N802
        self.path.close()


@functools.lru_cache(maxsize=2000)
def icon_path(data: str) -> skia.Path:
    """SVG path data as a path with its bounds moved to the origin and its longer side of length 1."""
    pen = _SkiaPen()
    parse_path(data, pen)
    bounds = pen.path.computeTightBounds()
    scale = 1 / max(bounds.width(), bounds.height(), 1e-6)
    matrix = skia.Matrix.Scale(scale, scale)
    pen.path.transform(matrix.preTranslate(-bounds.left(), -bounds.top()))
    return pen.path


@dataclass
class Kit:
    fonts: list[FontFile]
    brands: list[list] = field(default_factory=list)  # [side, path data, title]
    shapes: list[list] = field(default_factory=list)
    photos: list[Photo] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    languages: set[str] = field(default_factory=set)

    @classmethod
    def at(cls, folder: Path | None, extra_fonts: Sequence[Path] = ()) -> Kit:
        fonts = [_font_file(p) for root in (SYSTEM_FONTS, *extra_fonts) for p in sorted(root.rglob("*.tt[fc]"))]
        fonts = [f for f in fonts if "math" not in f.family.lower()]
        kit = cls(fonts)
        if folder is not None:
            kit.fonts += [_font_file(p) for p in sorted((folder / "fonts").glob("*.ttf"))]
            if (folder / "marks.json").exists():
                marks = json.loads((folder / "marks.json").read_text())
                kit.brands, kit.shapes = marks["brands"], marks["shapes"]
            kit.photos = [_photo(row) for row in _rows(folder / "photos.jsonl")]
            for name in ("things", "cuts", "drawn"):
                kit.cuts += [_cut(folder, row) for row in _rows(folder / f"{name}.jsonl")]
        kit.languages = {code for code in LANGUAGES if kit.fonts_for(code)}
        return kit

    def fonts_for(self, code: str) -> list[FontFile]:
        return _for_script(tuple(self.fonts), code)

    def cuts_of(self, role: str) -> list[Cut]:
        return _of_role(tuple(self.cuts), role)


@functools.lru_cache(maxsize=16)
def _of_role(cuts: tuple[Cut, ...], role: str) -> list[Cut]:
    return [cut for cut in cuts if cut.role == role]


@functools.lru_cache(maxsize=64)
def _for_script(fonts: tuple[FontFile, ...], code: str) -> list[FontFile]:
    if code in SPACELESS:
        return [f for f in fonts if CJK.search(f.path.name)]
    if code == "ru":
        return [f for f in fonts if "cyrillic" in f.path.name or f.family.startswith(("DejaVu", "Liberation"))]
    return [f for f in fonts if "cyrillic" not in f.path.name and not CJK.search(f.path.name)]


def _rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _font_file(path: Path) -> FontFile:
    family = re.sub(r"-(latin|cyrillic).*$", "", path.stem)
    style = "script" if family in SCRIPTS else "loud" if family in LOUD else "text"
    return FontFile(path, family, style, bool(re.search("700|900|Bold", path.stem)) or style == "loud")


def _photo(row: dict) -> Photo:
    return Photo(Path(row["image"]), row["width"], row["height"], tuple(row["boxes"]), tuple(row["zones"]))


def _cut(folder: Path, row: dict) -> Cut:
    return Cut(folder / row["file"], row["role"], row["kind"], tuple(tuple(f) for f in row.get("faces", ())))


@functools.lru_cache(maxsize=600)
def typeface(path: Path) -> skia.Typeface:
    return skia.Typeface.MakeFromFile(str(path))


def pick(rng: Rng, items: Sequence) -> object:
    return items[int(rng.integers(len(items)))]
