"""The norm sets that ship hold together, say what they are, and fit the models and scores that ship."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mediaan.analysis import Recipe, load_models
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.errors import UsageError
from mediaan.judge.benchmark import find_norm_set, list_norm_sets, norm_set_names
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.file import norm_set_problems
from mediaan.judge.benchmark.norm_set import LEAST_N, NormMatch, NormSet
from mediaan.types.aoi import AOI_TYPES
from mediaan.workflow.folder.analyze import run_metadata
from mediaan.workflow.folder.inputs import RunInputs

NAMES = ["ads", "charts", "films", "web"]


@pytest.fixture(scope="module")
def today() -> ComparabilityKey:
    """That of a run that was made now, with default settings and all AOIs."""
    models = load_models("attention", "cpu")
    return ComparabilityKey.of(run_metadata(Recipe(aois="all"), models.still, models, RunInputs(), []).facts)


@pytest.fixture(params=NAMES)
def shipped(request: pytest.FixtureRequest) -> NormSet:
    return find_norm_set(request.param)


def test_all_are_listed() -> None:
    assert sorted(list_norm_sets()) == list(norm_set_names()) == NAMES


def test_they_fit_the_models_and_scores_that_ship(shipped: NormSet, today: ComparabilityKey) -> None:
    assert shipped.comparability_key.mismatches(today, aois=True) == (), "run make norms; see CONTRIBUTING.md"


def test_another_model_is_refused(shipped: NormSet, today: ComparabilityKey) -> None:
    (reason,) = shipped.comparability_key.mismatches(replace(today, model_sha256="0" * 64), aois=False)
    assert "attention model" in reason


def test_they_hold_together(shipped: NormSet) -> None:
    assert norm_set_problems(shipped) == ()


def test_they_hold_every_score_of_media_and_aois(shipped: NormSet) -> None:
    whole = [norm for norm in shipped.norms if not norm.segment]
    assert len([norm for norm in whole if norm.aoi_type is None]) == (21 if shipped.name == "films" else 9)
    compared = {norm.aoi_type for norm in whole if norm.n_media >= LEAST_N} - {None}
    assert compared == set(AOI_TYPES) - {"other", *shipped.uncompared_areas}
    assert {norm.metric for norm in whole if norm.aoi_type == "face"} >= {"attention", "percentage_seen"}
    assert all(norm.n == shipped.sizes[()] for norm in whole if norm.aoi_type is None)


def test_what_they_suit_are_words_of_objectives(shipped: NormSet) -> None:
    assert bool(shipped.applies_to) == (shipped.types == ("image",))
    for key, values in shipped.applies_to.items():
        assert set(values) <= set(BUILT_IN_VOCABULARY.words(key))
    if "industry" in shipped.keys:
        industries = {dict(segment)["industry"] for segment in shipped.sizes if segment}
        assert industries <= set(BUILT_IN_VOCABULARY.words("industry"))


def test_advertisements_by_industry() -> None:
    ads = find_norm_set("ads")
    sizes = {segment[0][1]: n for segment, n in ads.sizes.items() if segment}
    assert (ads.sizes[()], sum(sizes.values())) == (597, 195)
    assert sizes["food"] >= 30 <= sizes["beauty_personal_care"]
    food = ads.find("image", "focus", "total", None, {"industry": "food/snacks"})
    assert isinstance(food, NormMatch)
    assert food.segment == "industry=food"
    assert food.fallback == "industry=food/snacks was asked for, but has no image; 30 are needed"
    cars = ads.find("image", "focus", "total", None, {"industry": "automotive"})
    assert isinstance(cars, NormMatch)
    assert (cars.segment, cars.norm.n) == ("all", 597)


def test_names_that_are_misspelt() -> None:
    with pytest.raises(
        UsageError, match=r"no norm set is called 'add'; there are ads, charts, films, web.* mean 'ads'\?"
    ):
        find_norm_set("add")
