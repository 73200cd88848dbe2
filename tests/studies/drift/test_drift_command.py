"""`mediaan drift`: exit codes, streams, and the files that it writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from page_tags import PageTags
from written_runs import Place, write_run

from mediaan.cli.main import cli

HOSTILE = "<img src=x onerror=alert(1)>.png"
MEDIA = {f"{name}.png": {"focus": 10.0 * i + 5} for i, name in enumerate("abcdefghi")} | {HOSTILE: {"focus": 95.0}}
FACE: Place = ("face", (0.0, 0.0, 0.5, 0.5), 20.0)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_run(tmp_path / "old", MEDIA, areas={"a.png": [FACE]})


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """Focus falls by 6, but the last one's by 30."""
    lower = {name: {"focus": scores["focus"] - (30 if name == HOSTILE else 6)} for name, scores in MEDIA.items()}
    return write_run(tmp_path / "new", lower, areas={"a.png": [FACE]}, facts={"mediaan": "0.9.0"})


def drift(*arguments: object) -> int:
    code = cli.main(["drift", *map(str, arguments)], standalone_mode=False)
    return code if isinstance(code, int) else 0


def test_the_summary_begins_with_the_verdict(old: Path, new: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drift(old, new) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert lines[0] == "Large changes: do not compare the new numbers with the old ones."
    assert lines[1].startswith("  - focus: 95 of 100 values move by up to 19.2 points")
    row = next(line for line in lines if line.startswith("focus ")).split()
    assert row[1:3] == ["10", "-8.40"]
    assert "-30.00" in row
    assert "  mediaan  0.3.0 -> 0.9.0" in lines
    assert "focus: 1 from extreme_high to medium" in lines
    assert "1 areas in both; 0 only in A; 0 only in B; none of their scores changed" in lines


@pytest.mark.parametrize(("limit", "code"), [(29.9, 4), (30, 0), (31, 0)])
def test_a_limit_is_an_exit_code(
    old: Path, new: Path, limit: float, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drift(old, new, "--max-shift", limit) == code
    told = capsys.readouterr().err
    assert told == (f"--max-shift {limit:g}: a score moved by 30.00 points\n" if code else "")


def test_json_is_all_that_is_on_stdout(old: Path, new: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drift(old, new, "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["scores"][0]["largest"] == pytest.approx(-30)
    assert err == ""


def test_the_page_stands_alone_and_shows_each_medium(old: Path, new: Path, tmp_path: Path) -> None:
    drift(old, new, "--out", tmp_path / "drift.html")
    text = (tmp_path / "drift.html").read_text()
    page = PageTags(text)
    assert {tag for tag, _ in page.tags} & {"script", "img", "iframe"} == set()
    assert [attrs["href"] for tag, attrs in page.tags if tag == "link"] == ["data:,"]
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", text)
    (frame,) = [attrs for tag, attrs in page.tags if attrs.get("id") == "verdict"]
    assert frame["class"] == "verdict incomparable"
    places = {(float(a["cx"] or 0), float(a["cy"] or 0)) for tag, a in page.tags if tag == "circle"}
    assert (95.0, 35.0) in places, "old 95 across, new 65 up"
    assert len(places) == 10
    assert "&lt;img src=x onerror=alert(1)&gt;.png" in text
