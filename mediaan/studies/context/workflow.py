"""Show an ad in a page, in a feed or on a shelf, and measure the attention that it gets there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from mediaan.analysis import Execution, Plan, Recipe
from mediaan.analysis.execution import Device
from mediaan.aoi.scoring.aoi_scores import AttentionShares
from mediaan.errors import UsageError
from mediaan.maps import heatmap
from mediaan.studies.context.attention import ContextPredictor, context_predictor, scale_shares
from mediaan.studies.context.average_page import average_page, speaks_for
from mediaan.studies.context.comparison import (
    against_equal_share,
    against_expected,
    against_others,
    mean_of_positions,
    planned_share,
)
from mediaan.studies.context.composition import ContextPicture, crop_loss, crop_to_aspect, outline, read_picture
from mediaan.studies.context.feed import VIEWPORTS, FeedScreen, draw_feed
from mediaan.studies.context.others import FEWEST_OTHERS, read_others
from mediaan.studies.context.result import ContextPosition, ContextResult
from mediaan.studies.context.screenshot import parse_place, paste_ad
from mediaan.studies.context.sentences import feed_sentence, notes_of, page_sentence, planogram_sentence, shelf_sentence
from mediaan.studies.context.shelf import PlanogramEntry, Shelf, cell_width, draw_shelf, read_planogram
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.media import Problem
from mediaan.types.placement import BUILT_IN_PLACEMENTS, Placement

PAGE_DRAWS, FEED_DRAWS, SHELF_DRAWS = 12, 12, 8
"""How many draws of other pictures are composed unless said otherwise."""

_LONG_SIDE = 1600
"""Of screenshots as they are read, px: the models look at less."""

_PICTURE_SIDE = 1024
"""Of ads, packs and other pictures as they are read, px."""

_MOST_CROPPED = 1 / 3
"""Share that a picture may lose when it is cropped to the ad's shape to stand in its place."""

_LEAST_FILLED = 0.8
"""Share of a place that the ad must fill not to be told that it does not."""

