"""Measure how well the pictures of a brand kit are found: ``python -m bench.brand_kit DATA``.

DATA holds ``ads/images`` and ``products``. A campaign is the designs of one brand in models/training/labels. Its kit is
the largest mark of its first design, as if a person had confirmed it; it is searched in the campaign's other designs,
where it should be found, and in designs of other brands, where it should not. Then marks and packs are shown on ads in
many ways: small, turned, inverted, in one colour, in glare. Shares come with 90 % intervals. What a kit adds to the
brand's name is measured by ``python -m bench.minute``.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection import picture_matcher
from mediaan.aoi.detection.branding import possible_marks
from mediaan.aoi.detection.picture_matcher import Features, PictureMatch, PictureMatcher, detect_features, fit_frame
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.config.aoi_formats.reading import load_aois
from mediaan.evaluation.aoi.evaluation import is_mark_of
from mediaan.media import open_image
from mediaan.media.views import resize_to_view
from mediaan.studies.trend.statistics import wilson
from mediaan.types.aoi import Box, Brand, Drawing
from mediaan.types.arrays import UInt8

LABELS = Path(__file__).parents[1] / "models/training/labels"
SIDES = ("train", "dev", "check")
OTHERS = 30
"""Designs of other brands in which each kit is searched."""
PLACES = 24
"""Ads on which marks, and packs, are shown in each way."""


@dataclass(frozen=True)
class Design:
    """A labelled ad of a known brand."""

    path: Path
    side: str
    brand: Brand
    drawings: tuple[Drawing, ...]

    @property
    def marks(self) -> list[Box]:
        """Boxes of the brand's marks."""
        return self.marks_of(self.brand)

    def marks_of(self, brand: Brand) -> list[Box]:
        """Return the boxes of the marks of a brand."""
        return [
            Box(*np.min(d.points, axis=0), *np.max(d.points, axis=0))
            for d in self.drawings
            if d.type == "branding" and is_mark_of(d.label, brand)
        ]


def read_designs(data: Path) -> list[Design]:
    """Read the labelled designs of which the brand is known."""
    facts = {row["image"]: row for row in csv.DictReader((LABELS / "modern.csv").open(encoding="utf-8"))}
    designs = []
    for side in SIDES:
        labels = load_aois(LABELS / f"modern_{side}.json")
        for name, row in facts.items():
            if row["side"] == side and row["brand"]:
                brand = Brand(row["brand"], tuple(filter(None, row["aliases"].split("|"))))
                path = data / "ads/images" / name
                designs.append(Design(path, side, brand, labels.drawings(name) or ()))
    return designs


def campaigns(designs: Sequence[Design], least: int = 2) -> Iterator[tuple[Design, list[Design]]]:
    """Yield the design whose mark is confirmed, and the others of its brand."""
    by_brand: dict[str, list[Design]] = defaultdict(list)
    for design in designs:
        by_brand[design.brand.name.casefold()].append(design)
    for members in by_brand.values():
        first = next((design for design in members if design.marks), None)
        if first and len(members) >= least:
            yield first, [design for design in members if design is not first]


def view(path: Path) -> UInt8:
    """Decode an ad as an analysis does for areas."""
    return open_image(path, [AOI_VIEW]).chunks[0].views[AOI_VIEW.name][0]


def cut_mark(design: Design, folder: Path) -> Path:
    """Save the largest mark of a design as the picture of a kit."""
    box = max(design.marks, key=lambda box: box.area)
    with Image.open(design.path) as image:
        width, height = image.size
        corners = box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height
        crop = image.convert("RGB").crop(tuple(round(side) for side in corners))
    file = folder / f"{design.path.stem}.png"
    crop.save(file)
    return file


class Frame(NamedTuple):
    """An ad as a search sees it."""

    rgb: UInt8
    features: Features
    places: list[Box]
    """Where marks may be."""


