"""Score the detection of areas on pictures on which people drew them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np

from mediaan.aoi.names import squashed
from mediaan.evaluation.aoi_breakdown import Confusion, KindScores, confuse, score_kinds
from mediaan.evaluation.aoi_finders import DETECTED, HAAR, LINES, NAMED, TRIMMED, Finders, Looked
from mediaan.evaluation.aoi_labels import LabelledPicture
from mediaan.evaluation.aoi_match import OFFER, OTHER_MARK, PLATFORM, Matches, concerns_all, match_type, role_of
from mediaan.evaluation.aoi_score import Rate, TypeScores, rates, score_type
from mediaan.types.aoi import TEXT_TYPES, Aoi, AoiLevel, Brand, Candidate

ANY_TEXT, LINE = "any text", "line"
"""Text of whatever role; single lines."""

_BY_LEVEL: dict[str, tuple[str, ...]] = {
    "text": (*TEXT_TYPES, OFFER, PLATFORM, "branding"),
    "objects": ("branding", "product", "face", "person"),
    "all": (*TEXT_TYPES, OFFER, PLATFORM, "branding", "product", "face", "person"),
}

_SAME_MARK = 0.5
"""IoU from which an undecided area and a drawn one are the same mark."""

Area = TypeVar("Area", Aoi, Candidate)


@dataclass(frozen=True, slots=True)
class BrandRecall:
    """Marks of the brand whose advertisement it is: those whose label holds its name, or is part of it.

    Attributes
    ----------
    finder : str
    n_marks, n_pictures : int
    marks : Rate
        Share of the marks that are found.
    pictures : Rate
        Share of the pictures with such marks in which one at least is found.
    """

    finder: str
    n_marks: int
    n_pictures: int
    marks: Rate
    pictures: Rate


@dataclass(frozen=True, slots=True)
class AoiEvaluation:
    """How detection did on labelled pictures.

    Attributes
    ----------
    level : {'text', 'objects', 'all'}
    iou : float
        Overlap from which something is found.
    pictures : tuple of LabelledPicture
    scores : tuple of TypeScores
    brands : tuple of BrandRecall
        Empty where no brand is known.
    kinds : tuple of KindScores
        Empty where no kind is known.
    confusion : Confusion
        Empty where lines are compared.
    undecided : dict of str to tuple of Aoi
        Areas that count neither way, by name of the picture.
    matches : dict of (finder, type) to tuple of Matches
        One per picture that the finder looked at.
    models : dict of str to str
        What was scored: names of models, with the first figures of their sha256.
    notes : tuple of str
    """

    level: AoiLevel
    iou: float
    pictures: tuple[LabelledPicture, ...]
    scores: tuple[TypeScores, ...]
    brands: tuple[BrandRecall, ...]
    kinds: tuple[KindScores, ...]
    confusion: Confusion
    undecided: dict[str, tuple[Aoi, ...]]
    matches: dict[tuple[str, str], tuple[Matches, ...]]
    models: dict[str, str]
    notes: tuple[str, ...]

    def __getitem__(self, key: tuple[str, str]) -> TypeScores:
        return next(scores for scores in self.scores if (scores.finder, scores.type) == key)

    def worst(self, count: int) -> list[PictureErrors]:
        """Pictures with an error, by F1 over all types, then by the number of errors."""
        rows = [_errors(self.matches, picture.name) for picture in self.pictures]
        wrong = [row for row in rows if row.missed or row.extra]
        return sorted(wrong, key=lambda row: (row.f1, -len(row.missed) - len(row.extra), row.image))[:count]

    def to_dict(self) -> dict[str, Any]:
        """Scores and the worst pictures, ready for JSON."""
        return {
            "level": self.level,
            "iou": self.iou,
            "n_pictures": len(self.pictures),
            "models": self.models,
            "scores": [asdict(scores) for scores in self.scores],
            "brands": [asdict(brand) for brand in self.brands],
            "kinds": [asdict(kind) for kind in self.kinds],
            "confusion": asdict(self.confusion),
            "worst": [asdict(row) for row in self.worst(10)],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class PictureErrors:
    """What went wrong in one picture: `missed` and `extra` hold the type of each."""

    image: str
    f1: float
    missed: tuple[str, ...]
    extra: tuple[str, ...]


def evaluate_aois(
    finders: Finders,
    pictures: Sequence[LabelledPicture],
    *,
    iou: float = 0.5,
    progress: Callable[[list[LabelledPicture]], Iterable[LabelledPicture]] = iter,
) -> AoiEvaluation:
    """Score finders on labelled pictures.

    Parameters
    ----------
    finders : Finders
    pictures : sequence of LabelledPicture
    iou : float
        Overlap from which something counts as found, 0-1.
    progress : callable, optional
        Wraps the pictures, to watch them go by.

    Returns
    -------
    AoiEvaluation
        Types that the labels never name are left out: people did not look for them.

    Raises
    ------
    UsageError
        A picture cannot be opened.
    """
    looked = [finders.look(picture) for picture in progress(list(pictures))]
    matches = _matches(looked, _BY_LEVEL[finders.level], iou)
    return AoiEvaluation(
        level=finders.level,
        iou=iou,
        pictures=tuple(pictures),
        scores=tuple(score_type(some, finder, name) for (finder, name), some in matches.items()),
        brands=_brand_recalls(looked, matches),
        kinds=score_kinds(pictures, matches),
        confusion=confuse(matches),
        undecided={one.picture.name: one.undecided for one in looked},
        matches=matches,
        models=finders.models(),
        notes=tuple(problem for one in looked for problem in one.problems),
    )


def _matches(looked: Sequence[Looked], roles: Sequence[str], iou: float) -> dict[tuple[str, str], tuple[Matches, ...]]:
    """By finder and role, one of each picture; roles that nobody drew are left out."""
    drawn = {role_of(aoi) for one in looked for aoi in one.drawn}
    texts = bool(drawn & {*TEXT_TYPES, OFFER})
    ways = [(DETECTED, role, role) for role in roles if role in drawn]
    merged = ((DETECTED, ANY_TEXT), (LINES, LINE), (TRIMMED, LINE))
    ways += [(finder, name, "body_text") for finder, name in merged if texts]
    ways += [(NAMED, "branding", "branding")] if "branding" in drawn else []
    ways += [(HAAR, "face", "face")] if "face" in drawn else []
    by_finder = {finder: [one for one in looked if finder in one.found] for finder, _, _ in ways}
    return {
        (finder, name): tuple(_match(one, finder, name, role, iou) for one in by_finder[finder])
        for finder, name, role in ways
        if by_finder[finder]
    }


def _match(looked: Looked, finder: str, name: str, role: str, iou: float) -> Matches:
    drawn, undecided, found = looked.drawn, looked.undecided, looked.found[finder]
    if name in (ANY_TEXT, LINE):
        drawn, found = _as_body(drawn), _as_body(found)
        undecided = (*_as_body(undecided), *filter(concerns_all, undecided))
    if finder == NAMED and looked.picture.facts.brand:
        drawn, undecided = of_brand(drawn, undecided, looked.picture.facts.brand)
    elif role == "branding":
        undecided += tuple(replace(aoi, type="branding") for aoi in drawn if role_of(aoi) == OTHER_MARK)
    return match_type(looked.picture.name, role, drawn, found, iou=iou, undecided=undecided)


def _as_body(areas: tuple[Area, ...]) -> tuple[Area, ...]:
    """Texts of any role as if they were of one; what belongs to the platform is mostly signs."""
    return tuple(replace(area, type="body_text") for area in areas if role_of(area) in (*TEXT_TYPES, OFFER))


def of_brand(drawn: Sequence[Aoi], undecided: Sequence[Aoi], brand: Brand) -> tuple[tuple[Aoi, ...], tuple[Aoi, ...]]:
    """Judge marks by whether they are a brand's, for a finder that is told the brand.

    Parameters
    ----------
    drawn, undecided : sequence of Aoi
    brand : Brand

    Returns
    -------
    drawn : tuple of Aoi
        Marks of the brand stay branding; those of others become ``other mark``, so that finding them is wrong.
    undecided : tuple of Aoi
        Without the marks of others, with marks that nobody named.
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
        if area.type != "branding" or all(area.box.iou(mark.box) < _SAME_MARK for mark in theirs)
    ]
    return (*kept, *theirs), tuple(doubtful)


