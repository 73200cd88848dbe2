"""The table of placements of a run, the rules on it, and what makes it again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.judge.rules.parse import parse_rule
from mediaan.placements.fit import fit_medium
from mediaan.run.directory import copy_run
from mediaan.types.placement import BUILT_IN_PLACEMENTS
from mediaan.workflow.objectives import apply_objectives
from mediaan.workflow.placements import place_run
from mediaan.workflow.rules import check_run

AREAS = [
    {"type": "call_to_action", "label": "low", "box": [0.2, 0.82, 0.8, 0.9]},
    {"type": "branding", "label": "middle", "box": [0.3, 0.4, 0.7, 0.5]},
    {"type": "product", "label": "at the edge", "box": [0.2, 0.0, 0.8, 0.3]},
]
OBJECTIVES = """\
defaults: {placement: [instagram_story, instagram_feed_1x1]}
media:
  - {match: none.png, placement: none}
  - {match: long.png, placement: instagram_story, exposure_s: 8}
  - {match: own.png, placement: hall}
placements:
  - {name: hall, mm: [900, 1600], distance_mm: 3000, zones: {clock: [0, 0, 1, 0.1]}, exposure_s: 3}
rules: ["placement.covered(call_to_action) == 0", "placement.cropped(branding) == 0"]
"""


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ads")
    noise = np.random.default_rng(3)
    for name in ("a.png", "none.png", "long.png", "own.png"):
        Image.fromarray(noise.integers(0, 255, (320, 180, 3), dtype=np.uint8)).save(folder / name)
    names = ("a.png", "none.png", "long.png", "own.png")
    (folder / "areas.json").write_text(json.dumps(dict.fromkeys(names, AREAS)))
    (folder / "objectives.yaml").write_text(OBJECTIVES)
    return folder


@pytest.fixture(scope="module")
def run(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    settings = (
        mn.Recipe(maps=(), aois="none", objectives=ads / "objectives.yaml", drawn_aois=ads / "areas.json"),
        mn.Execution(workers=1),
    )
    return mn.analyze_folder(ads, tmp_path_factory.mktemp("runs") / "run", *settings)


def rows(run: mn.Run, path: str) -> dict[tuple[str, str | None], dict[str, object]]:
    media = run.media.set_index("path")["medium_id"]
    found = run.placements[run.placements["medium_id"] == media[path]]
    return {
        (row["placement"], row["aoi_type"] if isinstance(row["aoi_type"], str) else None): row
        for row in found.to_dict("records")
    }


def test_rows_say_what_is_hidden_and_by_what(run: mn.Run) -> None:
    placed = rows(run, "a.png")
    button = placed["instagram_story", "call_to_action"]
    assert (button["covered"], button["cropped"], list(button["covered_by"])) == (100, 0, ["reply_and_button"])
    assert button["attention"] == pytest.approx(0, abs=1e-3)
    product = placed["instagram_story", "product"]
    assert product["covered"] == pytest.approx(100 * 0.14 / 0.3)
    square = placed["instagram_feed_1x1", "product"]  # of 9:16, 21.875 % are cut off at the top
    assert square["cropped"] == pytest.approx(100 * 0.21875 / 0.3)
    whole = placed["instagram_feed_1x1", None]
    assert (whole["shown_width_px"], whole["shown_height_px"]) == pytest.approx((390, 390))
    assert whole["cropped"] == pytest.approx(43.75)
    hall = rows(run, "own.png")["hall", None]
    assert hall["covered"] == pytest.approx(10)
    assert hall["shown_width_px"] != hall["shown_width_px"]  # print has no pixels


def test_scores_are_for_the_stated_exposure_else_the_usual_one_there(run: mn.Run) -> None:
    assert rows(run, "a.png")["instagram_story", None]["exposure_s"] == 5
    assert rows(run, "a.png")["instagram_feed_1x1", None]["exposure_s"] == 1.7
    assert rows(run, "long.png")["instagram_story", "branding"]["exposure_s"] == 8
    assert rows(run, "own.png")["hall", "branding"]["exposure_s"] == 3
    short, long = (rows(run, path)["instagram_story", "branding"]["percentage_seen"] for path in ("a.png", "long.png"))
    assert 0 < short < 100 > long > 0


def test_rules_ask_for_the_worst_placement(run: mn.Run) -> None:
    found = {(one.path, one.rule): one for one in check_run(run).results}
    button = found["a.png", "placement.covered(call_to_action) == 0"]
    assert (button.status, button.value) == ("failed", 100)
    assert found["a.png", "placement.cropped(branding) == 0"].status == "passed"
    free = found["own.png", "placement.covered(call_to_action) == 0"]
    assert (free.status, free.value) == ("passed", 0)
    without = found["none.png", "placement.covered(call_to_action) == 0"]
    assert without.status == "skipped"
    assert "the file has no placement" in without.message
    named = {
        (one.path, one.rule): one.status
        for one in check_run(
            run, ['placement("hall").covered(product) <= 0', "placement.covered(face) == 0", "focus >= 0"]
        ).results
    }
    assert named["own.png", 'placement("hall").covered(product) <= 0'] == "failed"
    assert named["a.png", 'placement("hall").covered(product) <= 0'] == "skipped"
    assert named["a.png", "placement.covered(face) == 0"] == "passed"  # what is not there is not covered


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("placement.coverd(branding) == 0", "did you mean 'covered'"),
        ("placement.covered >= 3", "of which areas"),
        ("placement.covered(logos) == 0", "is no type of area"),
        ("placement.covered(branding) <= p70", "in no benchmark"),
        ("placement.covered(branding) <= 0.5", "is 50 % meant, or 0.5 %"),
        ("placement.covered(branding) <= 101", "at most 100"),
        ("placement >= 3", "write for example placement.covered(call_to_action) == 0"),
        ("placement.text_height(body_text) >= 11 s", "px; write 11 without s"),
    ],
)
def test_rules_on_placements_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_rule(text)
    assert said in str(refused.value)


def test_changed_areas_and_objectives_make_the_table_again(ads: Path, run: mn.Run, tmp_path: Path) -> None:
    other = tmp_path / "run"
    copy_run(run.path, other)
    (tmp_path / "areas.json").write_text(json.dumps({"a.png": [AREAS[1]]}))
    mn.apply_aois(other, tmp_path / "areas.json")
    assert {kind for _, kind in rows(mn.read_run(other), "a.png")} == {None, "branding"}
    (tmp_path / "objectives.yaml").write_text("defaults: {platform: tiktok}\n")
    again = apply_objectives(other, tmp_path / "objectives.yaml")
    assert {name for name, _ in rows(again, "none.png")} == {"tiktok_feed"}
    apply_objectives(other, None)
    assert mn.read_run(other).placements.empty


def test_a_run_is_placed_where_one_likes(run: mn.Run) -> None:
    (file, *_) = place_run(run, [BUILT_IN_PLACEMENTS["leaderboard"]])
    assert file.path == "a.png"
    assert file.placed[0].fitted == fit_medium(180, 320, BUILT_IN_PLACEMENTS["leaderboard"])
    assert len(list(place_run(run))) == 3
