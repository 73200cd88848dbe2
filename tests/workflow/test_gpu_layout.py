"""How work is spread where models run on a GPU; a run with several media at a time in each process is the same."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest

import mediaan as mn
from mediaan.workflow import attention
from mediaan.workflow import options as layout_module
from mediaan.workflow.options import GPU_DEPTH, ProcessLayout, gpu_processes, process_layout

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
ADS = sorted((SAMPLES / "ads").iterdir())


@pytest.fixture
def sixteen_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_module, "core_count", lambda: 16)
    monkeypatch.setattr(layout_module, "_free_gpu_bytes", lambda: 80 * 10**9)


@pytest.mark.usefixtures("sixteen_cores")
def test_on_a_gpu_few_processes_work_on_many_media_each() -> None:
    assert process_layout(None, 10_000, "cuda") == ProcessLayout(4, GPU_DEPTH)
    assert process_layout(None, 10_000, "cpu") == ProcessLayout(16, 1)
    assert process_layout(2, 10_000, "cuda") == ProcessLayout(2, GPU_DEPTH)
    assert process_layout(1, 10_000, "cuda") == ProcessLayout(1, GPU_DEPTH), "batches need threads of one process"
    assert process_layout(1, 10_000, "cpu") == ProcessLayout(0, 1)
    assert process_layout(None, 3, "cuda") == process_layout(None, 3, "cpu") == ProcessLayout(0, 1)
    assert process_layout(1, 1, "cuda") == ProcessLayout(0, 1), (
        "a server's process keeps its models for the next medium"
    )
    assert process_layout(None, GPU_DEPTH + 1, "cuda") == ProcessLayout(2, GPU_DEPTH), "no process without work"


def test_processes_have_cores_and_memory_of_the_gpu() -> None:
    for cores in (1, 2, 4, 7, 16, 64, 192):
        assert 1 <= gpu_processes(cores) <= cores
        for gigabytes in (0, 2, 8, 16, 80):
            count = gpu_processes(cores, gigabytes * 10**9)
            assert 1 <= count <= gpu_processes(cores)
            assert count * 3 <= gigabytes or count == 1


def test_densities_of_many_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    missing, film = tmp_path / "missing.png", SAMPLES / "videos" / "coffee_spot.mp4"
    ads = ADS[:6]
    paths = [*ads, missing, film]
    alone = dict(mn.predict_densities(paths[:3], device="cpu"))
    monkeypatch.setattr(attention, "process_layout", lambda *given, **named: ProcessLayout(2, 4))
    pairs = list(mn.predict_densities(map(str, paths), device="cpu"))
    assert sorted(path for path, _ in pairs) == sorted(paths)
    found = dict(pairs)
    for path in paths[:3]:
        for window in ("start", "end", "total"):
            np.testing.assert_array_equal(found[path][window], alone[path][window])
    assert all(isinstance(found[path], mn.Densities) for path in ads)
    assert {path.name: found[path].code for path in (missing, film)} == {
        "missing.png": "unreadable",
        "coffee_spot.mp4": "unsupported_format",
    }


def test_paths_are_taken_as_they_are_needed() -> None:
    taken: list[Path] = []

    def endless() -> object:
        for path in cycle(ADS[:2]):
            taken.append(path)
            yield path

    line = mn.predict_densities(endless(), model="centre-prior", device="cpu", workers=1)  # type: ignore[arg-type]
    assert len(list(islice(line, 20))) == 20
    assert len(taken) < 40
