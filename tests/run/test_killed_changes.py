"""SIGKILL while AOIs or ratings of a run are changed: the old state holds or the new, and the next attempt succeeds."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from budget import budget
from PIL import Image, ImageDraw

import mediaan as mn
from mediaan.run.changes import open_for_change
from mediaan.run.tables.schema import TABLES

SCRIPT = Path(__file__).with_name("doomed.py")
KILLS = budget(2, 8)
"""Of each kind of change."""

Ask = Callable[..., tuple[int, float]]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with subprocess.Popen(
        [sys.executable, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdin is not None
        assert one.stdout.readline() == "ready\n"

        def asked(what: str, run: Path, file: str, **when: Any) -> tuple[int, float]:
            assert one.stdout is not None
            one.stdin.write(json.dumps({"what": what, "run": str(run), "file": file, **when}) + "\n")
            one.stdin.flush()
            status, took_s = json.loads(one.stdout.readline())
            return status, took_s

        yield asked
        one.stdin.close()


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed") / "ads"
    folder.mkdir()
    for name in "abcdef":
        picture = Image.radial_gradient("L").convert("RGB").resize((120, 90))
        ImageDraw.Draw(picture).text((10, 20), f"SALE {name}", fill="white", font_size=24)
        picture.save(folder / f"{name}.png")
    return folder


@pytest.fixture(scope="module")
def made(ads: Path) -> Path:
    """A run that has seen a change before."""
    settings = (mn.Recipe(model="centre-prior", maps=(), aois="none"), mn.Execution(workers=1))
    run = mn.analyze_folder(ads, ads.parent / "made", *settings)
    mn.apply_aois(run.path, drawn(ads.parent, "before.json", "other", "abc"))
    return run.path


def drawn(folder: Path, name: str, kind: str, media: str) -> Path:
    areas = {f"{one}.png": [{"type": kind, "box": [0.1, 0.1, 0.5, 0.5]}] for one in media}
    (folder / name).write_text(json.dumps(areas))
    return folder / name


def state(run_dir: Path) -> dict[str, Any]:
    """What tables, results and history say, but for times."""
    run = mn.read_run(run_dir)
    found: dict[str, Any] = {
        name: run.table(name).drop(columns=["created_at", "seconds"], errors="ignore").to_json() for name in TABLES
    }
    found |= {p.relative_to(run_dir).as_posix(): p.read_text() for p in sorted(run_dir.glob("maps/*/*.json"))}
    changes = [{**change, "at": None} for change in run.facts.get("aoi_changes", [])]
    return found | {"changes": changes, "benchmark": run.facts["benchmark"]}


def wanted_file(what: str, ads: Path) -> str:
    if what == "apply":
        return str(drawn(ads.parent, "now.json", "product", "bcdef"))
    return str(ads) if what == "detect" else "none"


def without_ratings(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if not name.startswith(("benchmark", "checks"))}


@pytest.mark.parametrize("what", ["apply", pytest.param("detect", marks=pytest.mark.full), "benchmark"])
def test_a_change_that_is_killed(what: str, ads: Path, made: Path, ask: Ask, tmp_path: Path) -> None:
    chance, file, old = random.Random(what), wanted_file(what, ads), state(made)
    shutil.copytree(made, tmp_path / "undisturbed")
    status, took_s = ask(what, tmp_path / "undisturbed", file)
    new = state(tmp_path / "undisturbed")
    assert (status, new != old) == (0, True)
    ends: Counter[str] = Counter()
    for number in range(KILLS):
        run = tmp_path / f"run{number}"
        shutil.copytree(made, run)
        in_edits = what != "benchmark" and number % 3 > 0
        after_s = chance.uniform(0, 0.06 if in_edits else took_s)
        status, _ = ask(what, run, file, after_s=after_s, in_edits=in_edits)
        ends["killed" if status == -signal.SIGKILL else "too late"] += 1
        seen = state(run)
        assert all(seen[name] in (old.get(name), new.get(name)) for name in without_ratings(seen)), "readable at once"
        finished = seen == new and not (run / "changing.json").exists()
        if number % 2 or (finished and status == -signal.SIGKILL):  # the same may just have been written again
            with open_for_change(run):
                pass
            carried = without_ratings(state(run))
            assert carried in (without_ratings(old), without_ratings(new)), "as a whole or not at all"
        if not finished:  # otherwise the same again is one change more
            status, _ = ask(what, run, file)
            assert (status, state(run)) == (0, new)
        assert not [path for path in run.rglob("*") if path.name.endswith(".part") or path.name == "changing.json"]
        shutil.rmtree(run)
    assert ends["killed"] >= KILLS // 2, ends
