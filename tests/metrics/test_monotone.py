"""One property of an advertisement is changed at a time: its drivers follow, and the scores move the way they say."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from controlled import CHANGES, Look, look

from mediaan.metrics import built_in_scales
from mediaan.metrics.scores.memory import MEMORY_COMPOSITE as MEMORY
from mediaan.types.metrics import repeatability_curves

COMPOSITES = {"memory": MEMORY}
WRONG_STEP = {"concentration": 0.07, "early_concentration": 0.07}
"""Ranks by which a step may go wrong: predicted attention also moves with how much of an ad is read out as a page."""


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
    assert all(sign * (after - before) > -WRONG_STEP.get(driver, 0.02) for before, after in pairwise(ranks))


@pytest.mark.parametrize(("name", "metric"), cases("scores"))
def test_a_score_moves_the_right_way(name: str, metric: str):
    """No step goes wrong by more than the score moves when nothing happens, and all together go further than that."""
    values = [one.scores[metric].value for one in looks(name)]
    sign = CHANGES[name].scores[metric]
    noise = np.mean(repeatability_curves()[metric]["sd"])
    assert all(sign * (after - before) > -noise for before, after in pairwise(values))
    assert sign * (values[-1] - values[0]) > noise


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


def test_attention_that_clutter_scatters_is_named_as_the_reason():
    plain, littered = looks("more clutter")[0], looks("more clutter")[-1]
    assert littered.points("memory", "concentration") < plain.points("memory", "concentration") - 5
