"""Tables that users write about their media."""

from __future__ import annotations

from pathlib import Path

import pytest

from mediaan.config.attributes import check_column, load_attributes
from mediaan.errors import UsageError


def table(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "media.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_files_are_named_by_any_ending_of_their_path(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "image,campaign\nsummer/a.png,s1\na.png,s2\nB,s3\n"))
    assert found.of("ads/summer/a.png") == {"campaign": "s1"}
    assert found.of("ads/winter/A.PNG") == {"campaign": "s2"}
    assert found.of("b.jpg") == {"campaign": "s3"}
    assert found.of("c.jpg") == {}
    assert found.unused(["x/a.png", "b.jpg"]) == ("summer/a.png",)


def test_separators_marks_and_empty_cells(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "﻿date;file;brand\n2024-01-02;a.png;\n\n2024-02-03;é.png;Acme\n"))
    assert found.columns == ("date", "brand")
    assert found.of("a.png") == {"date": "2024-01-02"}, "an empty cell says nothing"
    assert found.of("e\N{COMBINING ACUTE ACCENT}.png")["brand"] == "Acme", "accents are one however they are encoded"


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


def test_what_spreadsheets_leave_behind_does_not_matter(tmp_path: Path) -> None:
    plain = load_attributes(table(tmp_path, "path,a,b\nx,1,2\ny,,3\n"))
    cleared = "\ufeffsep=;\r\npath;a;;b;;\r\nx;1;;2;;\r\n;;;;;\r\ny; ;;3;;\r\nx;1;;2;;;\r\n"
    assert load_attributes(table(tmp_path, cleared)).rows == plain.rows
    with pytest.raises(UsageError, match="a column without a name"):
        load_attributes(table(tmp_path, "path,a,\nx,1,2\n"))


def test_all_lines_that_contradict_others_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 problems") as refused:
        load_attributes(table(tmp_path, "path,a\nx,1\nx,2\ny,1\ny,1\nx,3\n"))
    assert "line 3, path: describes 'x' differently from line 2" in refused.value.message
    assert "line 6, path: describes 'x' differently from line 2" in refused.value.message


def test_what_is_no_text_is_refused_by_its_kind(tmp_path: Path) -> None:
    for data, kind in ((b"PK\x03\x04\xff\x00\x00", "an Excel workbook"), (b"\x89PNG\r\n\xff\x00", "a PNG image")):
        (tmp_path / "media.csv").write_bytes(data)
        with pytest.raises(UsageError, match=f"media.csv: is .*{kind}, not a CSV file; save it as CSV in UTF-8"):
            load_attributes(tmp_path / "media.csv")


def test_paths_of_windows_name_files_below_them(tmp_path: Path) -> None:
    found = load_attributes(table(tmp_path, "path;campaign\nC:\\ads\\summer\\A.png;s1\n.\\b.png;s2\n"))
    assert found.of("summer/a.png") == {"campaign": "s1"}
    assert found.of("a.png") == {"campaign": "s1"}
    assert found.of("winter/a.png") == {}
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
