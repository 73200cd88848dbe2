"""The guide has an entry for every number, true to its facts."""

import pytest

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics import metric_specs
from mediaan.metrics.guide import good_direction, guides

SPECS = {spec.name: spec for spec in (*metric_specs(), *AOI_METRICS)}


def test_every_metric_has_an_entry_and_no_other():
    assert guides().keys() == SPECS.keys()


@pytest.mark.parametrize("name", SPECS)
def test_what_is_good_for_most_is_what_the_metric_says(name: str):
    assert good_direction(name) == SPECS[name].direction
