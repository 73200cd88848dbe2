"""One property of an advertisement is changed at a time: its drivers follow, and the scores move the way they say."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from controlled import Ad, Look, look

from mediaan.metrics import built_in_scales
from mediaan.metrics.clarity import MODEL as CLARITY
from mediaan.metrics.engagement import MODEL as ENGAGEMENT
from mediaan.metrics.memory import MODEL as MEMORY
from mediaan.metrics.scales import Z90

COMPOSITES = {"clarity": CLARITY, "engagement": ENGAGEMENT, "memory": MEMORY}


class Change(NamedTuple):
    """A property in steps, and what must follow: +1 rises, -1 falls."""

    start: Ad
    key: str
    steps: tuple[Any, ...]
    drivers: dict[str, int]
    scores: dict[str, int]

    @property
    def ads(self) -> list[Ad]:
        return [replace(self.start, **{self.key: step}) for step in self.steps]


GREY = Ad(colour=0.0)
CHANGES = {
    # below two thirds of the designed size: larger type crowds this layout, and counts as clutter too
    "smaller text": Change(Ad(lines=6), "text", (0.65, 0.5, 0.4, 0.3), {"text_height": -1}, {"clarity": -1}),
    "fainter text": Change(
        Ad(),
        "ink",
        (1.0, 0.6, 0.35, 0.2),
        {"text_contrast": -1, "attended_contrast": -1},
        {"clarity": -1},
    ),
    "more words": Change(
        Ad(),
        "lines",
        (1, 3, 5, 8),
        {"letter_count": 1, "contour_congestion": 1, "white_space": -1, "concentration": -1},
        {"clarity": -1, "memory": -1, "cognitive_demand": 1},
    ),
    "more clutter": Change(
        Ad(),
        "litter",
        (0, 20, 60, 150),
        {"feature_congestion": 1, "white_space": -1, "concentration": -1, "early_concentration": -1},
        {"clarity": -1, "cognitive_demand": 1},
    ),
    "less colour": Change(
        Ad(),
        "colour",
        (1.0, 0.6, 0.3, 0.0),
        {"colourfulness": -1, "vividness": -1, "warmth": -1},
        {"engagement": -1, "memory": -1},
    ),
    "less contrast": Change(
        Ad(),
        "contrast",
        (1.0, 0.7, 0.45, 0.25),
        {"luminance_sd": -1, "attended_contrast": -1, "text_contrast": -1},
        {"clarity": -1, "engagement": -1},
    ),
    # contours that outlast the highest threshold do not count: where they abound, only the weak ones speak
    "fading": Change(Ad(), "contrast", (0.7, 0.45, 0.25, 0.15), {"contour_weakness": 1}, {"clarity": -1}),
    "no person": Change(  # without colour, in which the photographs differ
        GREY,
        "photo",
        ("astronaut.jpg", "coffee.jpg"),
        {"person_presence": -1, "face_presence": -1},
        {"engagement": -1, "memory": -1},
    ),
}


@cache
def looks(name: str) -> tuple[Look, ...]:
    return tuple(look(ad.draw()) for ad in CHANGES[name].ads)


def cases(kind: str) -> list[tuple[str, str]]:
    return [(name, key) for name, change in CHANGES.items() for key in getattr(change, kind)]


@pytest.mark.parametrize(("name", "driver"), cases("drivers"))
def test_a_driver_follows_its_property(name: str, driver: str):
    values = [one.values[driver] for one in looks(name)]
    sign = CHANGES[name].drivers[driver]
    assert all(value is not None for value in values)
    ranks = [built_in_scales().rank(driver, value) for value in values if value is not None]
    assert sign * (ranks[-1] - ranks[0]) > 0.1
    assert all(sign * (after - before) > -0.02 for before, after in pairwise(ranks))


@pytest.mark.parametrize(("name", "metric"), cases("scores"))
def test_a_score_moves_the_right_way(name: str, metric: str):
    """No step goes the wrong way by more than the score moves when nothing happens, and all steps together go far."""
    values = [one.scores[metric].value for one in looks(name)]
    sign = CHANGES[name].scores[metric]
    noise = built_in_scales().uncertainty[metric].repeatability
    assert all(sign * (after - before) > -noise for before, after in pairwise(values))
    assert sign * (values[-1] - values[0]) > Z90 * noise


@pytest.mark.parametrize(
    ("name", "metric", "driver"),
    [
        (name, metric, driver)
        for name, change in CHANGES.items()
        for metric, model in COMPOSITES.items()
        for driver in change.drivers
        if driver in {term.driver for term in model.terms}
    ],
)
def test_a_term_pushes_its_score_the_way_that_it_says(name: str, metric: str, driver: str):
    """The score with everything as in the first picture but this one property as in the last."""
    (term,) = (term for term in COMPOSITES[metric].terms if term.driver == driver)
    first, last = looks(name)[0].values, looks(name)[-1].values
    before, after = (raw(metric, values) for values in (first, {**first, driver: last[driver]}))
    assert (after - before) * CHANGES[name].drivers[driver] * (1 if term.toward == "more" else -1) > 0


def raw(metric: str, values: Any) -> float:
    model = COMPOSITES[metric]
    found = model.raw(model.ranks(values, built_in_scales()))
    assert found is not None
    return found


def test_every_term_is_moved_by_some_change():
    moved = {driver for change in CHANGES.values() for driver in change.drivers}
    assert {term.driver for model in COMPOSITES.values() for term in model.terms} <= moved


def test_the_person_is_named_as_the_reason():
    with_person, without = looks("no person")
    assert with_person.points("memory", "person_presence") > 0 > without.points("memory", "person_presence")


def test_clutter_is_named_as_the_reason():
    plain, littered = looks("more clutter")[0], looks("more clutter")[-1]
    assert littered.points("clarity", "feature_congestion") < plain.points("clarity", "feature_congestion") - 10
