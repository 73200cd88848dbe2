"""What leaves a run for other programs: spreadsheets, databases, terminals, and back again."""

from __future__ import annotations

import csv
import io
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree

import hostile_folder as enemy
import pytest
from conftest import FAST, LABELS, Named

import mediaan
from mediaan.config.aoi_formats.reading import load_aois
from mediaan.config.aoi_formats.writing import AnnotatedMedium, to_csv
from mediaan.config.attributes import escape_formula, unescape_formula
from mediaan.run.directory import copy_run
from mediaan.types.aoi import Box

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def assert_no_formula(rows: list[dict[str, str]]) -> None:
    assert rows
    found = [cell for row in rows for cell in row.values() if cell.startswith(FORMULAS) and not is_number(cell)]
    assert not found


@pytest.mark.parametrize("text", ["", "'", "''=", "'a", "=1", "'=1", "''=1", "-1", "@x", "\t=1", "\r", "a=1", "'' ="])
def test_guarding_loses_nothing(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text
    assert not escape_formula(text).startswith(FORMULAS)


def test_a_line_end_in_a_label_does_not_begin_a_record(tmp_path: Path) -> None:
    """A bare CR ends a record for spreadsheets, and for our own reader, unless it is quoted."""
    label = "Sale\r=cmd|' /C calc'!A0"
    aoi = mediaan.Aoi(UUID(int=1), "other", label, Box(0, 0, 0.5, 0.5), None, "drawn")
    text = to_csv([AnnotatedMedium("ad.png", 100, 100, [aoi])])
    assert f'"{label}"' in text
    (tmp_path / "areas.csv").write_bytes(text.encode())
    (drawing,) = load_aois(tmp_path / "areas.csv").drawings("ad.png") or ()
    assert drawing.label == label


def test_areas_as_csv_hold_no_formula_and_come_back(named: Named, tmp_path: Path) -> None:
    exported = named.command("aois", "export", named.run, "--format", "csv", "--out", tmp_path / "areas.csv")
    assert exported == ""
    rows = cells((tmp_path / "areas.csv").read_bytes().decode())
    assert_no_formula(rows)
    assert {unescape_formula(row["label"]) for row in rows} == set(LABELS)
    again = tmp_path / "again"
    copy_run(named.run, again)
    named.command("aois", "apply", again, tmp_path / "areas.csv", "-q")
    before, after = (mediaan.read_run(run).table("aois") for run in (named.run, again))
    assert sorted(before["label"]) == sorted(after["label"])
    assert sorted(before["aoi_id"]) == sorted(after["aoi_id"])


def test_results_of_rules_hold_no_formula(named: Named, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules:\n  - focus >= 99\n  - branding.attention >= 99\n")
    outputs = ("--out", tmp_path / "results.csv", "--junit", tmp_path / "results.xml")
    named.command("check", named.run, "--rules", tmp_path / "rules.yaml", *outputs)
    rows = cells((tmp_path / "results.csv").read_bytes().decode())
    assert_no_formula(rows)
    assert {unescape_formula(row["path"]) for row in rows} == set(named.names)
    suites = ElementTree.parse(tmp_path / "results.xml").getroot()
    assert len(suites) == len(named.names)


def test_attributes_fit_names_as_a_spreadsheet_keeps_them(named: Named, tmp_path: Path) -> None:
    """A table that was made from the report's CSV names media with the apostrophe before."""
    lines = [[escape_formula(name), f"c{number % 2}"] for number, name in enumerate(named.names) if "\r" not in name]
    with (tmp_path / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["name", "campaign"], *lines])
    by = ("--by", "campaign", "--attributes", tmp_path / "table.csv", "--metric", "focus")
    said = named.command("compare", "--runs", named.run, *by)
    assert sum(int(word.split()[0]) for word in said.split("(")[1:3]) == len(lines)


def test_folders_of_maps_stay_in_the_run(named: Named) -> None:
    maps = named.run / "maps"
    folders = [folder.name for folder in maps.iterdir()]
    assert len(folders) == len(named.names)
    assert all(name.isascii() and name.isprintable() and not name.startswith((".", "-")) for name in folders)
    assert not {character for name in folders for character in name} & set("<>:\"/\\|?*'=%$` ")
    assert not {path.name for path in named.folder.iterdir()} & {"up", "up.png", "x.png", "e.png"}


def on_a_terminal(*command: str, cwd: Path) -> str:
    """Run a command as on a terminal: what would reach it."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, close_fds=True) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not more:
                break
            said += more
    os.close(ours)
    assert process.returncode in {0, 3}, said
    return said.decode("utf-8", "replace")


def test_names_do_not_steer_a_terminal(tmp_path: Path) -> None:
    ads = tmp_path / "ads"
    ads.mkdir()
    name = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202egnp\x9b31m.png"
    (ads / name).write_bytes(b"no picture")
    (ads / "good.png").write_bytes(enemy.small_png(1))
    mediaan_command = str(Path(sys.executable).with_name("mediaan"))
    quiet = [word for word in FAST if word != "-q"]
    said = on_a_terminal(mediaan_command, "analyze", "ads", "--out", "run", "--maps", "none", *quiet, cwd=tmp_path)
    assert "failed: \\x1b]0;owned\\x07\\x1b[2J\\x1b[31m\\u202egnp\\x9b31m.png" in said
    assert not set(said) & set("\x07\u202e\x9b")
    assert "\x1b]" not in said
    assert "\x1b[2J" not in said
    assert "100%" in said  # the bar is drawn
