"""A metric, an area type and a map that one file declares (`declared/sitecustomize.py`) are found everywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from PIL import Image

from mediaan.maps import MapSpec
from mediaan.metrics import Metric
from mediaan.types.area_types import AreaType
from mediaan.types.metrics import MetricSpec

TESTS = Path(__file__).parent
PATHS = (TESTS / "declared", TESTS.parent, TESTS, TESTS / "server", TESTS.parent / "docs" / "site")
DRAWN = {"type": "mascot", "label": "Bello", "box": [0.2, 0.2, 0.6, 0.7]}
RULES = [
    {"name": "cozy", "rule": "coziness.end >= 40", "type": "video"},
    {"name": "seen", "rule": "mascot.percentage_seen >= 1"},
]


def python(*arguments: object, cwd: Path) -> str:
    """Run Python with the declarations and return what it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, PATHS))}
    command = [sys.executable, *map(str, arguments)]
    ended = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over an image and a film, in each of which a mascot is drawn, with a rule on it."""
    made = tmp_path_factory.mktemp("declared")
    (made / "media").mkdir()
    red, blue = (Image.new("RGB", (160, 120), colour) for colour in ("red", "blue"))
    red.paste(blue.resize((40, 40)), (40, 30))
    red.save(made / "media" / "image.png")
    blue.save(made / "media" / "plain.png")
    red.save(made / "media" / "film.gif", save_all=True, append_images=[red.rotate(90), blue], duration=700)
    Image.effect_noise((400, 2400), 60).convert("RGB").save(made / "media" / "page.png")
    (made / "areas.json").write_text(json.dumps({"image.png": [DRAWN], "film.gif": [DRAWN]}))
    (made / "rules.yaml").write_text(json.dumps({"rules": RULES}))
    inputs = ("--aois", "areas.json", "--rules", "rules.yaml", "--domain", "page")
    fast = ("--advice", "none")
    python("-m", "mediaan", "analyze", "media", "--out", "run", *inputs, *fast, cwd=made)
    return made


def table(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(folder / "run" / "tables" / f"{name}.parquet")


def data_of(page: str) -> dict[str, Any]:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "run" / "report" / "index.html").read_text("utf-8")


def explained(folder: Path, word: str) -> list[dict[str, Any]]:
    return json.loads(python("-m", "mediaan", "explain", word, "--json", cwd=folder))


def documented(folder: Path, table: str) -> str:
    """Return a table of the documentation."""
    code = f"import tables; print(tables.with_tables('<!-- table: {table} -->\\n<!-- end -->'))"
    return python("-c", code, cwd=folder)


def completed(folder: Path, option: str, typed: str) -> list[str]:
    """Return what a shell completes behind an option."""
    code = f"from mediaan.cli.complete import {option} as names; print(*(i.value for i in names(0, 0, {typed!r})))"
    return python("-c", code, cwd=folder).split()


def test_a_metric_is_scored_everywhere(folder: Path) -> None:
    scores = table(folder, "metrics")
    assert len(scores[scores["metric"] == "coziness"]) == 3 + 3  # of three images, and of three windows of a film
    for name in ("frames", "scenes", "folds"):
        values = table(folder, name)["coziness"]
        assert len(values) >= 1
        assert values.tolist() == pytest.approx([42] * len(values))
    results = table(folder, "rule_results")
    assert list(results[results["name"] == "cozy"]["status"]).count("passed") == 1


def test_a_metric_is_on_the_page(page: str) -> None:
    data = data_of(page)
    (metric,) = (metric for metric in data["metrics"] if metric["name"] == "coziness")
    assert (metric["title"], metric["caption"]) == ("Coziness", "How cozy it is.")
    assert metric["aims"]["any"]["reason"] == "People like it."
    assert "coziness" in data["curves"]["metrics"]
    assert {"name": "coziness", "title": "Coziness"} in data["screens"]
    assert ".of-coziness { --own: light-dark(#aa1122, #ffeedd); }" in page
    film, tall = (next(m for m in data["media"] if m["name"] == name) for name in ("film.gif", "page.png"))
    assert film["scores"]["coziness"]["value"] == 42
    assert set(film["timeline"]["series"]["coziness"]) == {42}
    assert all(fold["coziness"] == 42 for fold in tall["folds"])


def test_a_metric_is_explained_documented_and_offered(folder: Path) -> None:
    (explanation,) = explained(folder, "coziness")
    assert (explanation["kind"], explanation["facts"]["Computed"]) == ("metric", "Always 42.")
    assert completed(folder, "metric", "coz") == ["coziness"]
    for name in ("frames", "scenes", "folds"):
        assert "| `coziness` |" in documented(folder, f"columns {name}")
    listed = "--runs", "run", "--metric", "coziness", "--json"
    assert "coziness" in python("-m", "mediaan", "compare", "media/image.png", "media/plain.png", *listed, cwd=folder)


def test_an_area_type_is_scored_judged_and_written(folder: Path) -> None:
    assert list(table(folder, "aois")["type"]) == ["mascot"] * 2
    assert len(table(folder, "aoi_scores")) > 20
    results = table(folder, "rule_results")
    assert list(results[results["name"] == "seen"]["status"]).count("passed") == 2


def test_an_area_type_is_on_the_page(page: str) -> None:
    data = data_of(page)
    assert {"name": "mascot", "title": "Mascot"} in data["areas"]["types"]
    assert ["mascot" in data["headlines"]["areas"][purpose] for purpose in ("any", "conversion")] == [True, False]
    assert ".type-mascot { --type: #123abc; --dash: 1 9; }" in page
    assert "--type:#A1B2C3" in page  # the sheet of the film


def test_an_area_type_is_explained_and_documented(folder: Path) -> None:
    (area_type,) = explained(folder, "critter")
    assert (area_type["name"], area_type["facts"]["Found by"]) == ("mascot", "nothing; you")
    assert "| `mascot` | an animal that speaks for the brand |" in documented(folder, "areas")
    assert "person, other, mascot |" in documented(folder, "columns aois")


def test_an_area_type_is_served(folder: Path) -> None:
    schema = json.loads(python("-c", "import asking, json; print(json.dumps(asking.DOCUMENT))", cwd=folder))
    for body in ("AoiInput", "AoiObject", "AOIRecommendedRange"):
        assert "mascot" in schema["components"]["schemas"][body]["properties"]["aoi_type"]["enum"]
    body = {"aoi_type": "mascot", "box": [0, 0, 1, 1]}
    code = f"from mediaan.server.v2.aois import AoiInput; print(AoiInput(**{body}).record().type)"
    assert python("-c", code, cwd=folder) == "mascot\n"


def test_an_area_type_is_compared(folder: Path) -> None:
    options = ("--runs", "run", "--metric", "mascot.percentage_seen", "--json")
    compared = python("-m", "mediaan", "compare", "media/image.png", "media/plain.png", *options, cwd=folder)
    assert "mascot" in compared


def test_a_map_is_drawn_of_images_and_films(folder: Path) -> None:
    maps = table(folder, "maps")
    paths = maps[maps["map"] == "warm_heat"]["path"]
    assert len(paths) == 4
    assert all((folder / "run" / path).stat().st_size > 500 for path in paths)


def test_a_map_is_on_the_page(page: str) -> None:
    data = data_of(page)
    (warm,) = (spec for spec in data["maps"] if spec["name"] == "warm_heat")
    assert (warm["title"], warm["caption"], warm["scale"]) == ("Warmth", "Where it is warm.", "1: as warm as fire.")
    assert warm["bar"]["gradient"].startswith("linear-gradient")
    assert all("warm_heat" in medium["maps"] for medium in data["media"])


def test_a_map_is_offered_and_explained(folder: Path) -> None:
    (explanation,) = explained(folder, "warm_heat")
    assert (explanation["kind"], explanation["facts"]) == ("map", {"Scale": "1: as warm as fire."})
    assert completed(folder, "maps", "wa") == ["warm_heat"]


SPEC = MetricSpec("coziness", "Coziness", "score", 0, 100, "higher", "proxy", "How cozy it is.", "Fireside (1950).")
COUNT = replace(SPEC, unit="count")


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"spec": SPEC, "score": Mock(), "places": set()}, "no place"),
        ({"spec": COUNT, "score": None, "places": {"image"}}, "needs a function"),
        ({"spec": COUNT, "score": Mock(), "places": {"image", "scene"}}, "mean over frames"),
        ({"spec": COUNT, "score": Mock(), "places": {"video"}}, "mean over frames"),
        ({"spec": COUNT, "score": Mock(), "places": {"image", "video"}, "part_of": "focus"}, "part of another"),
        ({"spec": COUNT, "score": None, "places": {"image"}, "of_shots": Mock()}, "only videos have"),
        ({"spec": SPEC, "score": Mock(), "places": {"frame"}}, "needs colours"),
    ],
)
def test_a_metric_that_would_be_dropped_somewhere_is_refused(facts: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=f"coziness .*{reason}"):
        Metric(**facts)


@pytest.mark.parametrize("kind", ["heat", "fog", "local", "sheet", "video"])
def test_a_map_that_cannot_be_drawn_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="warm_heat lacks"):
        MapSpec("warm_heat", "Warmth", "Where it is warm.", "1: as warm as fire.", kind)


def test_an_area_type_that_is_needed_says_what_is_wrong_without_it() -> None:
    with pytest.raises(ValueError, match="mascot is needed"):
        AreaType("mascot", "Mascot", "an animal", "you", "#123abc", "A1B2C3", needed_for={None: 5})
