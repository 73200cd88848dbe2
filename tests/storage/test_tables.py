"""Delimited text as spreadsheets and other programs save it: the same cells however they are written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mediaan.config import load_objectives
from mediaan.config.attributes import load_attributes
from mediaan.config.calibration import load_calibration
from mediaan.config.placements import load_placements
from mediaan.errors import UsageError
from mediaan.storage.input_file import open_table, plain_number

ROWS = [["ad é.png", "0.5", "Acme"], ["b.png", "12.25", "Ü, “x”"]]


def read(tmp_path: Path, data: str | bytes, encoding: str = "utf-8", **how: bool) -> list[list[str]]:
    path = tmp_path / "t.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode(encoding))
    table = open_table(path, "bad", **how)
    header, rows = table.trimmed()
    return [header, *(cells for _, cells in rows)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("declared", [False, True])
def test_a_table_in_any_locale(tmp_path: Path, encoding: str, end: str, separator: str, declared: bool) -> None:
    lines = [separator.join(["Name", "Share", "Brand", "", ""])] + [
        separator.join([name, share, f'"{brand}"', "", ""]) for name, share, brand in ROWS
    ]
    blank = separator * 4
    text = end.join([*([f"sep={separator}"] if declared else []), "", *lines[:2], "", blank, lines[2], blank, ""])
    assert read(tmp_path, text, encoding) == [["Name", "Share", "Brand"], *ROWS]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('n,v\n"a ""x"".png",1\n', ['a "x".png', "1"]),
        ('n,v\n"a, b.png",1\n', ["a, b.png", "1"]),
        ('n,v\n"a\r\nb.png",1\n', ["a\r\nb.png", "1"]),
        ('n,v\n5" pizza.png,1\n', ['5" pizza.png', "1"]),
        ('n,v\n"Big" pizza.png,1\n', ['"Big" pizza.png', "1"]),
        ('n,v\n"pizza.png,1\nb.png,2\n', ['"pizza.png', "1"]),
        ('n,v\na.png,"Hello\nthis, that\nend"\n', ["a.png", "Hello\nthis, that\nend"]),
        ('n,v\n"a.png"\t,1\n', ['"a.png"', "1"]),
    ],
)
def test_quotes(tmp_path: Path, text: str, cells: list[str]) -> None:
    assert read(tmp_path, text)[1] == cells


def test_a_quote_that_could_swallow_rows_is_refused_with_its_lines(tmp_path: Path) -> None:
    text = 'n,v\na,1\n"b,2\nc,3\nd 5",4\n'
    with pytest.raises(UsageError, match="a quote opens in line 3 and closes in line 5"):
        read(tmp_path, text)
    assert len(read(tmp_path, text, multiline=False)) == 5


@pytest.mark.parametrize(
    ("cell", "separator", "number"),
    [
        ("0,8", ";", "0.8"),
        ("0,8", ",", "0.8"),
        (".5", ",", ".5"),
        ("1.234,5", ";", "1234.5"),
        ("1,234.5", "\t", "1234.5"),
        ("1\u202f234,5", ";", "1234.5"),
        ("1\xa0234", ";", "1234"),
        ("1'234.5", ";", "1234.5"),
        ("-3,25", "\t", "-3.25"),
        ("0,125", ",", "0.125"),
        ("1,234", ",", "1,234"),  # may mean either: left for the caller to refuse
    ],
)
def test_numbers_of_any_locale(cell: str, separator: str, number: str) -> None:
    assert plain_number(cell, separator) == number


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"\x1f\x8b\x08\x00\x00", "gzip"), (b"PK\x03\x04\x14\x00", "Excel workbook"), (b"%PDF-1.7\n\xe2\xe3\x81", "PDF")],
)
def test_what_is_no_table_is_named(tmp_path: Path, data: bytes, kind: str) -> None:
    with pytest.raises(UsageError, match=rf"t\.csv: is .*{kind}"):
        read(tmp_path, data)


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """A pipe would wait for ever, a device never end."""
    os.mkfifo(tmp_path / "pipe.csv")
    for path, kind in (
        (tmp_path / "pipe.csv", "a named pipe"),
        (Path("/dev/zero"), "a device"),
        (tmp_path, "a folder"),
    ):
        for read_it in (load_attributes, load_objectives, load_calibration, load_placements):
            with pytest.raises(UsageError, match=f"is {kind}; give a file"):
                read_it(path)
