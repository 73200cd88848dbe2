"""What people meet in their first hour when something is not as it should be: what happened, and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from mediaan.cli.main import main

MEDIAAN = Path(sys.executable).with_name("mediaan")
PRIOR = ("--model", "centre-prior", "--maps", "none", "--aois", "none")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "ads").mkdir()
    Image.new("RGB", (64, 64), "red").save(tmp_path / "ads" / "summer_banner.png")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "brief.docx").write_text("a brief")
    (tmp_path / "empty").mkdir()
    (tmp_path / "brackets.yaml").write_text("defaults: [\n")
    (tmp_path / "tabs.yaml").write_text("defaults:\n\tpurpose: conversion\n")
    (tmp_path / "colon.yaml").write_text("defaults:\n  brand: a: b\n")
    return tmp_path


def called(*arguments: str, cwd: Path) -> tuple[int, str]:
    done = subprocess.run([MEDIAAN, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("analyze", "ads/sumer_banner.png"), "did you mean ads/summer_banner.png?"),
        (("analyze", r"C:\Users\me\ads"), "paths of Windows"),
        (("analyze", "nothing-like-it"), "check the path"),
        (("analyze", "texts"), "its file is neither, by content"),
        (("analyze", "empty"), "it holds no files"),
        (("analyze", "ads", "--aois", "txt"), "did you mean 'text'?"),
        (("analyze", "ads", "--aois", "areas.json"), "one of none, text, objects, all"),
        (("analyze", "ads", "--objectives", "absent.yaml"), "give a YAML file that exists"),
        (("objectives", "check", "brackets.yaml"), "brackets.yaml: line 2, column 1: "),
        (("objectives", "check", "tabs.yaml"), "indent with spaces instead of tabs"),
        (("objectives", "check", "colon.yaml"), "a space after each colon"),
        (("anlyze", "ads"), "did you mean 'analyze'?"),
        (("comp",), "did you mean 'compare' or 'completion'?"),
        (("ads",), "to analyze it: mediaan analyze ads"),
        (("version",), "mediaan --version"),
        (("xyzzy",), "`mediaan --help` lists them"),
    ],
)
def test_what_is_mistyped_or_missing_says_what_to_do(
    here: Path,
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "argv", ["mediaan", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert said in capsys.readouterr().err
    assert not (here / "mediaan-run").exists(), "nothing was done"


def unprivileged(*arguments: str, cwd: Path) -> str:
    """What the command says to somebody whose rights count, which are not those of root."""
    if os.geteuid():
        return called(*arguments, cwd=cwd)[1]
    setpriv = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", str(MEDIAAN))
    try:
        return subprocess.run([*setpriv, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60).stderr
    except FileNotFoundError:
        pytest.skip("setpriv is not installed, and root may do anything")


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_rights_that_are_missing(here: Path) -> None:
    assert called("analyze", "ads", *PRIOR, "--out", "run", cwd=here)[0] == 0
    for folder, mode in ((here / "run", 0o555), (here / "texts", 0o000)):
        folder.chmod(mode)
    try:
        again = unprivileged("analyze", "ads", *PRIOR, "--out", "run", "--retry-failed", cwd=here)
        closed = unprivileged("analyze", "texts", cwd=here)
    finally:
        for folder in (here / "run", here / "texts"):
            folder.chmod(0o755)
    assert "make sure that you have write access or use another folder" in again
    assert "make room" not in again
    assert "a folder that cannot be read (1): texts; check its permissions" in closed
