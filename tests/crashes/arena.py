"""Where runs are killed: media that cost little, runs in processes of their own, and what a run must look like."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import av
import numpy as np
import psutil
import pyarrow.parquet as pq
from PIL import Image

from mediaan import Execution, MediaanError, Recipe, UsageError, analyze_folder
from mediaan.run import OTHER_TABLES, TABLES
from mediaan.workflow.options import read_options

DISTINCT = 6
"""Four pictures, a video and a broken file; a copy of a picture comes on top."""
_TIMES = ("created_at", "seconds")
_CONTEXT = multiprocessing.get_context("forkserver")  # what has imported all this already starts a run at once
_CONTEXT.set_forkserver_preload(["arena", "mediaan.workflow.folder.analyze", "mediaan.report.write"])


def write_media(folder: Path) -> Path:
    """Fill a folder with `DISTINCT` media and a copy."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(8)
    for name in ("a.png", "b.png", "c.jpg", "sub/d.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (6, 8, 3)).astype(np.uint8)).resize((96, 72)).save(folder / name)
    (folder / "copy of b.png").write_bytes((folder / "b.png").read_bytes())
    (folder / "broken.jpg").write_bytes((folder / "c.jpg").read_bytes()[:300])
    with av.open(folder / "clip.mp4", "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number in range(8):
            frame = av.VideoFrame.from_ndarray(np.full((64, 96, 3), 30 * number, np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    made_long_ago(folder)
    return folder


def settings(**more: Any) -> tuple[Recipe, Execution]:
    """The cheapest that still makes maps."""
    recipe = Recipe(model="centre-prior", maps=("heat",), densities=False, aois="none", benchmark="none")
    return read_options(recipe, Execution(workers=1), more)


def made_long_ago(folder: Path, seconds: float = 1000) -> None:
    """Let files be so old that nobody fears they still change."""
    for file in (path for path in folder.rglob("*") if path.is_file()):
        os.utime(file, (time.time() - seconds,) * 2)


def analyse(media: Path, out: Path, before: Callable[[], object] | None, more: dict[str, Any]) -> None:
    """What the process of a run does."""
    os.setsid()  # so that all that it starts can be found, and killed together
    sys.stderr = sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if before is not None:
        before()
    try:
        analyze_folder(media, out, *settings(**more))
    except MediaanError as error:
        said_of(out).write_text(f"{error.code} {error.message}", encoding="utf-8")
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt as error:
        said_of(out).write_text(str(error), encoding="utf-8")
        sys.exit(130)
    except BaseException:
        said_of(out).write_text(traceback.format_exc(), encoding="utf-8")
        raise


def said_of(out: Path) -> Path:
    """Where a run into a directory leaves its last words."""
    return Path(tempfile.gettempdir()) / f"mediaan {sha256(os.fsencode(out)).hexdigest()[:16]}.txt"


@dataclass
class Running:
    """A run in a process of its own, as the head of its own group."""

    media: Path
    out: Path
    before: Callable[[], object] | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        said_of(self.out).unlink(missing_ok=True)
        self.process = _CONTEXT.Process(target=analyse, args=(self.media, self.out, self.before, self.more))
        self.process.start()
        self.began = time.monotonic()

    @property
    def workers(self) -> list[psutil.Process]:
        """Processes that it has started, which work for it."""
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self.process.pid).children()
            return [child for child in children if "spawn_main" in " ".join(_command(child))]
        return []

    def kill(self, *, group: bool = False) -> None:
        """SIGKILL the process, or it and all that it has started."""
        with suppress(ProcessLookupError):
            if group:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                os.kill(self.process.pid, signal.SIGKILL)

    def end(self, timeout_s: float = 120) -> int:
        """Wait for its end, and for that of all that it has started; gives its exit code."""
        self.process.join(timeout_s)
        assert self.process.exitcode is not None, "it hangs"
        until = time.monotonic() + 60  # on a busy machine a worker may still be importing
        while left := list(in_group(self.process.pid)):
            assert time.monotonic() < until, f"orphans are left: {[_command(process) for process in left]}"
            time.sleep(0.02)
        return self.process.exitcode

    @property
    def said(self) -> str:
        """What it said at its end; empty where that was no error."""
        try:
            return said_of(self.out).read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        finally:
            said_of(self.out).unlink(missing_ok=True)


def run_to_the_end(media: Path, out: Path, **more: Any) -> None:
    """Analyse without any disturbance."""
    run = Running(media, out, more=more)
    code = run.end()
    assert code == 0, run.said


def in_group(group: int | None) -> Iterator[psutil.Process]:
    """Processes of a group that have not ended."""
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                yield process


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def contents(out: Path) -> dict[str, Any]:
    """All that a run says, but for times: tables, facts, and the bytes of maps."""
    found: dict[str, Any] = {}
    for name in (*TABLES, *OTHER_TABLES):
        file = out / "tables" / f"{name}.parquet"
        if file.exists():
            table = pq.read_table(file)
            found[name] = table.drop_columns([column for column in _TIMES if column in table.column_names]).to_pylist()
    facts = json.loads((out / "run.json").read_text())
    found["run.json"] = {key: value for key, value in facts.items() if key not in _TIMES_OF_RUNS}
    found["stages"] = sorted(facts["stages"])
    maps = (path for path in out.glob("maps/**/*") if path.is_file())
    found["maps"] = {path.relative_to(out).as_posix(): path.read_bytes() for path in maps}
    return found


_TIMES_OF_RUNS = ("created_at", "seconds", "media_per_s", "stages")


def litter(out: Path) -> list[str]:
    """Files that only a run that is under way may have."""
    found = [*out.rglob("*.part"), *out.glob("unfinished.json"), *out.glob(".scratch"), *out.glob(".scratch/**/*")]
    return sorted(path.relative_to(out).as_posix() for path in found)


def check_whole(out: Path, undisturbed: dict[str, Any]) -> None:
    """Hold a run against one that nothing has disturbed."""
    found = contents(out)
    for name, expected in undisturbed.items():
        assert found[name] == expected, name
    assert found.keys() == undisturbed.keys()
    assert litter(out) == []
    assert (out / "report" / "index.html").is_file()
