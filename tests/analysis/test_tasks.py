"""The unit of work: a file in, a small report out, whatever happens to it."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mediaan.analysis import MediumTask, Plan, TaskResult, TaskRunner, analyze_file, load_models
from mediaan.analysis.tasks import TaskStore
from mediaan.errors import AnalysisError, MediumError, SetupError
from mediaan.media import MediaFile
from mediaan.metrics import metrics_of
from mediaan.types.result import Failed, Result

PLAN = Plan(model="centre-prior", device="cpu", maps=("heat",))


class Names(TaskStore):
    """Stands for a writer: what it is given has its pixels and densities."""

    def save_maps(self, result: Result) -> dict[str, str]:
        assert result.pictures["heat"].ndim == 3
        assert result.densities["total"].sum() > 0.99
        return {name: f"kept/{name}.jpg" for name in result.pictures}


class Failing(TaskStore):
    """Raise an error in place of writing maps."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def save_maps(self, result: Result) -> dict[str, str]:
        raise self.error


BUG = Failing(ZeroDivisionError("a bug of ours"))
FULL = Failing(SetupError("the disk is full", code="cannot_write"))
EMPTY = Failing(AnalysisError("model tiny returned a map of zeros", code="model_empty"))


@pytest.fixture
def file(tmp_path: Path) -> MediaFile:
    rgb = np.random.default_rng(0).integers(0, 256, (60, 80, 3)).astype(np.uint8)
    Image.fromarray(rgb).save(tmp_path / "a.png")
    return MediaFile(tmp_path / "a.png", "shop/a.png", (tmp_path / "a.png").stat().st_size)


def test_a_report_is_small_and_complete(file: MediaFile) -> None:
    report = TaskRunner(PLAN, Names())(MediumTask(file))
    assert isinstance(report.outcome, Result)
    assert report.files == {"original": "kept/original.jpg", "heat": "kept/heat.jpg"}
    assert not report.outcome.pictures
    assert not report.outcome.densities.maps
    assert len(report.outcome.scores) == len(metrics_of("image"))
    assert report.outcome.size_bytes == file.size_bytes
    assert set(report.outcome.stages) == {"open", "attention", "drivers", "scores", "maps", "write"}
    assert 0 < sum(report.outcome.stages.values()) <= report.seconds
    assert len(pickle.dumps(report)) < 5000
    assert pickle.loads(pickle.dumps(report)) == report


def test_a_bad_file_is_a_failure_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "b.jpg").write_text("no picture")
    found = MediaFile(tmp_path / "b.jpg", "shop/b.jpg", 10)
    assert failure(TaskRunner(PLAN, Names())(MediumTask(found))) == ("shop/b.jpg", "b.jpg", "not_a_picture", False)
    with pytest.raises(MediumError):
        analyze_file(found.path, PLAN, load_models("centre-prior"))


def test_a_model_that_fails_is_a_failure(file: MediaFile) -> None:
    assert failure(TaskRunner(PLAN, EMPTY)(MediumTask(file))) == ("shop/a.png", "a.png", "model_empty", False)


def test_a_bug_is_a_failure_with_its_trace(file: MediaFile) -> None:
    report = TaskRunner(PLAN, BUG)(MediumTask(file))
    assert failure(report) == ("shop/a.png", "a.png", "internal", True)
    assert isinstance(report.outcome, Failed)
    assert "shop/a.png" in report.outcome.message
    assert "please report this" in report.outcome.message
    assert "save_maps" in (report.outcome.trace or "")


def test_a_file_for_which_there_is_no_memory_is_a_failure_of_the_file(file: MediaFile) -> None:
    report = TaskRunner(PLAN, Failing(MemoryError()))(MediumTask(file))
    assert failure(report) == ("shop/a.png", "a.png", "too_large", False)
    assert isinstance(report.outcome, Failed)
    assert "scale it down" in report.outcome.message


def test_what_the_machine_lacks_ends_the_run(file: MediaFile) -> None:
    with pytest.raises(SetupError, match="disk is full"):
        TaskRunner(PLAN, FULL)(MediumTask(file))


def test_only_what_is_asked_is_computed(file: MediaFile) -> None:
    result = analyze_file(file.path, Plan(model="centre-prior", scores=False), load_models("centre-prior"))
    assert result.scores == ()
    assert result.pictures == {}
    assert set(result.stages) == {"open", "attention"}


@pytest.mark.parametrize(("busy", "noted"), [(False, True), (True, False)])
def test_a_picture_that_shows_next_to_nothing_is_said_to(tmp_path: Path, busy: bool, noted: bool) -> None:
    rgb = np.full((300, 400, 3), 240, np.uint8)
    if busy:
        rgb[:] = np.random.default_rng(1).integers(0, 256, rgb.shape)
    Image.fromarray(rgb).save(tmp_path / "a.png")
    result = analyze_file(tmp_path / "a.png", Plan(model="centre-prior"), load_models("centre-prior"))
    assert ("too_simple" in [problem.code for problem in result.problems]) is noted


def failure(report: TaskResult) -> tuple[str, str, str, bool]:
    """Path, name, code, and whether there is a traceback."""
    outcome = report.outcome
    assert isinstance(outcome, Failed)
    assert report.files == {}
    return outcome.path, outcome.name, outcome.code, outcome.trace is not None
