"""Evaluate the detection of areas on images on which people drew them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.evaluation.aoi.methods import (
    DETECTED,
    HAAR,
    LINES,
    NAMED,
    TRIMMED,
    DetectionMethods,
    ImageDetections,
    LabelledImage,
)
from mediaan.evaluation.aoi.scores import (
    LOOSE_IOU,
    OFFER,
    OTHER_MARK,
    PLATFORM,
    AdKindScores,
    AoiMatches,
    Confusion,
    Rate,
    TypeScores,
    concerns_all,
    count_confusions,
    match_areas,
    precision_recall_f1,
    role_of,
    score_kinds,
    score_type,
)
from mediaan.types.aoi import AOI_TYPES, FOUND_BY, TEXT_TYPES, Aoi, AoiLevel, Box, Brand, Candidate

ANY_TEXT, LINE = "any text", "line"
"""Names of scores over text of any role, and over single lines."""

_ROLES = (*TEXT_TYPES, OFFER, PLATFORM, *(name for name in AOI_TYPES if name not in (*TEXT_TYPES, "other")))

_SAME_MARK_IOU = 0.5
"""IoU from which an undecided area and a drawn one are the same mark."""

Area = TypeVar("Area", Aoi, Candidate)


@dataclass(frozen=True, slots=True)
class BrandRecall:
    """Recall of the advertiser's marks: those whose label holds its name, or is part of it."""

    finder: str
    n_marks: int
    n_pictures: int
    marks: Rate
    """Recall of marks."""
    pictures: Rate
    """Share of the images with such marks in which at least one is found."""


