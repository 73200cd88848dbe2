"""A run on a Ray cluster gives what a serial one gives, to the last bit."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mediaan.analysis import Execution, MediumTask, Plan, Recipe, TaskResult, TaskRunner
from mediaan.analysis.tasks import TaskStore
from mediaan.errors import SetupError
from mediaan.media import MediaFile
from mediaan.types.result import Failed
from mediaan.workflow.folder.analyze import analyze_folder
from mediaan.workflow.folder.executor import ClusterTask

ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"
RECIPE = Recipe(maps=("heat",), aois="none")
OF_TIME = {"created_at", "seconds"}


def tables(run_dir: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted((run_dir / "tables").glob("*.parquet")):
        table = pq.read_table(path)
        found[path.name] = table.drop_columns([name for name in table.column_names if name in OF_TIME]).to_pydict()
    return found


def files(run_dir: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run_dir)): path.read_bytes() for path in (run_dir / "maps").rglob("*.*")}


@pytest.mark.full
@pytest.mark.skipif(not find_spec("ray") or os.name != "posix", reason="Ray is not installed")
def test_a_run_on_ray_equals_a_serial_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ads").mkdir()
    ads = [path for path in sorted(ADS.iterdir()) if path.suffix in {".jpg", ".png", ".webp"}][:4]
    for ad in ads:
        Path("ads", ad.name).write_bytes(ad.read_bytes())
    Path("ads", f"copy of {ads[0].name}").write_bytes(ads[0].read_bytes())
    Path("ads", "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(100))
    analyze_folder("ads", "serial", recipe=RECIPE, execution=Execution(executor="serial"))
    handler = signal.getsignal(signal.SIGTERM)
    run = analyze_folder("ads", "ray", recipe=RECIPE, execution=Execution(executor="ray", workers=2))
    assert run.facts["counts"] == {"done": 5, "failed": 1, "skipped": 0}
    assert run.facts["device"] == "cpu"
    assert tables(Path("ray")) == tables(Path("serial"))
    assert files(Path("ray")) == files(Path("serial"))
    assert {Path(name).suffix for name in files(Path("ray"))} == {".jpg", ".npz"}
    assert signal.getsignal(signal.SIGTERM) is handler


def test_a_machine_that_does_not_see_the_files_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan, order = Plan(), MediumTask(MediaFile(str(tmp_path / "elsewhere" / "a.jpg"), "a.jpg", 1))
    with pytest.raises(SetupError, match=r"elsewhere, .* is not to be seen from .* all its machines share") as caught:
        ClusterTask(TaskRunner(plan, TaskStore()), keeps_here=True, folder=tmp_path)(order)
    assert caught.value.code == "not_shared"
    here = MediumTask(MediaFile(str(tmp_path / "a.jpg"), "a.jpg", 1))
    scratch = tmp_path / "run" / ".scratch"
    task = TaskRunner(plan, TaskStore(), scratch)
    with pytest.raises(SetupError, match=r"run, --out, is not to be seen from"):
        ClusterTask(task, keeps_here=True, folder=tmp_path)(here)
    report = ClusterTask(task, keeps_here=False, folder=tmp_path)(here)
    assert scratch.is_dir(), "of a run in an object store, each machine has its own"
    assert isinstance(report, TaskResult)
    assert isinstance(report.outcome, Failed), "there is no such file"


@pytest.mark.parametrize(("code", "hint"), [("unreachable", "the environment in which Ray was started"), ("disk", "")])
def test_what_ends_a_run_on_one_machine_alone_names_it(
    code: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    class Unreachable(TaskStore):
        def claim(self, task: MediumTask) -> AbstractContextManager[None]:
            raise SetupError("the store cannot be reached", code=code)

    task = TaskRunner(Plan(), Unreachable())
    with pytest.raises(SetupError) as caught:
        ClusterTask(task, keeps_here=False, folder=tmp_path)(MediumTask(MediaFile(str(tmp_path / "a.jpg"), "a.jpg", 1)))
    told = f"on {socket.gethostname()}, a machine of the cluster: the store cannot be reached"
    assert caught.value.code == code
    assert caught.value.message.startswith(told)
    assert hint in caught.value.message
    assert bool(hint) == (caught.value.message != told)
