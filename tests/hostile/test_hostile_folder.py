"""The command over a folder that an enemy made: it ends, every file has a row, nothing else was opened or asked for."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import hostile_folder as enemy
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from bombs import BOMBS

from mediaan.media import find_files

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any bytes"),
]

TIME_LIMIT_S = 4
MEMORY_MB = 1000
"""Of each worker; some 400 of them are there before a file is opened."""

CHEAP = ["--maps", "none", "--aois", "none", "--no-densities", "--benchmark", "none"]
CHEAP += ["--workers", "2"]
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
open(sys.argv[1], "w").write(f"{done.returncode} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}")
"""


class Listener:
    """A server that only counts who comes."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/secret.png"
        self.visitors = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.visitors += 1

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@dataclass
class Attacked:
    """What became of the run."""

    given: Path
    out: Path
    returncode: int
    peak_bytes: int
    stderr: str
    visitors: int
    trace: Path | None
    names: list[str] = field(default_factory=list)

    @property
    def media(self) -> pd.DataFrame:
        return pq.read_table(self.out / "tables" / "media.parquet").to_pandas()


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    base = tmp_path_factory.mktemp("hostile")
    given, outside = base / "given", base / "outside"
    for folder in ("names", "places", "lures", "doubles", "bombs", "mutations"):
        (given / folder).mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.png").write_bytes(enemy.small_png(99))
    listener = Listener()
    names = enemy.write_names(given / "names")
    enemy.write_places(given / "places", outside)
    enemy.write_lures(given / "lures", outside / "secret.png", listener.url)
    enemy.write_doubles(given / "doubles")
    enemy.write_bombs(given / "bombs")
    enemy.write_mutations(given / "mutations", 44)
    trace = base / "trace" if shutil.which("strace") else None
    watched = ["strace", "-f", "-qq", "-e", "trace=openat,open,connect", "-o", str(trace)] if trace else []
    command = [
        str(Path(sys.executable).with_name("mediaan")),
        "analyze",
        str(given),
        "--out",
        str(base / "run"),
        *CHEAP,
    ]
    command += ["--time-limit", str(TIME_LIMIT_S), "--memory-limit", str(MEMORY_MB)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(base / "measured"), *watched, *command],
        cwd=base,
        env={**os.environ, "TMPDIR": str(base)},
        capture_output=True,
        timeout=400,
        check=True,
    )
    returncode, peak = (int(word) for word in (base / "measured").read_text().split())
    listener.close()
    yield Attacked(given, base / "run", returncode, peak * 1024, done.stderr.decode(), listener.visitors, trace, names)
    shutil.rmtree(given)


def test_the_run_ends_and_says_that_some_failed(attacked: Attacked) -> None:
    assert attacked.returncode == 3
    assert "Traceback" not in attacked.stderr


def test_every_file_has_a_row_or_was_left_out(attacked: Attacked) -> None:
    listing = find_files([attacked.given])
    media = attacked.media
    assert media["path"].tolist() == [file.display_path for file in listing.files]
    everything = {Path(folder, name) for folder, _, names in os.walk(attacked.given) for name in names}
    left_out = {entry.path for entry in listing.skipped}
    assert everything - {file.path for file in listing.files} <= left_out
    failed = media[media["status"] == "failed"]
    assert failed["error_code"].notna().all()
    assert (failed["error_message"].str.len() > 20).all()
    assert len(failed) > 80
    reasons = {entry.path.name: entry.reason for entry in listing.skipped}
    for link in ("out", "out.png", "roundabout.png", "zero.png", "memory.mp4"):
        assert reasons[link] == "link_outside"
    assert reasons["pipe.png"] == reasons["socket.jpg"] == "not_media"


def test_no_fault_is_ours(attacked: Attacked) -> None:
    codes = set(attacked.media["error_code"].dropna())
    assert not codes & {"internal", "worker_died", "analysis"}, attacked.media.loc[
        attacked.media["error_code"].isin(["internal", "worker_died"]), ["path", "error_message"]
    ].to_dict("records")


def test_names_are_kept_as_they_are(attacked: Attacked) -> None:
    named = attacked.media[attacked.media["path"].str.startswith("names/")]
    assert sorted(named["name"]) == sorted(attacked.names)
    assert set(named["status"]) == {"done"}


def test_lures_and_what_is_no_picture_fail(attacked: Attacked) -> None:
    media = attacked.media.set_index("path")
    lures = media[media.index.str.startswith("lures/")]
    assert set(lures["error_code"]) == {"unsupported_format", "not_a_picture"}
    for name in ("empty.jpg", "one byte.mp4", "text.jpg", "zip alone.png", "elf.mov", "pickle.png", "pdf.jpg"):
        assert media.loc[f"doubles/{name}", "status"] == "failed"
    for name in ("1 x 1.png", "1 x 3000.png", "3000 x 1.png", "2 x 3.png", "thin bars.png", "thin content.png"):
        assert media.loc[f"doubles/{name}", "status"] == "done"
    assert not list(attacked.out.parent.rglob("evil.png"))
    assert not list(attacked.out.parent.rglob("hacked*"))


def test_bombs_end_in_time_and_memory(attacked: Attacked) -> None:
    media = attacked.media
    bombs = media[media["path"].str.startswith("bombs/")]
    assert len(bombs) == len(BOMBS)
    by_name = dict(zip(bombs["name"].str.removeprefix("bomb "), bombs["error_code"], strict=True))
    for name in ("stated size.png", "stated size.gif", "stated size.jpg", "stated size.webp", "stated size.tif"):
        assert by_name[name] == "too_large"
    assert {by_name[f"{name}.jpg"] for name in ("scans", "fill", "comments")} == {"decode_failed"}
    assert by_name["samples in a fragment.mp4"] in {"memory_limit", "time_limit", "truncated"}  # 1.2 GB for 15 kB
    assert by_name["frames for days.png"] == "too_long"
    assert {by_name["held.mkv"], by_name["held.avi"]} <= {"too_long", "time_limit"}
    assert by_name["thousands of frames.gif"] == by_name["frames on a large screen.gif"] == "time_limit"
    assert by_name["a frame that takes minutes.avi"] == "time_limit"
    assert by_name["compressed index.mov"] in {"memory_limit", "no_video"}  # whether it was seen while it was too much
    assert attacked.peak_bytes < 2 * MEMORY_MB * 1e6  # one step of a decoder may end before it is seen


def test_nothing_outside_was_opened(attacked: Attacked) -> None:
    assert attacked.visitors == 0
    if attacked.trace is None:
        pytest.skip("needs strace")
    opened = re.findall(r'open(?:at)?\([^"]*"([^"]*)"[^\n]*\) = \d', attacked.trace.read_text(errors="replace"))
    assert any("lures" in path for path in opened)  # the trace tells
    outside = attacked.given.parent / "outside"
    assert not [path for path in opened if str(outside) in path or path in {"/dev/zero", "/proc/self/mem"}]
    inside = [path for path in opened if "/pipe.png" in path or "/socket.jpg" in path]
    assert not inside
    addresses = re.findall(r"connect\(.*AF_INET6?.*", attacked.trace.read_text(errors="replace"))
    assert not addresses


def test_what_was_written_is_whole_and_holds_no_made_up_numbers(attacked: Attacked) -> None:
    for file in (attacked.out / "tables").glob("*.parquet"):
        table = pq.read_table(file)
        for column in table.columns:
            if pa.types.is_floating(column.type):
                assert not pc.any(pc.is_nan(column)).as_py(), file.name
                assert not pc.any(pc.is_inf(column)).as_py(), file.name
    json.loads((attacked.out / "run.json").read_text())
    left = {entry.name for entry in attacked.out.parent.iterdir()} - {"given", "outside", "trace", "measured", "run"}
    assert not left, "temporary files"
    assert not [path for path in attacked.out.rglob("*") if path.name.endswith((".part", ".tmp"))]
    assert not (attacked.out / "unfinished.json").exists()
