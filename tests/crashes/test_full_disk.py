"""A disk that is full, or may not be written to: a sentence, nothing lost, and the same again goes on."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from arena import Running, check_whole, contents, litter, run_to_the_end

_WRITES = os.O_WRONLY | os.O_RDWR


@dataclass
class FullAt:
    """Lets its process find the disk full from the n-th file on that it wants to write below a folder."""

    folder: Path
    number: int

    def __call__(self) -> None:
        self.count = 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[0]).startswith(str(self.folder)) and arguments[2] & _WRITES:
            self.count += 1
            if self.count >= self.number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))


def mounted(folder: Path, options: str) -> bool:
    """Put a small file system of memory there, or change the one that is."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder, "size=48k"):
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_at_any_file(media: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    """Lock, facts, claims, maps, parts, inventory, run.json, report: each may be the one that has no room."""
    out, number, said = tmp_path / "run", 1, []
    while True:
        run = Running(media, out, FullAt(out, number))
        if (code := run.end()) == 0:
            break
        said.append(run.said)
        assert (code, said[-1].split()[0]) == (1, "cannot_write"), said[-1]
        assert "cannot be written (No space left on device" in said[-1]
        assert "make room" in said[-1]
        assert litter(out) in ([], ["unfinished.json"])
        number = 3 * number // 2 + 1
    assert len(said) >= 5
    run_to_the_end(media, out)
    check_whole(out, undisturbed)


@pytest.mark.full
def test_a_disk_that_is_really_full(media: Path, undisturbed: dict[str, Any], small_disk: Path) -> None:
    """Room is made bit by bit, so that the disk is full at one stage after the other; a write may end in its middle."""
    out, kilobytes, refused = small_disk / "run", 48, 0
    while True:
        run = Running(media, out)
        if (code := run.end()) == 0:
            break
        said = run.said
        assert code == 1, said
        assert "No space left on device" in said
        refused += 1
        kilobytes += 28
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(small_disk)], check=True)
    assert refused >= 3
    check_whole(out, undisturbed)


def test_what_may_not_be_written_to(media: Path, undisturbed: dict[str, Any], small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    out = small_disk / "run"
    run_to_the_end(media, out)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for place, code in ((out, 1), (small_disk / "other", 2)):
        run = Running(media, place)
        assert run.end() == code
        assert "Read-only file system" in run.said
    check_whole(out, undisturbed)


def test_a_file_of_the_tables_that_cannot_be_written(media: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    """The earlier tables stay until all new ones are there."""
    out = tmp_path / "run"
    run_to_the_end(media, out)
    shutil.rmtree(out / "report")
    (out / "tables" / ".metrics.parquet.part").mkdir()
    run = Running(media, out)
    assert run.end() == 1
    assert "cannot be written" in run.said
    assert contents(out) == undisturbed
    (out / "tables" / ".metrics.parquet.part").rmdir()
    run_to_the_end(media, out)
    check_whole(out, undisturbed)