_LEAST_TOLD = 0.01
"""Share of an ad that must be cropped off to be told."""

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

    Returns
    -------
    ContextResult

    Raises
    ------
    UsageError
        A place that is none; too few others; a picture that moves.
    MediumError
        A file is bad.

    Examples
    --------
    >>> import mediaan as mn
    >>> found = mn.context.in_page("ad.png", "page.png", ["100,50,300,250"])  # doctest: +SKIP
    >>> found.own()[0]["attention"].value, found.summary  # doctest: +SKIP
    """
    if not at:
        raise UsageError("there is no place: give at least one, such as 100,50,300,250", code="bad_place")
    predictor = _predictor(model, device, domain, exposure_s, "page")
    page, picture = read_picture(screenshot, _LONG_SIDE), read_picture(ad, _PICTURE_SIDE)
    problems, stand_ins = [*page.problems, *picture.problems], list[ContextPicture]()
    if others is not None:
        found, skipped = read_others(others, picture.medium.medium_id, seed, _PICTURE_SIDE)
        stand_ins, few = _stand_ins(found, picture.aspect, draws)
        problems += [*skipped, *few]
    size = page.medium.width, page.medium.height
    if size[1] > _TALL * size[0]:
        message = f"{page.medium.name}: shows more than one screen, and nobody sees it at once; crop it to one screen"
        problems.append(Problem("tall_page", message))
    ads = average_page().display_ads
    factor = ads.factor if display_ad else 1.0
    before = predictor.predict(page.rgb)
    pictures: dict[str, UInt8] = {"page_before": page.rgb, "page_before_heat": heatmap(page.rgb, before["total"])}
    positions = []
    for number, text in enumerate(at, 1):
        place = parse_place(text, *size)
        shown = paste_ad(page.rgb, picture.rgb, place)
        if shown.box.area < _LEAST_FILLED * place.area:
            filled = 100 * shown.box.area / place.area
            message = f"{text}: the ad fills {filled:.0f} % of the place, which has another shape"
            problems.append(Problem("not_filled", message))
        densities = predictor.predict(shown.rgb)
        own = scale_shares(predictor.shares(densities, shown.box), factor)
        moved = predictor.relative_sd(predictor.repeat(shown.rgb), shown.box) or 0.0
        scores = predictor.score([own], float(np.hypot(moved, ads.relative_sd if display_ad else 0.0)))
        was = predictor.shares(before, shown.box).total or 0.0
        average: float | None = average_page().share(shown.box) if speaks_for(*size) else None
        scores += against_expected(
            scores[0], "average_place", "ratio_to_average", average, "Known of computer screens only."
        )
        scores += against_expected(scores[0], "page_before", "ratio_to_page_before", was, "Nothing is looked at there.")
        if stand_ins:
            composed = [paste_ad(page.rgb, crop_to_aspect(one.rgb, picture.aspect), place) for one in stand_ins]
            totals = [factor * (predictor.shares(predictor.predict(one.rgb), one.box).total or 0.0) for one in composed]
            scores += against_others([own.total or 0.0] * len(totals), totals)
        positions.append(ContextPosition("", text, str(ad), shown.box, max(1, len(stand_ins)), scores))
        name = f"place_{number}"
        pictures |= _pictures(name, shown.rgb, shown.box, predictor)
    return ContextResult(
        "page", str(ad), picture.medium, tuple(positions), exposure_s, predictor.domain, predictor.name,
        max(1, len(stand_ins)), seed, len(stand_ins), page_sentence(positions, exposure_s, factor),
        notes_of("display_ad" if display_ad else "page", has_others=bool(stand_ins)), pictures, tuple(problems),
    )  # fmt: skip


def in_feed(
    ad: str | Path,
    others: str | Path,
    *,
    views: Sequence[str] | None = None,
    placement: str | None = None,
    positions: int = 3,
    width: int | None = None,
    draws: int = FEED_DRAWS,
    seed: int = 0,
    model: str | Path = "attention",
    device: Device = "auto",
    domain: str | None = None,
    exposure_s: float | None = None,
) -> ContextResult:
    """Show an ad in a feed of other pictures, and compare it with others at the same places.

    Every draw takes other neighbours, and one more picture that stands in the place of the ad, cropped to its shape:
    the two screens differ in nothing else.

    Parameters
    ----------
    ad : str or Path
        A still image.
    others : str or Path
        A folder or run with at least four other pictures.
    views : sequence of {'phone', 'desktop'}, optional
        By default both; with a placement, the phone.
    placement : str, optional
        A placement in a feed, such as ``instagram_feed``: it says how wide the pictures are, how the ad is cropped, and
        how long it is looked at.
    positions : int
        Places from the top of the screen to its end, 1 to 9.
    width : int, optional
        Of the pictures, CSS px; by default 390 on a phone and 500 on a desktop.
    draws, seed, model, device, domain
        As in `in_page`.
    exposure_s : float, optional
        Seconds for which the screen is looked at; by default that of the placement, else 5.

    Returns
    -------
    ContextResult

    Raises
    ------
    UsageError, MediumError
        As of `in_page`; a view, number or width that cannot be.
    """
    if not 1 <= positions <= 9:
        raise UsageError(f"positions must be 1 to 9, not {positions}", code="bad_settings")
    slot = None if placement is None else _feed_placement(placement)
    exposure_s = exposure_s or (slot.exposure_s if slot else None) or 5.0
    predictor = _predictor(model, device, domain, exposure_s, "page")
    picture = read_picture(ad, _PICTURE_SIDE)
    aspect = picture.aspect if slot is None else _shown_aspect(slot, picture.aspect)
    found, problems = read_others(others, picture.medium.medium_id, seed, _PICTURE_SIDE)
    problems = [*picture.problems, *problems]
    if (loss := crop_loss(picture.aspect, aspect)) > _LEAST_TOLD:
        message = f"{placement} shows another shape: {100 * loss:.0f} % of the ad are cropped off"
        problems.append(Problem("cropped", message))
    stand_ins, few = _stand_ins(found, aspect, draws)
    problems += few
    places = [0.0] if positions == 1 else [i / (positions - 1) for i in range(positions)]
    rows, pictures = [], dict[str, UInt8]()
    for name in dict.fromkeys(views or (("phone",) if slot else VIEWPORTS)):
        view = _viewport(name, width or (round(slot.css_px[0]) if slot and slot.css_px else None))
        own: list[list[AttentionShares]] = [[] for _ in places]
        totals: list[list[float]] = [[] for _ in places]
        boxes = []
        for draw, stand_in in enumerate(stand_ins):
            rest = [one.rgb for one in found if one is not stand_in]
            order = np.random.default_rng([seed, draw]).permutation(len(rest))[:6]
            neighbours = [rest[i] for i in order]
            for i, place in enumerate(places):
                shown = draw_feed(view, picture.rgb, aspect, place, neighbours)
                other = draw_feed(view, stand_in.rgb, aspect, place, neighbours)
                own[i].append(predictor.shares(predictor.predict(shown.rgb), shown.box))
                totals[i].append(predictor.shares(predictor.predict(other.rgb), other.box).total or 0.0)
                if draw == 0:
                    boxes.append(shown.box)
                    pictures |= _pictures(f"{name}_{_place_name(i, positions)}", shown.rgb, shown.box, predictor)
        mine = _totals(own)
        for i, box in enumerate(boxes):
            scores = predictor.score(own[i]) + against_others(mine[i], totals[i])
            rows.append(ContextPosition(name, _place_name(i, positions), str(ad), box, len(stand_ins), scores))
        rows.append(mean_of_positions(name, str(ad), mine, totals))
    return ContextResult(
        "feed", str(ad), picture.medium, tuple(rows), exposure_s, predictor.domain, predictor.name,
        len(stand_ins), seed, len(found), feed_sentence(rows, len(found)),
        notes_of("feed", has_others=True), pictures, tuple(problems),
    )  # fmt: skip


def on_shelf(
    pack: str | Path,
    planogram: str | Path,
    *,
    rows: int = 3,
    columns: int = 5,
    trim_white: bool = False,
    draws: int = SHELF_DRAWS,
    seed: int = 0,
    model: str | Path = "attention",
    device: Device = "auto",
    domain: str | None = None,
    exposure_s: float = 5.0,
) -> ContextResult:
    """Show a pack on a shelf of packs, and compare it with an equal share and with others at the same places.

    Parameters
    ----------
    pack : str or Path
        Picture of the pack; transparency is respected.
    planogram : str or Path
        A folder or run of other packs, of which shelves are filled by lot, with the pack at every place in turn; or a
        CSV file with the columns file, row, column and, if wanted, facings and height_cm, which lists the pack too.
    rows, columns : int
        Of the shelves that are filled by lot: 1 to 6, 2 to 12.
    trim_white : bool
        Cut away white backgrounds.
    draws, seed, model, device, exposure_s
        As in `in_page`.
    domain : str, optional
        What the shelf is, as in `analyze`; by default ``photo``.

    Returns
    -------
    ContextResult

    Raises
    ------
    UsageError, MediumError
        As of `in_page`; a planogram that cannot be.
    """
    predictor = _predictor(model, device, domain, exposure_s, "photo")
    picture = read_picture(pack, _PICTURE_SIDE, cut_out=True, trim_white=trim_white)
    if Path(planogram).is_file():
        return _planned_shelf(str(pack), picture, Path(planogram), predictor, trim_white=trim_white)
    if not (1 <= rows <= 6 and 2 <= columns <= 12):
        raise UsageError(f"rows must be 1 to 6 and columns 2 to 12, not {rows} and {columns}", code="bad_settings")
    own_id = picture.medium.medium_id
    found, problems = read_others(planogram, own_id, seed, _PICTURE_SIDE, cut_out=True, trim_white=trim_white)
    draws = _checked_draws(draws)
    places = list(product(range(1, rows + 1), range(1, columns + 1)))
    packs = {str(i): one for i, one in enumerate(found)} | {"pack": picture}
    cell = cell_width(packs.values())
    own: list[list[AttentionShares]] = [[] for _ in places]
    totals: list[list[float]] = [[] for _ in places]
    shelf_shares: list[list[float]] = [[] for _ in places]
    pictures: dict[str, UInt8] = {}
    shelf: Shelf | None = None
    for draw in range(draws):
        order = _fill(len(places), len(found), np.random.default_rng([seed, draw]))
        base = [PlanogramEntry(str(one), *place) for one, place in zip(order, places, strict=True)]
        without = draw_shelf(base, packs, cell=cell)
        densities = predictor.predict(without.rgb)
        for i, place in enumerate(places):
            totals[i].append(predictor.shares(densities, without.places[i]).total or 0.0)
            entries = [*base[:i], PlanogramEntry("pack", *place), *base[i + 1 :]]
            shelf = draw_shelf(entries, packs, cell=cell)
            predicted = predictor.predict(shelf.rgb)
            shares = [predictor.shares(predicted, box) for box in shelf.places]
            own[i].append(shares[i])
            on_packs = sum(one.total or 0.0 for one in shares)
            shelf_shares[i].append((shares[i].total or 0.0) / on_packs if on_packs else 0.0)
            if draw == 0 and place == ((rows + 1) // 2, (columns + 1) // 2):
                pictures = _pictures("shelf", shelf.rgb, shelf.places[i], predictor)
    assert shelf is not None
    mine = _totals(own)
    equal = 1 / len(places)
    positions = []
    for i, (row, column) in enumerate(places):
        scores = predictor.score(own[i]) + against_others(mine[i], totals[i])
        scores += against_equal_share(shelf_shares[i], equal)
        name = PlanogramEntry("", row, column).name
        positions.append(ContextPosition("", name, str(pack), shelf.places[i], draws, scores))
    every = mean_of_positions("", str(pack), mine, totals)
    means = [float(np.mean(of_draw)) for of_draw in zip(*shelf_shares, strict=True)]
    positions.append(replace(every, scores=every.scores + against_equal_share(means, equal)))
    return ContextResult(
        "shelf", str(pack), picture.medium, tuple(positions), exposure_s, predictor.domain, predictor.name,
        draws, seed, len(found), shelf_sentence(positions, rows, columns),
        notes_of("shelf", has_others=True), pictures, (*picture.problems, *problems),
    )  # fmt: skip


def _planned_shelf(
    pack: str, picture: ContextPicture, planogram: Path, predictor: ContextPredictor, *, trim_white: bool
) -> ContextResult:
    """Measure a pack on the shelves of a planogram, and every other pack of it."""
    entries = read_planogram(planogram)
    packs: dict[str, ContextPicture] = {}
    for name in dict.fromkeys(entry.file for entry in entries):
        path = planogram.parent / name
        if not path.is_file():
            raise UsageError(f"{planogram}: {name}: there is no such file beside the planogram", code="bad_planogram")
        packs[name] = read_picture(path, _PICTURE_SIDE, cut_out=True, trim_white=trim_white)
    named = [name for name, one in packs.items() if one.medium.medium_id == picture.medium.medium_id]
    if not named:
        message = f"{planogram}: does not list {picture.medium.name}; add a line with its file, row and column"
        raise UsageError(message, code="bad_planogram")
    shelf = draw_shelf(entries, packs)
    densities, repeats = predictor.predict(shelf.rgb), predictor.repeat(shelf.rgb)
    shares = [predictor.shares(densities, box) for box in shelf.packs]
    on_packs, facings = sum(one.total or 0.0 for one in shares), sum(entry.facings for entry in entries)
    positions = []
    for entry, box, own in zip(entries, shelf.packs, shares, strict=True):
        scores = predictor.score([own], predictor.relative_sd(repeats, box))
        scores += planned_share(scores[0], on_packs, entry.facings / facings)
        item = pack if entry.file in named else entry.file
        positions.append(ContextPosition("", entry.name, item, box, 1, scores))
    positions.sort(key=lambda one: one.item != pack)
    own_box = next(one.box for one in positions if one.box is not None)
    problems = tuple(dict.fromkeys(problem for one in packs.values() for problem in one.problems))
    mine = sum(entry.facings for entry in entries if entry.file in named)
    return ContextResult(
        "shelf", pack, picture.medium, tuple(positions), predictor.exposure_s, predictor.domain, predictor.name,
        1, 0, len(packs) - len(named), planogram_sentence(positions, pack, mine, facings),
        notes_of("planogram", has_others=False), _pictures("shelf", shelf.rgb, own_box, predictor), problems,
    )  # fmt: skip


def _predictor(
    model: str | Path, device: Device, domain: str | None, exposure_s: float, usual: str
) -> ContextPredictor:
    recipe = Recipe(
        model=str(model), aois="none", maps=(), densities=False, advice="none", exposure_s=exposure_s, domain=domain
    )
    return context_predictor(Plan.of(recipe, Execution(device=device)), usual)


def _stand_ins(
    others: Sequence[ContextPicture], aspect: float, draws: int
) -> tuple[list[ContextPicture], list[Problem]]:
    """Choose one picture for each draw that loses little when cropped to the ad's shape, none twice."""
    fitting = [one for one in others if crop_loss(one.aspect, aspect) <= _MOST_CROPPED]
    if len(fitting) < FEWEST_OTHERS:
        fitting = sorted(others, key=lambda one: crop_loss(one.aspect, aspect))[:FEWEST_OTHERS]
    chosen, problems = fitting[: _checked_draws(draws)], []
    if len(chosen) < draws:
        message = (
            f"{len(chosen)} draws instead of {draws}: of {len(others)} other images no more have about the shape of "
            "the ad; intervals are wide. Give more images of its shape"
        )
        problems.append(Problem("few_draws", message))
    if (loss := max(crop_loss(one.aspect, aspect) for one in chosen)) > _MOST_CROPPED:
        message = f"parts of other images stand in the place of the ad: its shape cuts off up to {100 * loss:.0f} %"
        problems.append(Problem("others_cropped", message))
    return chosen, problems


