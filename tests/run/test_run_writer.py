"""Rows in the order of files, one set of numbers per medium, whatever the order in which workers finish."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from datetime import datetime
from itertools import permutations
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow.parquet as pq
import pytest
from written_runs import add_outcome

from mediaan.analysis import MediumTask, Plan, TaskResult, TaskRunner
from mediaan.errors import SetupError, UsageError
from mediaan.execution import Crashed, run_in_processes
from mediaan.media import MediaFile
from mediaan.run import TABLES, RunWriter, is_run, read_run
from mediaan.run.directory import check_output_folder, clear_run
from mediaan.run.files import folder_name, part_key, write_atomic
from mediaan.run.metadata import RunMetadata
from mediaan.run.result_store import ResultStore, write_maps
from mediaan.run.tables.rows import outcome_rows
from mediaan.storage import LocalStorage
from mediaan.types.densities import Densities
from mediaan.types.media import Medium, Problem
from mediaan.types.metrics import Contribution, Score
from mediaan.types.result import Failed, Outcome, Result

ONE, TWO = UUID(int=1 << 100), UUID(int=2 << 100)
FACTS = {"recipe_id": "abc", "metrics": [{"name": "focus"}, {"name": "clarity"}], "maps": []}
ORDER = ["a.png", "b.png", "c.png", "z.png"]


def result(path: str, medium_id: UUID, focus: float, problems: tuple[Problem, ...] = ()) -> Result:
    medium = Medium(medium_id, path, "image", 30, 20, "png")
    scores = (
        Score(focus, focus - 1, focus + 1, metric="focus", basis="learned", unit="score"),
        Score(None, metric="clarity", basis="proxy", unit="score", reason="The picture has no contours."),
    )
    picture = np.full((20, 30, 3), 200, np.uint8)
    density = Densities({"total": np.full((2, 3), 1 / 6, np.float32)})
    stages = {"open": 0.25}
    return Result(path, medium, scores, density, {"original": picture}, problems, 123, stages)


def outcomes() -> list[Outcome]:
    """What workers report: ``c.png`` holds the same bytes as ``a.png`` and is not analysed."""
    note = Problem("profile_ignored", "The colour profile is damaged.")
    return [
        result("a.png", ONE, 40),
        result("b.png", TWO, 60, (note,)),
        Failed("z.png", "z.png", "truncated", "z.png: ends too early", 7),
    ]


def write(run_dir: Path, arriving: tuple[Outcome, ...]) -> dict[str, object]:
    writer, storage = RunWriter(run_dir, RunMetadata.parse(FACTS)), LocalStorage(run_dir)
    for outcome in arriving:
        files = write_maps(storage, outcome, densities=False) if isinstance(outcome, Result) else {}
        add_outcome(writer, outcome, files, 0.5)
    writer.assign("c.png", part_key(writer.recipe_id, str(ONE)))
    return writer.finish(order=ORDER, skipped=3, seconds=2.0).facts


def rows(run_dir: Path, name: str) -> list[dict[str, object]]:
    return pq.read_table(run_dir / "tables" / f"{name}.parquet").to_pylist()


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    write(tmp_path, tuple(outcomes()))
    return tmp_path


def test_rows_are_what_was_added(run_dir: Path) -> None:
    media = rows(run_dir, "media")
    assert [row["path"] for row in media] == ORDER
    assert [row["medium_id"] for row in media] == [str(ONE), str(TWO), str(ONE), None]
    assert [row["status"] for row in media] == ["done"] * 3 + ["failed"]
    assert media[3]["error_message"] == "z.png: ends too early"
    values = [(row["medium_id"], row["metric"], row["value"], row["lo"], row["hi"]) for row in rows(run_dir, "metrics")]
    assert values == [
        (str(ONE), "focus", 40, 39, 41),
        (str(ONE), "clarity", None, None, None),
        (str(TWO), "focus", 60, 59, 61),
        (str(TWO), "clarity", None, None, None),
    ]
    assert [(row["path"], row["severity"], row["code"]) for row in rows(run_dir, "problems")] == [
        ("b.png", "warning", "profile_ignored"),
        ("z.png", "error", "truncated"),
    ]


def test_the_order_of_arrival_changes_nothing(run_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    def without_clock(folder: Path) -> dict[str, list[dict[str, object]]]:
        return {name: [row | {"created_at": None} for row in rows(folder, name)] for name in TABLES}

    for arriving in permutations(outcomes()):
        other = tmp_path_factory.mktemp("run")
        write(other, arriving)
        assert without_clock(other) == without_clock(run_dir)
        assert {p.relative_to(other) for p in other.rglob("*")} == {p.relative_to(run_dir) for p in run_dir.rglob("*")}


def test_a_run_is_told_from_its_first_moment_on(tmp_path: Path) -> None:
    assert not is_run(tmp_path)
    writer = RunWriter(tmp_path / "run", RunMetadata.parse(FACTS))
    assert is_run(tmp_path / "run")
    writer.finish(order=[], skipped=0, seconds=0.0)
    assert is_run(tmp_path / "run")
    (tmp_path / "run.json").write_text("{}")
    assert not is_run(tmp_path), "a file of that name alone is somebody else's"


def test_a_whole_file_replaces_or_leaves_the_old_one(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", b"old")
    write_atomic(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    (tmp_path / "d").mkdir()
    with pytest.raises(SetupError, match="cannot be written"):
        write_atomic(tmp_path / "d", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "d"], "no partial file is left"


@pytest.mark.parametrize(
    ("name", "start"),
    [("größe 夏.png", "gr-e-"), ("夏.png", "medium-"), ("../../etc/passwd", "passwd-"), ("x" * 300, "x" * 40 + "-")],
)
def test_folder_names_are_plain_and_short(name: str, start: str) -> None:
    folder = folder_name(name, ONE)
    assert folder.startswith(start)
    assert folder.endswith(ONE.hex[:16])
    assert len(folder) <= 57
    assert folder.isascii()


class Deadly(ResultStore):
    """Stands for a decoder that takes its process down."""

    def save_maps(self, result: Result) -> dict[str, str]:
        if result.path == "b.png":
            os.kill(os.getpid(), signal.SIGKILL)
        return {}


def test_a_file_that_kills_its_worker_is_a_row(tmp_path: Path) -> None:
    from PIL import Image

    names = ["a.png", "b.png", "c.png"]
    for k, name in enumerate(names):
        Image.new("RGB", (40, 30), (k * 90, 50, 90)).save(tmp_path / name)
    tasks = [MediumTask(MediaFile(tmp_path / name, name, 9)) for name in names]
    writer = RunWriter(tmp_path / "run", RunMetadata.parse(FACTS))
    store = Deadly(writer.parts, writer.claims, 5.0)
    runner = TaskRunner(Plan(model="centre-prior", scores=False), store)
    for reply in run_in_processes(runner, tasks, workers=2):
        result = reply.value
        if isinstance(result, Crashed):
            result = store.commit_failure(reply.item, result.code, result.message)
        writer.assign(reply.item.file.display_path, store.key(reply.item, result))
    writer.finish(order=names, skipped=0, seconds=1.0)
    media = rows(tmp_path / "run", "media")
    assert [(row["path"], row["error_code"]) for row in media] == [
        ("a.png", None),
        ("b.png", "worker_died"),
        ("c.png", None),
    ]
    assert "b.png: the process that analyzed it died" in str(media[1]["error_message"])


def test_drivers_of_a_score_are_ranked_from_one() -> None:
    found = [Contribution(name, 1.0, "", points, "") for name, points in (("symmetry", 5.0), ("warmth", -2.0))]
    score = Score(60.0, 50.0, 70.0, metric="memory", basis="proxy", unit="score", drivers=tuple(found))
    tables = outcome_rows(replace(result("a.png", ONE, 50.0), scores=(score,)), {}, 1.0, datetime(2026, 1, 1))
    assert [(row["rank"], row["driver"], row["points"]) for row in tables["drivers"]] == [
        (1, "symmetry", 5.0),
        (2, "warmth", -2.0),
    ]


def test_what_failed_is_known_by_its_content_unless_failures_are_tried_again(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "run", RunMetadata.parse(FACTS))
    store = ResultStore(writer.parts, writer.claims, 5.0)
    task = MediumTask(MediaFile(str(tmp_path / "a.png"), "a.png", 9), medium_id=ONE)
    store.commit(task, TaskResult(Failed("a.png", "a.png", "decode_failed", "a.png: is broken")))
    assert store.has_result(task, ONE)
    assert not replace(store, retry_failed=True).has_result(task, ONE)
    assert not store.has_result(task, UUID(int=2))


def test_a_run_of_before_there_were_ranges_and_rules_has_none(run_dir: Path) -> None:
    for name in ("benchmark_ranges", "rule_results"):
        (run_dir / "tables" / f"{name}.parquet").unlink()
    run = read_run(run_dir)
    assert run.benchmark_ranges.columns.tolist() == TABLES["benchmark_ranges"].names
    assert len(run.benchmark_ranges) == len(run.rule_results) == 0
    (run_dir / "tables" / "maps.parquet").unlink()
    with pytest.raises(UsageError, match="lacks its table maps"):
        read_run(run_dir)


@pytest.mark.parametrize("left", ["parts", "unfinished.json", ".scratch"])
def test_a_folder_with_files_of_others_is_no_run_whatever_lies_beside_them(tmp_path: Path, left: str) -> None:
    (tmp_path / left).mkdir() if "json" not in left else (tmp_path / left).touch()
    (tmp_path / "thesis.docx").touch()
    with pytest.raises(UsageError, match="no run of mediaan"):
        check_output_folder(tmp_path, RunMetadata.parse(FACTS))


def test_a_new_start_leaves_what_links_lead_to(tmp_path: Path) -> None:
    """A user may have put the maps on another disk."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "empty").mkdir(parents=True)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "maps").symlink_to(elsewhere)
    clear_run(tmp_path / "run")
    assert (elsewhere / "empty").is_dir()
    assert (tmp_path / "run" / "maps").is_symlink()
