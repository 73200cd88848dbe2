"""One run for all tests of what is written: pictures, areas and campaigns with names that carry code."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import hostile_folder as enemy
import pytest
from click.testing import CliRunner

from mediaan.cli.main import cli

LABELS = (
    "</script><img src=x onerror=\"window.pwned='label'\">",
    "=HYPERLINK(\"http://127.0.0.1:9/\",\"label\")",
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1}",
    "\x1b[2J\u202elabel\x07 javascript:window.pwned=1",
    "'+cmd|' /C calc'!A0",
    "\"><svg/onload=window.pwned=1> \u2028 `${window.pwned=1}`",
)  # fmt: skip

CAMPAIGNS = ("<script>window.pwned='campaign'</script>", "'\"><img src=x onerror=window.pwned=2>")
FAST = (
    *("--model", "centre-prior", "--aois", "none", "--benchmark", "none"),
    *("--workers", "1", "-q"),
)


@dataclass(frozen=True)
class Named:
    """The run, the pictures and the tables about them."""

    folder: Path
    ads: Path
    run: Path
    names: list[str]

    def command(self, *arguments: object) -> str:
        """Run a command that must succeed; what it printed."""
        done = CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=False)
        assert done.exception is None, (done.exception, done.output)
        return done.stdout


@pytest.fixture(scope="session")
def named(tmp_path_factory: pytest.TempPathFactory) -> Named:
    folder = tmp_path_factory.mktemp("named")
    ads = folder / "ads"
    ads.mkdir()
    names = enemy.write_names(ads)
    made = Named(folder, ads, folder / "run", names)
    _write_areas(folder / "areas.json", names)
    _write_attributes(folder / "attributes.csv", names)
    areas = ("--aois", folder / "areas.json", "--maps", "heat")
    made.command("analyze", ads, "--out", made.run, *areas, *FAST)
    return made


def _write_areas(path: Path, names: list[str]) -> None:
    areas = {
        name: [{"type": "branding", "label": LABELS[number % len(LABELS)], "box": [0.1, 0.1, 0.5, 0.6]}]
        for number, name in enumerate(names)
    }
    path.write_text(json.dumps(areas), encoding="utf-8")


def _write_attributes(path: Path, names: list[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "campaign", "date"])
        for number, name in enumerate(names):
            writer.writerow([name, CAMPAIGNS[number % 2], f"2026-01-{1 + number:02d}"])
