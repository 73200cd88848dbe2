"""Numbers of different yardsticks are not compared; what does not change numbers does not matter."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from made_norms import KEY

from mediaan.judge.benchmark.comparability import ComparabilityKey

FACTS: dict[str, Any] = {
    "mediaan": "0.5.0",
    "recipe": {"model": "attention", "exposure_s": 5.0, "fps": 5.0, "fast": False, "aois": "all", "maps": ["heat"]},
    "recipe_id": "fedcba9876543210",
    "models": [
        {"name": "attention", "sha256": "a" * 64},
        {"name": "reader", "sha256": "b" * 64},
        {"name": "objects", "sha256": "c" * 64},
    ],
    "scores_id": "0123456789abcdef",
    "calibration": None,
}


def test_from_the_facts_of_a_run() -> None:
    assert ComparabilityKey.of(FACTS) == KEY
    calibrated = ComparabilityKey.of(FACTS | {"calibration": {"sha256": "d" * 64, "source": "own"}})
    assert calibrated.calibration_sha256 == "d" * 64


def test_round_trip_through_json() -> None:
    assert ComparabilityKey.from_dict(json.loads(json.dumps(asdict(KEY)))) == KEY


@pytest.mark.parametrize(
    "change",
    [
        {"mediaan": "0.9.1", "recipe_id": "0" * 16},
        {"model": "called otherwise"},
        {"aois": "text", "finders": KEY.finders[:1]},
        {"aois": "none", "finders": ()},
    ],
)
def test_what_does_not_matter(change: dict[str, Any]) -> None:
    """Another version with the same model and scores; fewer finders of the same kind; AOIs that people drew."""
    assert KEY.mismatches(replace(KEY, **change), aois=True) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"model_sha256": "e" * 64},
            "the attention model of the norms is attention (aaaaaaaaaaaa), that of the run attention (eeeeeeeeee",
        ),
        ({"model": "centre-prior", "model_sha256": None}, "that of the run centre-prior (without weights)"),
        (
            {"scores_id": "f" * 16},
            "other scales or definitions (0123456789abcdef, mediaan 0.5.0) than those of the run (ffff",
        ),
        ({"scores_id": None, "mediaan": "0.4.0"}, "made by mediaan 0.4.0, which did not say which scales it used"),
        (
            {"calibration_sha256": "d" * 64},
            "made without a calibration, those of the run with the calibration dddddddddddd",
        ),
    ],
)
@pytest.mark.parametrize("aois", [True, False])
def test_what_always_matters(change: dict[str, Any], reason: str, aois: bool) -> None:
    (said,) = KEY.mismatches(replace(KEY, **change), aois=aois, videos=False)
    assert reason in said


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"exposure_s": 3.0}, "AOIs of the norms were looked at for 5 s, those of the run for 3 s"),
        (
            {"finders": (("reader", "b" * 64), ("objects", "9" * 64))},
            "AOIs of the norms were found by reader (bbbbbbbbbbbb), objects (cccccccccccc), those of the run by reader "
            "(bbbbbbbbbbbb), objects (999999999999)",
        ),
    ],
)
def test_what_matters_to_aois_alone(change: dict[str, Any], reason: str) -> None:
    run = replace(KEY, **change)
    assert KEY.mismatches(run, aois=True) == (reason,)
    assert KEY.mismatches(run, aois=False) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fps": 2.0}, "videos of the norms were sampled 5 times a second, those of the run 2 times"),
        ({"fast": True}, "looked at by samples at even times, those of the run by key frames alone"),
    ],
)
def test_what_matters_to_videos_alone(change: dict[str, Any], reason: str) -> None:
    run = replace(KEY, **change)
    (said,) = KEY.mismatches(run, aois=False)
    assert reason in said
    assert KEY.mismatches(run, aois=True, videos=False) == ()


def test_every_reason_is_given() -> None:
    other = replace(KEY, model_sha256="e" * 64, scores_id="f" * 16, exposure_s=2.0, fps=1.0, finders=(("x", "y"),))
    assert len(KEY.mismatches(other, aois=True)) == 5


def test_reasons_call_both_sides_as_they_are_told_to() -> None:
    other = replace(KEY, model_sha256="e" * 64, exposure_s=3.0, fps=2.0)

    found = KEY.mismatches(other, aois=True, names=("runs/jan", "runs/feb"))

    assert len(found) == 3
    assert all("runs/jan" in said and "runs/feb" in said and "norms" not in said for said in found)
