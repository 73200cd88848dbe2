"""`mediaan place`: what it finds in a drawn ad, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

import mediaan as mn
from mediaan.cli.main import cli
from mediaan.errors import UsageError

AD = Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "museum_story.jpg"


def called(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["place", *map(str, arguments)], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result


def test_an_ad_is_placed_and_drawn(tmp_path: Path) -> None:
    shown = called(AD, "--as", "instagram_reels", "--as", "leaderboard", "--json", "--out", tmp_path)
    facts = json.loads(shown.output)
    reel, banner = facts["placements"]
    assert (reel["placement"], banner["placement"]) == ("instagram_reels", "leaderboard")
    assert reel["covered"] > 40  # 14 % and 35 % of the height, and the sides in between
    assert reel["areas"]
    assert all(area["cropped"] == 0 for area in reel["areas"])
    texts = [area for area in banner["areas"] if area.get("x_height_arcmin", 60) < 9]
    assert texts
    assert all(any("too small" in line for line in area["findings"]) for area in texts)
    with Image.open(facts["sheet"]) as sheet:
        assert sheet.format == "PNG"
        assert sheet.width > 400
    placed = mn.place(mn.analyze(AD, advice="none"), ["instagram_reels"])
    assert placed[0].to_dict()["covered_by"] == pytest.approx(reel["covered_by"])
    assert [area.aoi.type for area in placed[0].areas] == [area["type"] for area in reel["areas"]]


def test_placements_are_listed_with_their_sources(tmp_path: Path) -> None:
    text = called("--list").output
    assert "instagram_story" in text
    own = tmp_path / "own.yaml"
    own.write_text("placements: [{name: hall, mm: [900, 1600], distance_mm: 3000}]\n")
    listed = {one["name"]: one for one in json.loads(called("--list", "--json", "--placements", own).output)}
    assert listed["leaderboard"]["css_px"] == pytest.approx([728, 90])
    assert listed["instagram_story"]["zones"]["profile"] == [0, 0, 1, 0.14]
    assert all(one["source"] for one in listed.values())
    assert listed["hall"]["source"] == "stated by you"


def test_what_cannot_be_placed_is_refused(tmp_path: Path) -> None:
    for arguments, said in [
        ((), "name an ad or a run"),
        ((AD,), "in what placement"),
        ((AD, "--as", "instagram_storry"), "did you mean 'instagram_story'"),
        ((AD, "--platform", "display"), "'display' has no usual placement"),
    ]:
        with pytest.raises(UsageError, match=said):
            called(*arguments)
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no image")
    result = CliRunner().invoke(cli, ["place", str(broken), "--as", "leaderboard"], standalone_mode=False)
    assert result.return_value == 3
