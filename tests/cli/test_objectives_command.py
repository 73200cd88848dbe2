"""`mediaan objectives`: valid words, a check before the run, an example that is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from mediaan.cli.main import cli
from mediaan.config import load_objectives
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.errors import UsageError

KINDS = ("purpose", "domain", "platform", "industry", "usecase", "placement")


def called(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["objectives", *map(str, arguments)], standalone_mode=False)
    if result.exception and not isinstance(result.exception, UsageError):
        raise result.exception
    return result


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    for name in ("a.png", "social/b.png", "social/c_banner.png"):
        path = tmp_path / "ads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (16, 16), (len(name), 0, 0)).save(path)
    (tmp_path / "ads" / "notes.txt").write_text("no picture")
    return tmp_path / "ads"


def written(ads: Path, text: str) -> Path:
    path = ads.parent / "cfg.yaml"
    path.write_text(text)
    return path


def test_list_prints_every_word_once_with_its_meaning() -> None:
    text = called("list").stdout
    for kind in KINDS:
        section = text.partition(f"\n{kind}\n")[2] or text
        for name, word in BUILT_IN_VOCABULARY.built_in[kind].items():
            assert any(line.split() == [name, *word.means.split()] for line in section.splitlines())


def test_list_with_a_file_s_own_words(ads: Path) -> None:
    file = written(ads, "values: {platform: [our_app], industry_subcategory: [vegan]}\n")
    facts = json.loads(called("list", "--objectives", file, "--json").stdout)
    assert facts["platform"][-1] == {"word": "our_app", "means": None, "subcategories": [], "nace": [], "own": True}
    assert all("vegan" in row["subcategories"] for row in facts["industry"])
    text = called("list", "--objectives", file).stdout
    assert "our_app          your own" in text
    assert "your own subcategories: vegan" in text


def test_a_setting_that_there_is_not_is_refused_with_the_nearest() -> None:
    error = called("list", "plattform").exception
    assert isinstance(error, UsageError)
    assert "did you mean 'platform'?" in error.message


def test_check_tells_what_each_medium_gets_and_what_fits_none(ads: Path) -> None:
    (ads.parent / "media.csv").write_text("path,exposure_s\nb.png,2\ngone.png,3\n")
    file = written(
        ads,
        'table: media.csv\ndefaults: {industry: food/snacks}\nmedia: [{match: "*_banner.png", platform: display}, '
        '{match: "sozial/*", platform: x}]\n',
    )
    result = called("check", file, ads)
    lines = result.stdout.splitlines()
    assert lines[0] == f"{file}: valid (rules for files: 2, rows in its table: 2)"
    assert lines[1].split() == ["path", "industry", "exposure_s", "platform"]
    assert [line.split() for line in lines[2:]] == [
        ["a.png", "food/snacks"],
        ["social/b.png", "food/snacks", "2"],
        ["social/c_banner.png", "food/snacks", "display"],
    ]
    assert lines[4].index("display") == lines[1].index("platform"), "columns stand below their names"
    assert result.stderr.splitlines() == [
        f"{file}: no file matches 'sozial/*'",
        f"{file}: no file matches 'gone.png'",
        f"{file}: its table has no row for 'a.png'",
        f"{file}: its table has no row for 'social/c_banner.png'",
    ]


def test_check_as_json_is_what_a_run_keeps(ads: Path) -> None:
    file = written(
        ads, 'defaults: {brand: Acme}\nmedia: [{match: "*a.png", exposure_s: 2}, {match: nix, country: DE}]\n'
    )
    facts = json.loads(called("check", file, ads, "--json").stdout)
    assert facts["media"]["a.png"] == {"brand": {"name": "Acme", "aliases": [], "logos": []}, "exposure_s": 2.0}
    assert list(facts["media"]) == ["a.png", "social/b.png", "social/c_banner.png"]
    assert (facts["unused"], facts["unlisted"]) == (["nix"], [])


def test_the_example_is_valid_and_shows_every_setting(tmp_path: Path) -> None:
    (tmp_path / "cfg.yaml").write_text(text := called("example").stdout)
    config = load_objectives(tmp_path / "cfg.yaml")
    assert len(config.media) == 3
    for name in (*type(config).model_fields, *type(config.defaults).model_fields):
        assert f"{name}:" in text
    assert any(rule.expression.aoi_type for rule in config.rules), "so that it is used as its first lines say"
    assert "mediaan analyze FOLDER --objectives" in text