class Frames:
    """Frames with their features and places, computed once."""

    def __init__(self) -> None:
        self._known: dict[Path, Frame] = {}
        self._models = Models("attention", "cpu", threads=1)
        self.seconds: list[float] = []

    def of(self, path: Path) -> Frame:
        """Return what is seen in an ad."""
        if path not in self._known:
            rgb, models = view(path), self._models
            (detections,) = models.objects.detect(resize_to_view(rgb, models.objects.view)[None])
            lines = [typeset_line(rgb, line) for line in models.text.read(rgb)]
            marks = possible_marks(lines, predict_layout(rgb, lines, detections).roles, detections)
            places = [mark.box for mark in marks]
            began = time.process_time()
            rgb = fit_frame(rgb)
            features = detect_features(np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), np.uint8))
            self.seconds.append(time.process_time() - began)
            self._known[path] = Frame(rgb, features, places)
        return self._known[path]


class Search(NamedTuple):
    """What a search for the kit of a brand yields in an ad."""

    side: str
    marks: list[Box]
    """Of the brand; empty in ads of others."""
    matches: list[PictureMatch]
    """However unsure."""


def search_campaigns(designs: Sequence[Design], folder: Path, *, fit: bool) -> None:
    """Print how often a confirmed mark is found in its campaign, and in ads of other brands."""
    frames, drawn_at_random = Frames(), random.Random(0)
    searches: list[Search] = []
    seconds: list[float] = []
    for first, others in campaigns(designs):
        (picture,) = PictureMatcher([cut_mark(first, folder)])._pictures
        strangers = [d for d in designs if not d.marks_of(first.brand) and not is_mark_of(d.brand.name, first.brand)]
        for design in [*others, *drawn_at_random.sample(strangers, OTHERS)]:
            marks = design.marks_of(first.brand)
            if design in others and not marks:
                continue
            frame = frames.of(design.path)
            began = time.process_time()
            searches.append(Search(design.side if marks else first.side, marks, list(picture.matches(*frame))))
            seconds.append(time.process_time() - began)
    if fit:
        _fit([search for search in searches if search.side != "check"])
    print(
        f"CPU: {1000 * np.mean(frames.seconds):.0f} ms for an ad, {1000 * np.mean(seconds):.0f} ms for a picture in it"
    )
    for least in (picture_matcher.LEAST_CONFIDENCE, 0.7):
        for sides in (("train", "dev"), ("check",)):
            chosen = [
                (search.marks, [match.box for match in search.matches if match.confidence >= least])
                for search in searches
                if search.side in sides
            ]
            at = [any(_at(b, m) for b in boxes for m in marks) for marks, boxes in chosen if marks]
            iou = [any(b.iou(m) >= 0.5 for b in boxes for m in marks) for marks, boxes in chosen if marks]
            false = [bool(boxes) for marks, boxes in chosen if not marks]
            print(
                f"confidence {least:.1f}, {' and '.join(sides)}: at a mark in {_share(at)} of ads of the campaign, "
                f"IoU .5 in {_share(iou)}; false alarm in {_share(false)} of ads of others"
            )


def _at(box: Box, mark: Box) -> bool:
    return box.intersection(mark) > 0.5 * min(box.area, mark.area) and box.area < 8 * mark.area


def _share(flags: Sequence[bool]) -> str:
    low, high = wilson(100 * float(np.mean(flags)), len(flags))
    return f"{100 * np.mean(flags):.1f} % ({low:.1f}-{high:.1f}, n {len(flags)})"


def _fit(searches: Sequence[Search]) -> None:
    """Print weights of the evidence, fitted to whether matches lie at a mark."""
    from sklearn.linear_model import LogisticRegression

    rows = [
        (match.evidence, any(match.box.iou(mark) >= 0.5 for mark in search.marks))
        for search in searches
        for match in search.matches
    ]
    model = LogisticRegression(C=10, max_iter=1000).fit(
        [evidence for evidence, _ in rows], [right for _, right in rows]
    )
    weights = (float(model.intercept_[0]), *map(float, model.coef_[0]))
    print(
        f"weights = ({', '.join(f'{w:.2f}' for w in weights)}); {sum(r for _, r in rows)} of {len(rows)} matches right"
    )
    odds = [weights[0] + float(np.dot(weights[1:], evidence)) for evidence, _ in rows]
    for floor, top in ((-99, -2), (-2, 0), (0, 1), (1, 3), (3, 99)):
        part = [right for o, (_, right) in zip(odds, rows, strict=True) if floor <= o < top]
        print(f"  log odds {floor} to {top}: {np.mean(part) if part else float('nan'):.2f} of {len(part)} right")


WAYS = (
    "as it is",
    "half as large",
    "a quarter",
    "turned 15°",
    "turned 35°",
    "slanted",
    "inverted",
    "one colour",
    "glare",
)


