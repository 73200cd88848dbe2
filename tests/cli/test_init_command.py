"""`mediaan init`: a configuration that is valid as it stands, and whatever of it is put in force."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from mediaan.cli.commands.init import init
from mediaan.config.objectives import load_objectives, load_rules
from mediaan.config.objectives_template import example_objectives
from mediaan.errors import UsageError
from mediaan.workflow.objectives import check_objectives

_ASLEEP = re.compile(r"^#(?=[a-z]+:|  \S|    )", re.MULTILINE)
_NAMES = ("a.png", "summer/é 広告.jpg", 'summer/it\'s "big" [50%].png', "winter/x/#1: b.png")


@pytest.fixture
def ads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in _NAMES:
        (tmp_path / "ads" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / "ads" / name)
    (tmp_path / "ads" / "notes.txt").write_text("no medium")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "ads"


def called(*arguments: object) -> Result:
    result = CliRunner().invoke(init, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def awake(text: str) -> str:
    """The file with everything in force that is commented out."""
    return _ASLEEP.sub("", text)


def test_as_it_stands_it_is_valid_and_changes_nothing(ads: Path) -> None:
    called("ads")
    checked = check_objectives("mediaan.yaml", [ads])
    assert set(checked.media) == set(_NAMES)
    assert {tuple(said.items()) for said in checked.media.values()} <= {(), (("benchmark", "auto"),)}
    assert not checked.unused


def test_every_folder_has_an_entry_that_fits_it(ads: Path) -> None:
    called("ads")
    text = awake(Path("mediaan.yaml").read_text(encoding="utf-8"))
    Path("awake.yaml").write_text(text, encoding="utf-8")
    patterns = {pattern for rule in load_objectives(Path("awake.yaml")).media for pattern in rule.match}
    assert patterns == {"a.png", "summer/**", "winter/**", "winter/x/**"}
    assert not [one for one in check_objectives("awake.yaml", [ads]).unused if one in patterns]
    assert "notes.txt" not in text
    assert text.index('"winter/**"  # 1 file\n') < text.index('"winter/x/**"  # 1 file\n'), "the inner one wins"


def test_without_a_folder_it_is_the_example_asleep(ads: Path) -> None:
    called("--out", "objectives.yaml")
    lines = awake(Path("objectives.yaml").read_text(encoding="utf-8")).splitlines()
    assert [line for line in lines if not line.startswith("# To use")] == example_objectives().splitlines()


def test_rules_if_asked(ads: Path) -> None:
    called("ads")
    assert not Path("rules.yaml").exists()
    called("ads", "--rules", "--force")
    text = Path("rules.yaml").read_text(encoding="utf-8")
    assert len(load_rules(Path("rules.yaml"))) == 1
    Path("rules.yaml").write_text(awake(text), encoding="utf-8")
    assert len(load_rules(Path("rules.yaml"))) == 2


@pytest.mark.parametrize("there", ["mediaan.yaml", "rules.yaml"])
def test_nothing_is_overwritten_unless_asked(ads: Path, there: str) -> None:
    Path(there).write_text("mine")
    with pytest.raises(UsageError, match=f"{there} exists already"):
        called("ads", "--rules")
    assert Path(there).read_text() == "mine"
    assert {path.name for path in Path().glob("*.yaml")} == {there}, "nor is the other one written"
    called("ads", "--rules", "--force")
    assert Path(there).read_text(encoding="utf-8") != "mine"


def test_what_it_says_to_do_next_can_be_done(ads: Path) -> None:
    ads.rename("my ads")
    said = called("my ads").stdout
    assert "(4 files found in 3 folders)" in said
    assert "mediaan objectives check mediaan.yaml 'my ads'" in said
