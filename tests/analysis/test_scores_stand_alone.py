"""Scores do not depend on what else is asked for: smaller views of a picture are made from the same larger one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mediaan as mn

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
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
