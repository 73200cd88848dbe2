"""Grades of agreement with people: of known scores, and of media like those that were compared."""

import pytest

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics import metric_specs
from mediaan.metrics.guide import Agreement, agreement, agreements

SPECS = (*metric_specs(), *AOI_METRICS)


@pytest.mark.parametrize(("r", "grade"), [(0.8, "A"), (0.79, "B"), (0.6, "B"), (0.3, "C"), (0.29, "D"), (-0.4, "D")])
def test_a_grade_begins_at_its_least_correlation(r: float, grade: str) -> None:
    assert Agreement(None, "ads, opinions", 10, r).grade == grade


@pytest.mark.parametrize("name", [spec.name for spec in SPECS])
def test_an_estimate_or_a_count_has_no_grade_and_what_was_learned_has_one_for_each_kind_of_image(name: str) -> None:
    found = agreements(name)
    domains = [part.domain for part in found]
    assert len(set(domains)) == len(domains)
    if next(spec for spec in SPECS if spec.name == name).basis == "proxy" or name in ("hotspot_count", "pacing"):
        assert not found


def test_a_medium_has_the_grade_of_its_own_domain_or_that_of_all() -> None:
    assert agreement("focus", "ad") != agreement("focus", "page")
    assert agreement("percentage_seen", "ad") is None  # viewers of product ads are known as one crowd
    design = agreement("design", "page")
    assert design.domain is None
