"""Files whose names differ in how accents are encoded alone can be described apart."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from PIL import Image

from mediaan.errors import UsageError
from mediaan.workflow.objectives import check_objectives

WORDS = ["größe", "Ångström", "crème brûlée", "São Paulo", "가격", "が", "ệ", "Ωmega\u0301", "İzmir", "ǖ", "ṩ"]


def forms(word: str) -> list[str]:
    """A name in each encoding of its accents; the test needs those that differ."""
    found = [unicodedata.normalize(form, f"{word}.png") for form in ("NFC", "NFD")]
    assert found[0] != found[1]
    return found


def write(folder: Path, names: list[str]) -> Path:
    (folder / "ads").mkdir()
    for i, name in enumerate(names):
        Image.new("RGB", (8, 8), (i, 0, 0)).save(folder / "ads" / name, "png")
    if len(list((folder / "ads").iterdir())) < len(names):
        pytest.skip("this file system takes the names for one")
    return folder / "ads"


def purposes(file: Path, ads: Path) -> dict[str, str | None]:
    return {path: said.get("purpose") for path, said in check_objectives(file, [ads]).media.items()}


PURPOSES = ("conversion", "brand_building")


@pytest.mark.parametrize("word", WORDS, ids=ascii)
@pytest.mark.parametrize("kind", ["patterns", "paths", "table"])
def test_two_spellings_are_two_files(tmp_path: Path, word: str, kind: str) -> None:
    names = forms(word)
    ads = write(tmp_path, names)
    file = tmp_path / "cfg.yaml"
    rows = list(zip(names, PURPOSES, strict=True))
    if kind == "table":
        (tmp_path / "media.csv").write_text("path,purpose\n" + "".join(f"{n},{p}\n" for n, p in rows), "utf-8")
        file.write_text("table: media.csv\n", "utf-8")
    else:
        lines = [f'  - match: "{name}"\n    purpose: {purpose}\n' for name, purpose in rows]
        file.write_text("media:\n" + "".join(lines), "utf-8")
    assert purposes(file, ads) == dict(rows)
    assert not check_objectives(file, [ads]).unused


@pytest.mark.parametrize("word", WORDS, ids=ascii)
@pytest.mark.parametrize("written", [0, 1])
def test_one_spelling_still_means_a_file_in_the_other(tmp_path: Path, word: str, written: int) -> None:
    names = forms(word)
    ads = write(tmp_path, [names[1 - written]])
    file = tmp_path / "cfg.yaml"
    file.write_text(f'media:\n  - match: "{names[written].upper()}"\n    purpose: conversion\n', "utf-8")
    if names[written].upper().casefold() == names[written].casefold():
        assert list(purposes(file, ads).values()) == ["conversion"]
    (tmp_path / "media.csv").write_text(f"path,purpose\n{names[written]},conversion\n", "utf-8")
    file.write_text("table: media.csv\n", "utf-8")
    assert list(purposes(file, ads).values()) == ["conversion"]


def test_a_table_that_says_two_things_of_one_spelling_is_still_refused(tmp_path: Path) -> None:
    name = forms("größe")[0]
    ads = write(tmp_path, [name])
    (tmp_path / "media.csv").write_text(f"path,purpose\n{name},conversion\n{name},brand_building\n", "utf-8")
    (tmp_path / "cfg.yaml").write_text("table: media.csv\n", "utf-8")
    with pytest.raises(UsageError, match=r"describes .* differently from line 2"):
        check_objectives(tmp_path / "cfg.yaml", [ads])
