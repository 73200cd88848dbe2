"""When what is on screen: the table of a run and the rule sets for films, on a sample film and areas drawn on it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import mediaan as mn
from mediaan.workflow.rules import check_run

VIDEOS = Path(__file__).resolve().parents[1] / "sample_ads" / "videos"
TIMES = ["metric", "metric_time"]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample film, whose brand is named, and the sample banner, whose brand is not, with rules by name."""
    folder = tmp_path_factory.mktemp("films")
    objectives = folder / "objectives.yaml"
    objectives.write_text('media:\n  - {match: "coffee*", brand: Tolma, purpose: conversion}\n')
    settings = (mn.Recipe(maps=(), objectives=objectives, rules="abcd"), mn.Execution(workers=1))
    return mn.analyze_folder(VIDEOS, folder / "run", *settings).path


@pytest.fixture(scope="module")
def drawn(films: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Areas at known times on the film, which lasts 10 s and cuts at 2.4, 4.8 and 6.8 s."""
    folder = tmp_path_factory.mktemp("drawn")
    run = Path(shutil.copytree(films, folder / "run"))
    areas: list[dict[str, Any]] = [
        {"type": "branding", "label": "Tolma", "box": [0, 0, 0.2, 0.2], "t0_s": 4.0, "t1_s": 6.0},
        {"type": "branding", "label": "Tolma", "box": [0.5, 0.5, 0.7, 0.7], "t0_s": 5.0, "t1_s": 7.5},
        {
            **{"type": "face", "box": [0.4, 0.4, 0.6, 0.6]},
            "track": [[t / 10, 0.4, 0.4, 0.6, 0.6, 1.0] for t in range(56, 70, 2)],
        },
        {"type": "call_to_action", "label": "Order", "box": [0.4, 0.8, 0.6, 0.9], "t0_s": 9.5},
    ]
    (folder / "areas.json").write_text(json.dumps({"coffee_spot.mp4": areas}))
    mn.apply_aois(run, folder / "areas.json")
    return run


def of_film(run: Path, name: str = "coffee_spot.mp4") -> pd.DataFrame:
    opened = mn.read_run(run)
    ids = opened.media.set_index("path")["medium_id"]
    return opened.screen_times[opened.screen_times["medium_id"] == ids[name]]


def of_type(run: Path, aoi_type: str) -> dict[tuple[str, str], float]:
    table = of_film(run)
    rows = table[(table["aoi_type"] == aoi_type) & table["aoi_id"].isna()]
    return rows.set_index(TIMES)["value"].to_dict()


def statuses(run: Path, *rules: Any) -> dict[str, str]:
    found = check_run(run, list(rules))
    return {one.rule: one.status for one in found.results if one.path == "coffee_spot.mp4"}


def test_drawn_areas_are_on_screen_when_they_were_drawn(drawn: Path) -> None:
    branding = of_type(drawn, "branding")
    assert branding["appears_s", "total"] == 4.0
    assert branding["on_screen_s", "total"] == pytest.approx(3.5)  # 4 to 7.5, and not 2 + 2.5
    assert (branding["on_screen_s", "start"], branding["on_screen_s", "end"]) == (0, 0)
    face = of_type(drawn, "face")
    assert face["appears_s", "total"] == 5.6
    assert face["on_screen_s", "total"] == pytest.approx(1.4)
    assert of_type(drawn, "call_to_action")["on_screen_s", "end"] == pytest.approx(0.5)
    film = of_film(drawn)
    assert film[film["aoi_type"].isna()].set_index("metric")["value"].to_dict() == pytest.approx(
        {"end_card_s": 1.0, "opening_shots": 3}
    )  # of 7 to 10 s the brand until 7.5, the call to action from 9.5
    nothing = film[(film["aoi_type"] == "product") & (film["metric"] == "appears_s")]
    assert nothing["reason"].to_list() == ["There is no such area."]


def test_rules_on_drawn_areas(drawn: Path) -> None:
    passed = [
        "branding.appears_s <= 4",
        "branding.on_screen_s >= 3.4",
        'branding("tolma").on_screen_s >= 3.4',
        "end_card_s >= 0.9",
        "opening_shots >= 3",
        "duration_s <= 10",
    ]
    failed = [
        "branding.appears_s <= 3.9",
        "all(branding).appears_s <= 4.9",
        "branding.on_screen_s >= 3.6",
        'branding("Acme").on_screen_s > 0',
        "branding.on_screen_s.end > 0",
        "face.appears_s <= 5",
        "product.on_screen_s >= 0.1",
        "end_card_s >= 1.1",
        "opening_shots >= 4",
        "duration_s < 9.9",
    ]
    assert statuses(drawn, *passed, *failed) == dict.fromkeys(passed, "passed") | dict.fromkeys(failed, "failed")


def test_the_sample_film_as_its_frames_show_it(films: Path) -> None:
    """`Slow mornings, quick espresso.` stands from 1 to 2.4 s, `New: Tolma oil` from 2.4 on, the face from 4.8 to 6.8,
    and the end card with brand and button from 6.8 to 10."""
    assert of_type(films, "branding")["appears_s", "total"] == pytest.approx(2.4)
    assert of_type(films, "branding")["on_screen_s", "end"] == pytest.approx(2)
    assert of_type(films, "face") == pytest.approx(
        {
            ("appears_s", "total"): 4.8,
            ("on_screen_s", "start"): 0,
            ("on_screen_s", "end"): 0,
            ("on_screen_s", "total"): 2,
        }
    )
    action = of_type(films, "call_to_action")
    assert (action["appears_s", "total"], action["on_screen_s", "total"]) == pytest.approx((6.8, 3.2))
    film = of_film(films)
    fastest = film[film["metric"] == "characters_per_s"]["value"].max()
    assert fastest == pytest.approx(30 / 1.4, rel=0.05)
