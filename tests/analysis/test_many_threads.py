"""Numbers do not depend on what else is asked for, nor on how many media one process works on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mediaan as mn
from mediaan.analysis import Models, Plan, analyze_file, load_models
from mediaan.analysis import models as loading
from mediaan.analysis.tasks import DensityTask
from mediaan.types.densities import Densities
from mediaan.types.result import Failed, Result

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
ADS = sorted((SAMPLES / "ads").iterdir())
FILM, BANNER = SAMPLES / "videos" / "coffee_spot.mp4", SAMPLES / "videos" / "sofa_banner.gif"
THREADS = 8
QUICK = Plan(device="cpu", threads=1, maps=("heat", "fog", "clarity_heat"))
PLAN = Plan(device="cpu", threads=1, maps=("heat",))
WITH_AOIS = Plan(device="cpu", threads=1, aois="all", fps=1.0)


def work() -> list[tuple[Path, Plan]]:
    given = ((QUICK, ADS[6:10]), (PLAN, ADS[3:5]), (WITH_AOIS, (*ADS[1:3], BANNER, FILM)))
    return [(path, plan) for plan, paths in given for path in paths]


def analysed(models: Models, threads: int) -> list[Result]:
    """Results of all the work, by as many threads; each begins with another medium than the others."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda one: analyze_file(one[0], one[1], models), work()))


@pytest.fixture(scope="module")
def one_by_one() -> list[Result]:
    return analysed(Models("attention", "cpu", threads=1), 1)


def differences(found: Result, expected: Result) -> list[str]:
    """What is not the same to the last bit, but the time it took."""
    wrong = [
        name
        for name in ("medium", "scores", "problems", "frames", "scenes", "share_read", "aois", "novelty")
        if getattr(found, name) != getattr(expected, name)
    ]
    arrays = [(kind, getattr(found, kind), getattr(expected, kind)) for kind in ("pictures", "series")] + [
        ("densities", found.densities.maps, expected.densities.maps)
    ]
    for kind, mine, theirs in arrays:
        wrong += [kind] if mine.keys() != theirs.keys() else []
        wrong += [f"{kind} {name}" for name in mine if not np.array_equal(mine[name], theirs[name])]
    return wrong


def test_many_threads_say_the_same_to_the_last_bit(one_by_one: list[Result]) -> None:
    for found, expected in zip(analysed(Models("attention", "cpu", threads=1), THREADS), one_by_one, strict=True):
        assert not differences(found, expected), found.path


def test_a_model_is_loaded_once_whichever_thread_asks_first(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def counting(name: str) -> Callable[..., Any]:
        original = getattr(loading, name)

        def load(*given: Any, **named: Any) -> Any:
            loaded.append(name)
            return original(*given, **named)

        return load

    for name in ("load_predictor", "load_frame_predictor", "load_detector"):
        monkeypatch.setattr(loading, name, counting(name))
    loading._models.cache_clear()
    together = threading.Barrier(THREADS)

    def ask(_: int) -> tuple[int, ...]:
        together.wait(20)
        models = load_models("attention", "cpu", 1)
        return tuple(map(id, (models, models.still, models.moving, models.frames, models.objects)))

    with ThreadPoolExecutor(THREADS) as pool:
        assert len(set(pool.map(ask, range(THREADS)))) == 1
    assert sorted(loaded) == ["load_detector", "load_frame_predictor", "load_predictor"]


def test_densities_of_many_threads(tmp_path: Path) -> None:
    """Attention alone; what cannot be opened is a failure of its own."""
    empty = tmp_path / "empty.jpg"
    empty.touch()
    task, paths = DensityTask(device="cpu", threads=1), [*ADS[:6], empty, FILM] * 2
    with ThreadPoolExecutor(THREADS) as pool:
        found = [prediction.outcome for prediction in pool.map(task, paths)]
    expected = {path: task(path).outcome for path in {*paths}}
    for path, outcome in zip(paths, found, strict=True):
        if path in ADS:
            assert isinstance(outcome, Densities)
            assert np.array_equal(outcome["total"], expected[path]["total"])  # type: ignore[index]
        else:
            assert isinstance(outcome, Failed)
            assert outcome.code == {"empty.jpg": "empty_file", "coffee_spot.mp4": "unsupported_format"}[path.name]


JPEG = SAMPLES / "ads" / "serum_square.jpg"
"""1080 px: decoded at half its size if 512 px were enough."""


def numbers(result: mn.Result) -> list[tuple[object, ...]]:
    return [(one.metric, one.time, one.value, one.lo, one.hi) for one in result.scores]


@pytest.mark.parametrize(
    "file", [JPEG, SAMPLES / "ads" / "sofa_sale_flyer.png", SAMPLES / "videos" / "sofa_banner.gif"]
)
def test_alone_with_maps_and_with_aois(file: Path) -> None:
    alone = numbers(mn.analyze(file, aois="none"))
    assert numbers(mn.analyze(file, maps=("heat",), aois="none")) == alone
    assert numbers(mn.analyze(file, aois="objects")) == alone


def test_from_python_and_in_a_folder(tmp_path: Path) -> None:
    mn.analyze_folder(JPEG, tmp_path / "run", recipe=mn.Recipe(aois="none"), execution=mn.Execution(workers=1))
    rows = mn.read_run(tmp_path / "run").metrics.to_dict("records")
    assert [row["value"] for row in rows] == [one.value for one in mn.analyze(JPEG, aois="none").scores]


def test_threads_change_next_to_nothing(tmp_path: Path) -> None:
    """Sums in another order: what is shown is the same."""
    found = []
    for threads in (1, 2):
        run = tmp_path / str(threads)
        mn.analyze_folder(JPEG, run, recipe=mn.Recipe(aois="none"), execution=mn.Execution(workers=1, threads=threads))
        table = mn.read_run(run).metrics
        found.append(table[["value", "lo", "hi"]].to_numpy(float))
    np.testing.assert_allclose(*found, rtol=0, atol=1e-6)
