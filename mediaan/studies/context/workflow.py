"""Show an ad in a page, and measure the attention that it gets there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mediaan.analysis import Execution, Plan, Recipe
from mediaan.analysis.options import Device
from mediaan.aoi.scoring.aoi_scores import AttentionShares
from mediaan.errors import UsageError
from mediaan.maps import heatmap
from mediaan.studies.context.attention import (
    ContextPredictor,
    against_expected,
    against_others,
    average_page,
    context_predictor,
    scale_shares,
    speaks_for,
)
from mediaan.studies.context.page import page_notes, page_sentence
from mediaan.studies.context.pictures import (
    FEWEST_OTHERS,
    ContextPicture,
    crop_loss,
    crop_to_aspect,
    outline,
    parse_place,
    paste_ad,
    read_others,
    read_picture,
)
from mediaan.studies.context.result import ContextPosition, ContextResult, ContextScore
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import Problem

PAGE_DRAWS = 12
"""How many other pictures are shown unless said otherwise."""

_LONG_SIDE = 1600
"""Of screenshots as they are read, px: the models look at less."""

_PICTURE_SIDE = 1024
"""Of ads and other pictures as they are read, px."""

_MOST_CROPPED = 1 / 3
"""Share that a picture may lose when it is cropped to the ad's shape to stand in its place."""

_LEAST_FILLED = 0.8
"""Share of a place that the ad must fill, or a problem says that it does not."""

_TALL = 2.4
"""Height over width from which a screenshot shows more than one screen."""


def in_page(
    ad: str | Path,
    screenshot: str | Path,
    at: Sequence[str],
    *,
    display_ad: bool = True,
    others: str | Path | None = None,
    draws: int = PAGE_DRAWS,
    seed: int = 0,
    model: str | Path = "attention",
    device: Device = "auto",
    domain: str | None = None,
    exposure_s: float = 5.0,
) -> ContextResult:
    """Show an ad at places of a page, and predict how much attention it gets there.

    Parameters
    ----------
    ad : str or Path
        A still image.
    screenshot : str or Path
        Of the page, one screen of it.
    at : sequence of str
        Places, each ``x,y,width,height`` in pixels of the screenshot or in ``%``; the ad is shown at one after the
        other, as large as it fits.
    display_ad : bool
        Whether people take the picture for an ad, at which they look less than at content that looks alike; False for
        pictures that are content of the page.
    others : str or Path, optional
        A folder or run of other pictures, which stand in the same places, cropped to the ad's shape.
    draws : int
        How many of the others.
    seed : int
        Of the draws: the same seed gives the same numbers.
    model, device
        As in `analyze`.
    domain : str, optional
        What the page is, as in `analyze`; by default ``page``.
    exposure_s : float
        Seconds for which the page is looked at.

    Raises
    ------
    UsageError
        A place that is none; too few others; a picture that moves.
    MediumError
        A file is bad.

    Examples
    --------
    >>> import mediaan as mn
    >>> result = mn.context.in_page("ad.png", "page.png", ["100,50,300,250"])  # doctest: +SKIP
    >>> result.positions[0]["attention"].value, result.summary  # doctest: +SKIP
    """
    if not at:
        raise UsageError("there is no place: give at least one, such as 100,50,300,250", code="bad_place")
    recipe = Recipe(
        model=str(model), aois="none", maps=(), densities=False, advice="none", exposure_s=exposure_s, domain=domain
    )
    predictor = context_predictor(Plan.of(recipe, Execution(device=device)), "page")
    page, picture = read_picture(screenshot, _LONG_SIDE), read_picture(ad, _PICTURE_SIDE)
    problems, stand_ins = [*page.problems, *picture.problems], list[ContextPicture]()
    if others is not None:
        candidates, left_out = read_others(others, picture.medium.medium_id, seed, _PICTURE_SIDE)
        stand_ins, few = _stand_ins(candidates, picture.aspect, draws)
        problems += [*left_out, *few]
    size = page.medium.width, page.medium.height
    if size[1] > _TALL * size[0]:
        message = f"{page.medium.name}: shows more than one screen, and nobody sees it at once; crop it to one screen"
        problems.append(Problem("tall_page", message))
    factor = average_page().display_ads.value if display_ad else 1.0
    before = predictor.predict(page.rgb)
    pictures: dict[str, UInt8] = {"page_before": page.rgb, "page_before_heat": heatmap(page.rgb, before["total"])}
    positions = []
    for number, text in enumerate(at, 1):
        place = parse_place(text, *size)
        composed = paste_ad(page.rgb, picture.rgb, place)
        box = composed.box
        if box.area < _LEAST_FILLED * place.area:
            filled = 100 * box.area / place.area
            message = f"{text}: the ad fills {filled:.0f} % of the place, which has another shape"
            problems.append(Problem("not_filled", message))
        densities = predictor.predict(composed.rgb)
        shares = scale_shares(predictor.shares(densities, box), factor)
        average = average_page().share(box) if speaks_for(*size) else None
        scores = _scores(predictor, box, shares, before, average, display_ad=display_ad)
        if stand_ins:
            totals = _totals_of_others(predictor, page.rgb, stand_ins, picture.aspect, place, factor)
            scores += against_others([shares.total or 0.0] * len(totals), totals)
        positions.append(ContextPosition(text, box, max(1, len(stand_ins)), scores))
        pictures[f"place_{number}"] = outline(composed.rgb, box)
        pictures[f"place_{number}_heat"] = heatmap(composed.rgb, densities["total"])
    return ContextResult(
        path=str(ad),
        medium=picture.medium,
        positions=tuple(positions),
        exposure_s=exposure_s,
        domain=predictor.domain,
        model=predictor.name,
        draws=max(1, len(stand_ins)),
        seed=seed,
        summary=page_sentence(positions, exposure_s, factor),
        notes=page_notes(display_ad=display_ad, has_others=bool(stand_ins)),
        pictures=pictures,
        problems=tuple(problems),
    )