@dataclass(frozen=True, slots=True)
class AoiEvaluation:
    """Evaluation of detection methods on labelled images."""

    level: AoiLevel
    iou: float
    """Overlap of a match."""
    images: tuple[LabelledImage, ...]
    scores: tuple[TypeScores, ...]
    brands: tuple[BrandRecall, ...]
    """Empty where no brand is known."""
    kinds: tuple[AdKindScores, ...]
    """Empty where no kind is known."""
    confusion: Confusion
    """Empty where lines are compared."""
    undecided: dict[str, tuple[Aoi, ...]]
    """Areas that count neither way, by name of the image."""
    matches: dict[tuple[str, str], tuple[AoiMatches, ...]]
    """One per image that the method ran on."""
    models: dict[str, str]
    """Names of the scored models, with the first digits of their sha256."""
    notes: tuple[str, ...]

    def __getitem__(self, key: tuple[str, str]) -> TypeScores:
        return next(scores for scores in self.scores if (scores.finder, scores.type) == key)

    def main_matches(self, image: str) -> list[AoiMatches]:
        """Return the matches in one image of the main method over all types, each text in its role."""
        return [
            m
            for (finder, name), some in self.matches.items()
            if finder in (DETECTED, TRIMMED) and name != ANY_TEXT
            for m in some
            if m.image == image
        ]

    def worst(self, count: int) -> list[ImageErrors]:
        """Return images with an error, by F1 over all types, then by the number of errors."""
        wrong = []
        for image in self.images:
            ours = self.main_matches(image.name)
            hits, total = sum(len(m.pairs) for m in ours), sum(len(m.drawn) + len(m.detected) for m in ours)
            missed = tuple(m.type for m in ours for _ in range(len(m.drawn) - len(m.pairs)))
            extra = tuple(m.type for m in ours for _ in range(len(m.detected) - len(m.pairs)))
            if missed or extra:
                wrong.append(ImageErrors(image.name, 2 * hits / total, missed, extra))
        return sorted(wrong, key=lambda row: (row.f1, -len(row.missed) - len(row.extra), row.image))[:count]

    def to_dict(self) -> dict[str, Any]:
        """Return scores and the worst images, ready for JSON."""
        return {
            "level": self.level,
            "iou": self.iou,
            "n_pictures": len(self.images),
            "models": self.models,
            "scores": [asdict(scores) for scores in self.scores],
            "brands": [asdict(brand) for brand in self.brands],
            "kinds": [asdict(kind) for kind in self.kinds],
            "confusion": asdict(self.confusion),
            "worst": [asdict(row) for row in self.worst(10)],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ImageErrors:
    """Errors in one image: `missed` and `extra` hold the type of each."""

    image: str
    f1: float
    missed: tuple[str, ...]
    extra: tuple[str, ...]


def evaluate_aois(
    methods: DetectionMethods,
    images: Sequence[LabelledImage],
    *,
    iou: float = 0.5,
    progress: Callable[[list[LabelledImage]], Iterable[LabelledImage]] = iter,
) -> AoiEvaluation:
    """Score detection methods on labelled images.

    `iou`: overlap of a match, 0-1.
    `progress`: wraps the images, to show progress.
    Returns: without types that the labels never name: people did not look for them.
    Raises UsageError: an image cannot be opened.
    """
    detections = [methods.detect(image) for image in progress(list(images))]
    matches = _matches(detections, _roles_found(methods.level), iou)
    return AoiEvaluation(
        level=methods.level,
        iou=iou,
        images=tuple(images),
        scores=tuple(score_type(some, finder, name) for (finder, name), some in matches.items()),
        brands=_brand_recalls(detections, matches),
        kinds=score_kinds(images, matches),
        confusion=count_confusions(matches),
        undecided={detection.image.name: detection.undecided for detection in detections},
        matches=matches,
        models=methods.models(),
        notes=tuple(problem for detection in detections for problem in detection.problems),
    )


def _roles_found(level: AoiLevel) -> tuple[str, ...]:
    """Return the roles of areas that a search of a level finds; offers and the platform's words are read like text."""
    types = FOUND_BY[level] | ({OFFER, PLATFORM} if "body_text" in FOUND_BY[level] else frozenset())
    return tuple(role for role in _ROLES if role in types)


def _matches(
    detections: Sequence[ImageDetections], roles: Sequence[str], iou: float
) -> dict[tuple[str, str], tuple[AoiMatches, ...]]:
    """Match areas by method and role, one of each image; roles that nobody drew are left out."""
    drawn = {role_of(aoi) for detection in detections for aoi in detection.drawn}
    texts = bool(drawn & {*TEXT_TYPES, OFFER})
    ways = [(DETECTED, role, role) for role in roles if role in drawn]
    merged = ((DETECTED, ANY_TEXT), (LINES, LINE), (TRIMMED, LINE))
    ways += [(finder, name, "body_text") for finder, name in merged if texts]
    ways += [(NAMED, "branding", "branding")] if "branding" in drawn else []
    ways += [(HAAR, "face", "face")] if "face" in drawn else []
    by_finder = {
        finder: [detection for detection in detections if finder in detection.detected] for finder, _, _ in ways
    }
    return {
        (finder, name): tuple(_match(detection, finder, name, role, iou) for detection in by_finder[finder])
        for finder, name, role in ways
        if by_finder[finder]
    }


def _match(detections: ImageDetections, finder: str, name: str, role: str, iou: float) -> AoiMatches:
    drawn, undecided, candidates = detections.drawn, detections.undecided, detections.detected[finder]
    if name in (ANY_TEXT, LINE):
        drawn, candidates = _as_body(drawn), _as_body(candidates)
        undecided = (*_as_body(undecided), *filter(concerns_all, undecided))
    if finder == NAMED and detections.image.facts.brand:
        drawn, undecided = judge_by_brand(drawn, undecided, detections.image.facts.brand)
    elif role == "branding":
        undecided += tuple(replace(aoi, type="branding") for aoi in drawn if role_of(aoi) == OTHER_MARK)
    return match_areas(detections.image.name, role, drawn, candidates, iou=iou, undecided=undecided)


def _as_body(areas: tuple[Area, ...]) -> tuple[Area, ...]:
    """Relabel texts of any role as body text, without those of the platform, which are mostly symbols."""
    return tuple(replace(area, type="body_text") for area in areas if role_of(area) in (*TEXT_TYPES, OFFER))


def judge_by_brand(
    drawn: Sequence[Aoi], undecided: Sequence[Aoi], brand: Brand
) -> tuple[tuple[Aoi, ...], tuple[Aoi, ...]]:
    """Judge marks by whether they are a brand's, for a method with the brand named.

    Returns `drawn`: marks of the brand stay branding; those of others become ``other mark``, so that finding them is
        wrong.
    Returns `undecided`: without the marks of others, with marks that nobody named.
    """
    kept: list[Aoi] = []
    theirs: list[Aoi] = []
    doubtful: list[Aoi] = []
    for aoi in drawn:
        name = aoi.label.partition(":")[2] if role_of(aoi) == OTHER_MARK else aoi.label
        if aoi.type != "branding" and role_of(aoi) != OTHER_MARK:
            kept.append(aoi)
        elif not is_mark_of(name, brand) and name.strip():
            theirs.append(replace(aoi, type="other", label=f"{OTHER_MARK}: {name.strip()}"))
        elif aoi.type == "branding" and name.strip():
            kept.append(aoi)
        else:  # nobody said whose it is, or it counts as the brand though people called it another's
            doubtful.append(replace(aoi, type="branding"))
    doubtful += [
        area
        for area in undecided
        if area.type != "branding" or all(area.box.iou(mark.box) < _SAME_MARK_IOU for mark in theirs)
    ]
    return (*kept, *theirs), tuple(doubtful)


def _brand_recalls(
    detections: Sequence[ImageDetections], matches: dict[tuple[str, str], tuple[AoiMatches, ...]]
) -> tuple[BrandRecall, ...]:
    brands = {detection.image.name: brand for detection in detections if (brand := detection.image.facts.brand)}
    recalls = []
    for finder in (DETECTED, NAMED):
        if not brands or (finder, "branding") not in matches:
            continue
        rows = []  # of each image with marks of its brand: how many are found, how many there are
        for m in matches[finder, "branding"]:
            if m.image in brands:
                brand_marks = {i for i, aoi in enumerate(m.drawn) if is_mark_of(aoi.label, brands[m.image])}
                if brand_marks:
                    rows.append((len(brand_marks & set(m.pairs.values())), len(brand_marks)))
        counts = np.array([(hits, hits, there) for hits, there in rows], np.float64).reshape(-1, 3)
        seen = np.array([(hits > 0, hits > 0, 1) for hits, _ in rows], np.float64).reshape(-1, 3)
        marks, images = precision_recall_f1(counts)[1], precision_recall_f1(seen)[1]
        recalls.append(BrandRecall(finder, int(counts[:, 2].sum()), len(rows), marks, images))
    return tuple(recalls)


def is_mark_of(label: str, brand: Brand) -> bool:
    """Return True if the label of a mark names a brand.

    >>> is_mark_of("Nissan Murano", Brand("Nissan")), is_mark_of("Boss", Brand("Hugo Boss")), is_mark_of("", Brand("A"))
    (True, True, False)
    """
    words = normalize_name(label)
    names = [normalize_name(name) for name in (brand.name, *brand.aliases)]
    return bool(words) and any(name and (name in words or words in name) for name in names)


_SIDES = ("x0", "y0", "x1", "y1")
_OUTCOMES = (
    f"found; loose: overlaps by {LOOSE_IOU} only; as_other: found under another type; missed; extra: nobody drew it; "
    "ignored: found in an undecided area"
)


def aois_table(evaluation: AoiEvaluation) -> pa.Table:
    """Make a table of one row per drawn area and per false one, for each method and type."""
    rows = [
        {"finder": finder, "type": name, **row}
        for (finder, name), some in evaluation.matches.items()
        for matches in some
        for row in _rows(matches)
    ]
    return pa.Table.from_pylist(rows, schema=_schema(evaluation.iou))


def _schema(iou: float) -> pa.Schema:
    def field(name: str, kind: pa.DataType, caption: str) -> pa.Field:
        return pa.field(name, kind, metadata={"caption": caption, "unit": "1" if kind == pa.float64() else ""})

    words = [
        field("finder", pa.string(), "What found it"),
        field("type", pa.string(), "Role of the area"),
        field("image", pa.string(), "Name of the image"),
        field("outcome", pa.string(), _OUTCOMES),
        field("label", pa.string(), "What people called it"),
        field("found_label", pa.string(), "What it was found as"),
        field(
            "confused_with", pa.string(), "Role of what overlaps it most: found there, or of an extra one drawn there"
        ),
        field("iou", pa.float64(), "Greatest overlap with any that was found"),
        field("confidence", pa.float64(), "Of what was found"),
    ]
    sides = [field(f"{prefix}{side}", pa.float64(), "Unit coordinates") for prefix in ("", "found_") for side in _SIDES]
    return pa.schema(words + sides, metadata={"iou": str(iou)})


def _rows(matches: AoiMatches) -> Iterator[dict[str, object]]:
    for i, aoi in enumerate(matches.drawn):
        partner = matches.partner(i)
        yield {
            "image": matches.image,
            "outcome": matches.outcome(i),
            "label": aoi.label,
            "iou": matches.overlaps[i],
            "confused_with": matches.found_as[i],
            **_sides("", aoi.box),
            **_found(partner),
        }
    taken = set(matches.pairs) | set(matches.loose_pairs)
    for i, candidate in enumerate(matches.detected):
        if i not in taken:
            yield {
                "image": matches.image,
                "outcome": "extra",
                "confused_with": matches.drawn_as[i],
                **_found(candidate),
            }
    for candidate in matches.ignored:
        yield {"image": matches.image, "outcome": "ignored", **_found(candidate)}


def _found(candidate: Candidate | None) -> dict[str, object]:
    if candidate is None:
        return {}
    box = _sides("found_", candidate.box)
    return {"found_label": candidate.label, "confidence": candidate.confidence, **box}


def _sides(prefix: str, box: Box) -> dict[str, object]:
    return {f"{prefix}{side}": value for side, value in zip(_SIDES, box, strict=True)}
