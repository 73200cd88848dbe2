"""A metric, an area type and a map that one file declares (`declared/sitecustomize.py`) are found everywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

TESTS = Path(__file__).parent
PATHS = (TESTS / "declared", TESTS.parent, TESTS, TESTS / "server", TESTS.parent / "docs" / "site")
DRAWN = {"type": "mascot", "label": "Bello", "box": [0.2, 0.2, 0.6, 0.7]}
RULE = {"rules": [{"name": "seen", "rule": "mascot.percentage_seen >= 1"}]}


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
    (made / "areas.json").write_text(json.dumps({"image.png": [DRAWN], "film.gif": [DRAWN]}))
    (made / "rules.yaml").write_text(json.dumps(RULE))
    options = ("--aois", "areas.json", "--rules", "rules.yaml", "--intervals", "none", "--advice", "none")
    python("-m", "mediaan", "analyze", "media", "--out", "run", *options, cwd=made)
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


def completed(folder: Path, option: str, typed: str) -> list[str]:
    """Return what a shell completes behind an option."""
    code = f"from mediaan.cli.complete import {option} as names; print(*(i.value for i in names(0, 0, {typed!r})))"
    return python("-c", code, cwd=folder).split()


def test_an_area_type_is_scored_judged_and_written(folder: Path) -> None:
    assert list(table(folder, "aois")["type"]) == ["mascot"] * 2
    assert len(table(folder, "aoi_scores")) > 20
    assert list(table(folder, "rule_results")["status"]).count("passed") == 2


def test_an_area_type_is_on_the_page(page: str) -> None:
    data = data_of(page)
    assert {"name": "mascot", "title": "Mascot"} in data["areas"]["types"]
    assert ["mascot" in data["headlines"]["areas"][purpose] for purpose in ("any", "conversion")] == [True, False]
    assert ".type-mascot { --type: #123abc; --dash: 1 9; }" in page
    assert "--type:#A1B2C3" in page  # the sheet of the film


def test_an_area_type_is_explained_and_documented(folder: Path) -> None:
    (area_type,) = explained(folder, "critter")
    assert (area_type["name"], area_type["facts"]["Found by"]) == ("mascot", "nothing; you")
    tables = "import tables; print(tables.with_tables('<!-- table: {} -->\\n<!-- end -->'))"
    assert "| `mascot` | an animal that speaks for the brand |" in python("-c", tables.format("areas"), cwd=folder)
    assert "person, other, mascot |" in python("-c", tables.format("columns aois"), cwd=folder)


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
    assert len(paths) == 3
    assert all((folder / "run" / path).stat().st_size > 500 for path in paths)


def test_a_map_is_on_the_page(page: str) -> None:
    data = data_of(page)
    (warm,) = (spec for spec in data["maps"] if spec["name"] == "warm_heat")
    assert (warm["title"], warm["caption"], warm["scale"]) == ("Warmth", "Where it is warm.", "1: as warm as fire.")
    assert warm["bar"]["gradient"].startswith("linear-gradient")
    assert all("warm_heat" in medium["maps"] for medium in data["media"])


def test_a_map_is_offered_explained_and_served(folder: Path) -> None:
    (explanation,) = explained(folder, "warm_heat")
    assert (explanation["kind"], explanation["facts"]) == ("map", {"Scale": "1: as warm as fire."})
    assert completed(folder, "maps", "wa") == ["warm_heat"]
    code = "from mediaan.server.v2 import media; print(*media.IMAGE_RESULTS, *media.VIDEO_RESULTS)"
    assert python("-c", code, cwd=folder).count("warm_heat") == 2