def _brand_recalls(
    looked: Sequence[Looked], matches: dict[tuple[str, str], tuple[Matches, ...]]
) -> tuple[BrandRecall, ...]:
    brands = {one.picture.name: brand for one in looked if (brand := one.picture.facts.brand)}
    return tuple(
        _brand_recall(finder, [m for m in matches[finder, "branding"] if m.image in brands], brands)
        for finder in (DETECTED, NAMED)
        if brands and (finder, "branding") in matches
    )


def _brand_recall(finder: str, matches: Sequence[Matches], brands: dict[str, Brand]) -> BrandRecall:
    rows = []
    for m in matches:
        own = {i for i, aoi in enumerate(m.drawn) if is_mark_of(aoi.label, brands[m.image])}
        if own:
            rows.append((len(own & set(m.pairs.values())), len(own)))
    counts = np.array([(hits, hits, there) for hits, there in rows], np.float64).reshape(-1, 3)
    seen = np.array([(hits > 0, hits > 0, 1) for hits, _ in rows], np.float64).reshape(-1, 3)
    return BrandRecall(finder, int(counts[:, 2].sum()), len(rows), rates(counts)[1], rates(seen)[1])


def is_mark_of(label: str, brand: Brand) -> bool:
    """Whether what people called a mark speaks of a brand.

    Examples
    --------
    >>> is_mark_of("Nissan Murano", Brand("Nissan")), is_mark_of("Boss", Brand("Hugo Boss")), is_mark_of("", Brand("A"))
    (True, True, False)
    """
    said = squashed(label)
    names = [squashed(name) for name in (brand.name, *brand.aliases)]
    return bool(said) and any(name and (name in said or said in name) for name in names)


def _errors(matches: dict[tuple[str, str], tuple[Matches, ...]], image: str) -> PictureErrors:
    """Over all types of the first finder, each text in its role."""
    ours = [
        m
        for (finder, name), some in matches.items()
        if finder in (DETECTED, TRIMMED) and name != ANY_TEXT
        for m in some
        if m.image == image
    ]
    hits, total = sum(len(m.pairs) for m in ours), sum(len(m.drawn) + len(m.found) for m in ours)
    missed = [m.type for m in ours for _ in range(len(m.drawn) - len(m.pairs))]
    extra = [m.type for m in ours for _ in range(len(m.found) - len(m.pairs))]
    return PictureErrors(image, 2 * hits / total if total else 1.0, tuple(missed), tuple(extra))