def _checked_draws(draws: int) -> int:
    if not FEWEST_OTHERS <= draws <= 100:
        raise UsageError(f"draws must be {FEWEST_OTHERS} to 100, not {draws}", code="bad_settings")
    return draws


def _fill(count: int, packs: int, rng: np.random.Generator) -> list[int]:
    """Return a pack for each of `count` places, all equally often as far as that goes."""
    rounds = [rng.permutation(packs) for _ in range(-(-count // packs))]
    return [int(one) for one in np.concatenate(rounds)[:count]]


def _viewport(name: str, width: int | None) -> FeedScreen:
    if name not in VIEWPORTS:
        raise UsageError(f"there is no view {name!r}; there are {', '.join(VIEWPORTS)}", code="bad_settings")
    view = VIEWPORTS[name]
    if width is None:
        return view
    if not 100 <= width <= view.width:
        message = f"--width {width}: must be 100 to {view.width} px, the width of the {name} screen"
        raise UsageError(message, code="bad_settings")
    return replace(view, column=width)


def _feed_placement(name: str) -> Placement:
    found = BUILT_IN_PLACEMENTS.get(name)
    feeds = [one.name for one in BUILT_IN_PLACEMENTS.values() if one.frame == "feed"]
    if found is None or found.frame != "feed":
        told = "is not in a feed" if found else "is not known"
        raise UsageError(f"placement {name}: {told}; there are {', '.join(feeds)}", code="bad_placement")
    return found


def _shown_aspect(slot: Placement, aspect: float) -> float:
    """Return the width over height in which a feed shows a picture."""
    if slot.fit == "column":
        least, most = slot.shapes
        return min(max(aspect, least), most)
    return slot.width_mm / slot.height_mm


def _place_name(number: int, count: int) -> str:
    if number == 0:
        return "top"
    if number == count - 1:
        return "end"
    return "middle" if 2 * number == count - 1 else f"{number + 1} of {count}"


def _totals(shares: Sequence[Sequence[AttentionShares]]) -> list[list[float]]:
    return [[one.total or 0.0 for one in of_place] for of_place in shares]


def _pictures(name: str, rgb: UInt8, box: Box, predictor: ContextPredictor) -> dict[str, UInt8]:
    """Return a composed picture with its ad framed, and its heatmap."""
    heat = heatmap(rgb, predictor.predict(rgb)["total"])
    return {name: outline(rgb, box), f"{name}_heat": heat}
