"""Tables that users write about their media, and names of files in either encoding of accents."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from PIL import Image

from mediaan.config.attributes import check_column, load_attributes
from mediaan.errors import UsageError
from mediaan.workflow.objectives import check_objectives


def table(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "media.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_files_are_named_by_any_ending_of_their_path(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "image,campaign\nsummer/a.png,s1\na.png,s2\nB,s3\n"))
    assert found.of("ads/summer/a.png") == {"campaign": "s1"}
    assert found.of("ads/winter/A.PNG") == {"campaign": "s2"}
    assert found.of("b.jpg") == {"campaign": "s3"}
    assert found.of("c.jpg") is None
    assert found.unused(["x/a.png", "b.jpg"]) == ("summer/a.png",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs a header"),
        ("path\n", "needs a header"),
        ("path,a\n", "no rows"),
        ("path,a,a\nx,1,2\n", "twice"),
        ("path,a\nx,1\nX,2\n", "line 3, path: describes 'X' differently from line 2"),
        ("path,a\nx,1,2\n", "line 2 has 3 cells"),
        ("path,a\nx,1\n ,2\n", "line 3 names no file"),
        (f'path,a\n"{"x" * 200_000}",1\n', "is not a CSV file: field larger"),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        load_attributes(table(tmp_path, text))
    assert "media.csv" in str(refused.value)


def test_all_lines_that_contradict_others_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 problems") as refused:
        load_attributes(table(tmp_path, "path,a\nx,1\nx,2\ny,1\ny,1\nx,3\n"))
    assert "line 3, path: describes 'x' differently from line 2" in refused.value.message
    assert "line 6, path: describes 'x' differently from line 2" in refused.value.message


def test_paths_of_windows_name_files_below_them(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "path;campaign\nC:\\ads\\summer\\A.png;s1\n.\\b.png;s2\n"))
    assert found.of("summer/a.png") == {"campaign": "s1"}
    assert found.of("a.png") == {"campaign": "s1"}
    assert found.of("winter/a.png") is None
    assert found.of("b.png") == {"campaign": "s2"}
    assert found.unused(["winter/a.png", "x/b.png"]) == ("c:/ads/summer/a.png",)


def test_a_column_that_is_not_there_names_the_nearest(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "path,campaign\nx,1\n"))
    check_column(found, "campaign")
    with pytest.raises(UsageError, match="did you mean 'campaign'"):
        check_column(found, "campain")


def test_the_column_of_files_is_known_by_its_name_wherever_it_stands(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "campaign,Filename\ns1,a.png\n"))
    assert (found.file_column, found.columns, found.of("a.png")) == ("Filename", ("campaign",), {"campaign": "s1"})


def test_lines_are_those_of_the_file_also_where_cells_hold_several(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, 'path,a\n\n"x\ny",1\nz,"1\n2\n3"\nw,1\n'))
    assert found.lines == {"x\ny": 3, "z": 5, "w": 8}


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
