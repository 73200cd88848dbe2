"""The guide: an entry for every number, true to its facts, and a section of docs/metrics.md for each."""

import json
import re
from pathlib import Path

import pytest

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics import BUILT_INS, HOTSPOT_COUNT, PACING
from mediaan.metrics.drivers.specs import DRIVER_SPECS
from mediaan.metrics.guide import Guide, good_direction, guides
from mediaan.metrics.scores.contributions import ENCODER_PHRASES
from mediaan.metrics.scores.memory import MEMORY_COMPOSITE as MEMORY

SPECS = {spec.name: spec for spec in (*(m.spec for m in BUILT_INS), HOTSPOT_COUNT, PACING, *AOI_METRICS)}
PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def texts(guide: Guide) -> list[str]:
    return [guide.meaning, guide.formula, guide.ends, guide.evidence, guide.limits]


def test_every_metric_has_an_entry_and_no_other():
    assert guides().keys() == SPECS.keys()


@pytest.mark.parametrize("name", SPECS)
def test_an_entry_is_short_and_whole(name: str):
    for text in texts(guides()[name]):
        assert text.endswith(".")
        assert 1 <= len(re.findall(r"[.!?](?=\s|$)", text)) <= 2, text


@pytest.mark.parametrize("name", SPECS)
def test_what_is_good_for_most_is_what_the_metric_says(name: str):
    assert good_direction(name) == SPECS[name].direction


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if spec.basis == "proxy"])
def test_a_proxy_says_so_first(name: str):
    assert guides()[name].evidence.startswith("An estimate")


def test_reasons_are_sentences():
    for guide in guides().values():
        assert all(re.fullmatch(r"[A-Z].*\.", aim.reason) for aim in guide.aims.values())


def section(title: str) -> str:
    """Text under a heading of the long version, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("name", SPECS)
def test_the_long_version_has_a_section(name: str):
    text = section(SPECS[name].title)
    assert f"`{name}`" in text
    assert SPECS[name].basis in text


def test_the_long_version_has_every_term_with_its_weight():
    rows = re.findall(r"`(\w+)` \| (more|less) \| ([.\d]+) \|", section("Memory"))
    assert sorted((driver, toward, float(weight)) for driver, toward, weight in rows) == sorted(
        (term.driver, term.toward, term.weight) for term in MEMORY.terms
    )


def test_every_property_is_described():
    described = re.findall(r"^\| `(\w+)` \| [^|]+ \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {*DRIVER_SPECS, *ENCODER_PHRASES} == set(described)


def demand_agreement() -> dict[str, dict[str, float]]:
    stored = json.loads((Path(__file__).parents[2] / "mediaan" / "metrics" / "demand.json").read_text("utf-8"))
    return stored["provenance"]["cross_validated"]


def test_figures_of_cognitive_demand_are_those_of_its_file():
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\.\d+) \| (\.\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    shown = {name: {"n": int(n), "r": float(r), "rho": float(rho)} for name, n, r, rho in rows}
    assert shown == demand_agreement()
    ads, charts = (demand_agreement()[name]["r"] for name in ("advertisement", "visualizations"))
    assert f"r = {ads:.2f} for advertisements and {charts:.2f} for charts".replace(" 0.", " .") in (
        guides()["cognitive_demand"].evidence
    )