def _totals_of_others(
    predictor: ContextPredictor,
    page: UInt8,
    others: Sequence[ContextPicture],
    aspect: float,
    place: Box,
    factor: float,
) -> list[float]:
    """Return the share of attention, 0-1, that each other picture gets in a place, cropped to the ad's shape."""
    composed = (paste_ad(page, crop_to_aspect(other.rgb, aspect), place) for other in others)
    return [factor * (predictor.shares(predictor.predict(each.rgb), each.box).total or 0.0) for each in composed]


def _scores(
    predictor: ContextPredictor,
    box: Box,
    shares: AttentionShares,
    before: Densities,
    average: float | None,
    *,
    display_ad: bool,
) -> tuple[ContextScore, ...]:
    """Score an ad in its place, and hold it against the average of that place and against the page before."""
    scores = predictor.score(shares, average_page().display_ads.relative_sd if display_ad else 0.0)
    was = predictor.shares(before, box).total or 0.0
    scores += against_expected(
        scores[0], "average_place", "ratio_to_average", average, "Known of computer screens only."
    )
    return scores + against_expected(
        scores[0], "page_before", "ratio_to_page_before", was, "Nothing is looked at there."
    )


def _stand_ins(
    others: Sequence[ContextPicture], aspect: float, draws: int
) -> tuple[list[ContextPicture], list[Problem]]:
    """Choose one picture for each draw that loses little when cropped to the ad's shape, none twice."""
    if not FEWEST_OTHERS <= draws <= 100:
        raise UsageError(f"draws must be {FEWEST_OTHERS} to 100, not {draws}", code="bad_settings")
    fitting = [other for other in others if crop_loss(other.aspect, aspect) <= _MOST_CROPPED]
    if len(fitting) < FEWEST_OTHERS:
        fitting = sorted(others, key=lambda other: crop_loss(other.aspect, aspect))[:FEWEST_OTHERS]
    chosen, problems = fitting[:draws], []
    if len(chosen) < draws:
        message = (
            f"{len(chosen)} draws instead of {draws}: of {len(others)} other images no more have about the shape of "
            "the ad; intervals are wide. Give more images of its shape"
        )
        problems.append(Problem("few_draws", message))
    if (loss := max(crop_loss(other.aspect, aspect) for other in chosen)) > _MOST_CROPPED:
        message = f"parts of other images stand in the place of the ad: its shape cuts off up to {100 * loss:.0f} %"
        problems.append(Problem("others_cropped", message))
    return chosen, problems