def shown(picture: UInt8, way: str) -> tuple[UInt8, UInt8]:
    """Return a picture as it looks in one of the `WAYS`, and its opacity."""
    opaque = np.full(picture.shape[:2], 255, np.uint8)
    if way == "inverted":
        return 255 - picture, opaque
    if way == "one colour":
        grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        _, dark = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        return np.where(dark[..., None] > 0, np.uint8([240, 240, 240]), np.uint8([20, 60, 140])).astype(
            np.uint8
        ), opaque
    if way == "glare":
        height, width = picture.shape[:2]
        y, x = np.mgrid[:height, :width]
        light = np.exp(-(((x / width + y / height) - 0.9) ** 2) / 0.06)[..., None]
        return np.clip(picture + 190.0 * light, 0, 255).astype(np.uint8), opaque
    height, width = picture.shape[:2]
    degrees = {"turned 15°": 15, "turned 35°": 35}.get(way)
    if degrees or way == "slanted":
        matrix = cv2.getRotationMatrix2D((0, 0), degrees or 0, 1)
        if way == "slanted":
            matrix = np.array([[0.75, 0.12, 0], [-0.1, 1.0, 0]])
        corners = matrix[:, :2] @ np.array([[0, width, width, 0], [0, 0, height, height]])
        matrix[:, 2] = -corners.min(axis=1)
        size = tuple(int(side) + 1 for side in np.ptp(corners, axis=1))
        return cv2.warpAffine(picture, matrix, size), cv2.warpAffine(opaque, matrix, size)
    return picture, opaque


def show_in_ways(pictures: Sequence[Path], grounds: Sequence[Path], kind: str, long_side: float) -> None:
    """Print how often pictures are found on ads, shown in each way at random places."""
    chance = random.Random(1)
    for way in WAYS:
        hits = []
        for k in range(PLACES):
            file = pictures[k % len(pictures)]
            ad = view(grounds[k % len(grounds)]).copy()
            with Image.open(file) as image:
                rgb = np.asarray(image.convert("RGB"), np.uint8)
            side = long_side * max(ad.shape[:2]) * {"half as large": 0.5, "a quarter": 0.25}.get(way, 1.0)
            factor = min(side / max(rgb.shape[:2]), 0.6 * ad.shape[0] / rgb.shape[0], 0.6 * ad.shape[1] / rgb.shape[1])
            method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
            sized = cv2.resize(rgb, None, fx=factor, fy=factor, interpolation=method)
            drawn, opacity = shown(np.asarray(sized, np.uint8), way)
            height, width = drawn.shape[:2]
            y, x = (chance.randrange(max(1, ad.shape[i] - (height, width)[i])) for i in (0, 1))
            part = ad[y : y + height, x : x + width]
            alpha = opacity[: part.shape[0], : part.shape[1], None] / 255.0
            part[:] = (part * (1 - alpha) + drawn[: part.shape[0], : part.shape[1]] * alpha).astype(np.uint8)
            _, jpeg = cv2.imencode(".jpg", cv2.cvtColor(ad, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 75])
            seen = cv2.cvtColor(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
            place = Box(x / ad.shape[1], y / ad.shape[0], (x + width) / ad.shape[1], (y + height) / ad.shape[0])
            matcher = PictureMatcher([file]) if kind == "logo" else PictureMatcher([], [file])
            hits.append(any(match.box.iou(place) >= 0.5 for match in matcher.find(np.asarray(seen, np.uint8))))
        print(f"{kind}, {way}: found in {_share(hits)}")


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.brand_kit", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--fit", action="store_true", help="also fit the weights of the evidence on train and dev")
    parser.add_argument("--part", choices=("campaigns", "ways"), help="only this part")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    designs = read_designs(options.data)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if options.part in (None, "campaigns"):
            search_campaigns(designs, folder, fit=options.fit)
        if options.part in (None, "ways"):
            marks = [cut_mark(first, folder) for first, _ in campaigns(designs)]
            grounds = [d.path for d in designs if d.side == "dev"]
            show_in_ways(marks, grounds, "logo", 0.25)
            show_in_ways(sorted((options.data / "products").glob("pack_*")), grounds, "pack", 0.4)


if __name__ == "__main__":
    main()
