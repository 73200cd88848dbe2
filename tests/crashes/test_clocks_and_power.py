"""Clocks that jump between sessions, and what a disk may hold after the power was lost."""

from __future__ import annotations

import os
import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from arena import Running, check_whole, contents, run_to_the_end
from budget import budget
from test_killed_runs import Fuse

HOUR_S = 3600.0


@dataclass
class OffBy:
    """Lets the clock of its process be wrong, and the process die before it touches the n-th file."""

    seconds: float
    fuse: Fuse | None = None

    def __call__(self) -> None:
        right = time.time
        time.time = lambda: right() + self.seconds
        if self.fuse is not None:
            self.fuse()


@pytest.mark.full
def test_a_clock_that_jumps_between_sessions(media: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "run"
    for hours, step in ((5, 60), (-7, 90), (3, 110), (-100, 130)):
        Running(media, out, OffBy(hours * HOUR_S, Fuse(out, step))).end()
    assert Running(media, out, OffBy(-HOUR_S)).end() == 0
    check_whole(out, undisturbed)


@pytest.mark.parametrize("age_h", [-5, pytest.param(50 * 365 * 24, marks=pytest.mark.full)], ids=["future", "1970s"])
def test_files_of_any_time(media: Path, undisturbed: dict[str, Any], tmp_path: Path, age_h: float) -> None:
    """Another content is noticed whether its time of change went on or back, at the same size."""
    ads, out = shutil.copytree(media, tmp_path / "ads"), tmp_path / "run"
    data = {name: (ads / name).read_bytes() for name in ("a.png", "b.png")}
    turned = dict(zip(data, [data["b.png"], data["a.png"]], strict=True))
    size = max(map(len, data.values()))
    for name in data:  # both hold the other's content first; zeros after the end of a PNG change nothing
        (ads / name).write_bytes(turned[name].ljust(size, b"\0"))
    run_to_the_end(ads, out)
    assert contents(out)["media"][0] != undisturbed["media"][0]
    for name, content in data.items():
        (ads / name).write_bytes(content.ljust(size, b"\0"))
        os.utime(ads / name, (time.time() - age_h * HOUR_S,) * 2)
    run_to_the_end(ads, out)
    anew = tmp_path / "anew"
    run_to_the_end(ads, anew)
    for name, expected in contents(anew).items():
        if name != "maps":  # those of contents that are gone stay
            assert contents(out)[name] == expected, name


def _shorten(path: Path, rng: random.Random) -> None:
    size = path.stat().st_size
    os.truncate(path, rng.choice([0, size // 2, max(0, size - 1)]))


def _turn_to_noise(path: Path, rng: random.Random) -> None:
    path.write_bytes(rng.randbytes(path.stat().st_size))


@pytest.mark.parametrize("finished", [False, True], ids=["under way", "finished"])
@pytest.mark.parametrize("seed", range(budget(1, 4)))
def test_files_that_the_disk_lost(
    media: Path, undisturbed: dict[str, Any], tmp_path: Path, seed: int, finished: bool
) -> None:
    """Whatever was written last may be short, empty or noise: maps, parts, inventory, ledger, facts."""
    out, rng = tmp_path / "run", random.Random(seed)
    assert Running(media, out, None if finished else Fuse(out, 150)).end() == (0 if finished else -9)
    maps, parts = sorted(out.glob("maps/*/*")), sorted(out.glob("parts/*/*.gz"))
    small = [path for path in out.glob("*.*") if path.is_file()]
    assert maps
    assert parts
    for path in rng.sample(maps, 2):
        _shorten(path, rng)
    for path in (rng.choice(parts), *rng.sample(small, min(2, len(small)))):
        rng.choice([_shorten, _turn_to_noise])(path, rng)
    run_to_the_end(media, out)
    check_whole(out, undisturbed)
