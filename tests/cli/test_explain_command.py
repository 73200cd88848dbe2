"""What `mediaan explain` says is what the program and its documents say."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from mediaan.aoi.scoring.film_scores import AOI_SCREEN_TIMES, VIDEO_SCREEN_TIMES
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.cli.commands.explain import explain
from mediaan.errors import UsageError
from mediaan.explanations import explanations
from mediaan.judge.checks import check_specs
from mediaan.maps import MAPS
from mediaan.metrics import METRICS
from mediaan.metrics.contributions import DRIVER_SPECS
from mediaan.metrics.guide import guides
from mediaan.run import OTHER_TABLES, TABLES
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES
from mediaan.types.glossary import glossary


def said(*words: str, columns: int = 100) -> str:
    done = CliRunner().invoke(explain, words, env={"COLUMNS": str(columns)})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_everything_that_people_meet_is_there() -> None:
    names = {one.name for one in explanations()}
    assert names >= set(METRICS) | {spec.name for spec in AOI_METRICS} | set(guides())
    assert names >= {spec.name for spec in (*check_specs(), *AOI_SCREEN_TIMES, *VIDEO_SCREEN_TIMES)}
    assert names >= {*AOI_TYPES, *CATEGORIES, *MAPS, *DRIVER_SPECS, "measured", "learned", "proxy"}


def test_every_code_says_what_to_do() -> None:
    assert all(term.advice for term in glossary() if term.kind == "problem")


def test_tables_and_columns_exist() -> None:
    tables = {**TABLES, **OTHER_TABLES}
    for one in explanations():
        for table, column in re.findall(r"(\w+), (?:where|column) (\w+)", one.tables):
            assert column in tables[table].names, one.name


def test_a_score_says_all_that_is_known_of_it() -> None:
    text = " ".join(said("cognitive_demand").split())
    guide = guides()["cognitive_demand"]
    for part in (guide.meaning, guide.formula, guide.ends, guide.evidence, guide.limits):
        assert part in text
    assert "Good Neither extreme is best." in text
    assert "Good for conversion Lower is better." in text
    assert "Basis Predicted. Learned from people" in text
    assert "docs/metrics.md#cognitive-demand" in text


@pytest.mark.parametrize(
    ("typed", "meant"), [("clarty", "clarity"), ("cogntive demand", "cognitive_demand"), ("novel", "novelty")]
)
def test_a_misspelling_names_the_nearest(typed: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{meant}'"):
        CliRunner().invoke(explain, [typed], catch_exceptions=False)


def test_the_list_has_a_line_for_each_name() -> None:
    listed = re.findall(r"^  ([\w.]+) ", said(), re.MULTILINE)
    assert sorted(listed) == sorted(one.name for one in explanations())


@pytest.mark.parametrize(
    ("word", "names"),
    [("offer", ["offer"]), ("platform", ["platform"]), ("logo", ["branding"]), ("headline", ["headline_text"]),
     ("cta", ["call_to_action"]), ("branding.attention", ["branding", "attention"]), ("undecided", ["undecided"]),
     ("headline_text.percentage_seen.start", ["headline_text", "percentage_seen", "start"]), ("works", ["works"]),
     ("needs attention", ["needs_attention"]), ("verdict", ["verdict"]), ("presence", ["presence"])],
)  # fmt: skip
def test_words_as_people_and_rules_write_them(word: str, names: list[str]) -> None:
    assert [one["name"] for one in json.loads(said(word, "--json"))] == names


def test_every_type_of_area_with_every_score_is_explained() -> None:
    for kind in AOI_TYPES:
        for spec in AOI_METRICS:
            assert {one["name"] for one in json.loads(said(f"{kind}.{spec.name}", "--json"))} >= {kind, spec.name}
