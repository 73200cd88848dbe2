"""The command: order of edits, streams, exit codes, and what it leaves behind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from mediaan.cli.main import cli
from mediaan.errors import UsageError

LEFT, RIGHT = "0.1,0.2,0.3,0.6", "0.6,0.2,0.9,0.6"
FAST = ("--aois", "none", "--model", "centre-prior")


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    rgb = np.full((120, 200, 3), 220, np.uint8)
    rgb[30:60, 25:55], rgb[30:60, 125:170] = (200, 30, 30), (30, 60, 160)
    Image.fromarray(rgb).save(tmp_path / "ad.png")
    return tmp_path / "ad.png"


def whatif(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["whatif", *map(str, arguments)], standalone_mode=False)


def test_edits_are_carried_out_in_the_order_given_across_options(picture: Path) -> None:
    done = whatif(
        picture, "--grey", LEFT, "--scale", RIGHT, "1.2", "--move", LEFT, "0.3,0.7", "--grey", RIGHT,
        "--scale", LEFT, "0.9", "--remove", RIGHT, "--blur", LEFT, *FAST, "--json",
    )  # fmt: skip
    plain = json.loads(done.stdout)
    said = [(edit["action"], edit["aoi"]) for edit in plain["edits"]]
    assert said == [
        ("grey", LEFT), ("scale", RIGHT), ("move", LEFT), ("grey", RIGHT), ("scale", LEFT), ("remove", RIGHT),
        ("blur", LEFT),
    ]  # fmt: skip
    assert [edit.get("factor") for edit in plain["edits"]] == [None, 1.2, None, None, 0.9, None, None]
    assert [area["removed"] for area in plain["aois"]] == [False, True]


def test_out(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = whatif(picture, "--remove", LEFT, *FAST, "--out", out)
    assert done.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "after.png", "after_heat.png", "before.png", "before_heat.png", "difference.png", "index.html", "whatif.json",
    ]  # fmt: skip
    after = np.asarray(Image.open(out / "after.png"))
    assert (after[:, :100] == 220).all()
    facts = json.loads((out / "whatif.json").read_text())
    assert facts["edits"] == [{"action": "remove", "aoi": LEFT, "aoi_id": facts["aois"][0]["aoi_id"]}]
    page = (out / "index.html").read_text()
    assert "http" not in page.replace('http-equiv="', ""), "the page loads nothing"
    assert page.count("data:image/jpeg") == 5
    assert whatif(picture, "--grey", LEFT, *FAST, "--out", out).exit_code == 0, "an earlier edit is replaced"


def test_the_table_shows_what_changes_and_counts_the_rest(picture: Path) -> None:
    text = whatif(picture, "--remove", LEFT, *FAST).stdout
    assert text.startswith(f"{picture}: remove {LEFT}\n")
    seen = text[text.index("(removed)") :]
    assert next(line for line in seen.splitlines() if "attention" in line).endswith("falls")
    assert "focus" not in text, "the centre prior looks at no pixel"
    assert "other:1" in text, "as an edit names it"
    assert re.search(r"^\d+ other numbers: no clear change \(--all shows them\)$", text, re.MULTILINE)
    assert "not between people" in text


def test_what_the_purpose_loses_comes_first(picture: Path, tmp_path: Path) -> None:
    areas = {"ad.png": [{"type": "product", "label": "car", "box": [0.1, 0.2, 0.3, 0.6]}]}
    (tmp_path / "areas.json").write_text(json.dumps(areas))
    arguments = (picture, "--remove", "car", "--aois", tmp_path / "areas.json", "--model", "centre-prior")
    lost = "Lost: the car is gone, and nothing shows what is sold"
    assert whatif(*arguments).stdout.splitlines()[1] == f"{lost}."
    assert whatif(*arguments, "--purpose", "conversion").stdout.splitlines()[1] == f"{lost}; conversion needs that."
    facts = json.loads(whatif(*arguments, "--purpose", "conversion", "--json", "--out", tmp_path / "out").stdout)
    assert (facts["purpose"], facts["lost"]) == ("conversion", [f"{lost}; conversion needs that."])
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.index(lost) < page.index("Scores of the image")


def test_without_an_edit_areas_are_listed(picture: Path, tmp_path: Path) -> None:
    areas = {"ad.png": [{"type": "product", "label": "Red", "box": [0.1, 0.2, 0.3, 0.6]}]}
    (tmp_path / "areas.json").write_text(json.dumps(areas))
    arguments = (picture, "--aois", tmp_path / "areas.json", "--model", "centre-prior")
    assert "product:1" in whatif(*arguments).stdout
    (listed,) = json.loads(whatif(*arguments, "--json").stdout)["aois"]
    assert (listed["type"], listed["label"], listed["box"]) == ("product", "Red", [0.1, 0.2, 0.3, 0.6])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--scale", LEFT, "big"), "'big' is not a number such as 1.3"),
        (("--scale", LEFT, "-1"), "the factor must be within"),
        (("--move", LEFT, "0.5"), "'0.5' is not X,Y such as"),
        (("--move", LEFT, "2,2"), "unit coordinates"),
        (("--remove", "logo"), "no areas"),
        (("--remove", LEFT, "--aois", "nowhere.json"), "no such file or run"),
    ],
)
def test_requests_at_fault(picture: Path, arguments: tuple[str, ...], complaint: str) -> None:
    done = whatif(picture, "--model", "centre-prior", "--aois", "none", *arguments)
    assert isinstance(done.exception, UsageError)
    assert complaint in done.exception.message
