"""Two runs compared: which media they share, what differs in how they were made, and whether their numbers agree."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from written_runs import FACTS, Place, write_run

from mediaan.errors import UsageError
from mediaan.studies.drift.page import drift_table, write_drift
from mediaan.studies.drift.workflow import SMALL, Drift, compare_runs

MEDIA = {f"{name}.png": {"focus": 10.0 * i + 5, "clarity": 50.0} for i, name in enumerate("abcdefghij")}
FACE: Place = ("face", (0.0, 0.0, 0.5, 0.5), 20.0)
TEXT: Place = ("headline_text", (0.5, 0.5, 1.0, 1.0), 30.0)


def moved(by: float, metric: str = "focus") -> dict[str, dict[str, float]]:
    return {name: scores | {metric: scores[metric] + by} for name, scores in MEDIA.items()}


def by_metric(drift: Drift) -> dict[str, float | None]:
    return {one.metric: one.mean_shift for one in drift.scores}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_run(tmp_path / "old", MEDIA, areas={"a.png": [FACE, TEXT]})


def test_a_run_and_itself(old: Path, tmp_path: Path) -> None:
    drift = compare_runs(old, write_run(tmp_path / "new", MEDIA, areas={"a.png": [FACE, TEXT]}))
    assert (drift.verdict, drift.reasons, drift.notes, drift.differences) == ("same", (), (), ())
    assert drift.largest_shift == 0
    for one in (*drift.scores, *drift.area_scores):
        assert (one.mean_shift, one.lo or 0, one.hi or 0, one.p95_size, one.largest) == (0, 0, 0, 0, 0)
        assert one.flips in ((), None)
    assert (drift.areas.both, drift.areas.only_old, drift.areas.only_new) == (2, 0, 0)
    assert [(one.window, one.n, one.kld) for one in drift.densities] == [("total", 10, pytest.approx(0, abs=1e-9))]


def test_a_known_shift(old: Path, tmp_path: Path) -> None:
    drift = compare_runs(old, write_run(tmp_path / "new", moved(1.5), areas={"a.png": [FACE, TEXT]}))
    assert by_metric(drift) == {"focus": pytest.approx(1.5), "clarity": 0}
    focus = drift.scores[0]
    assert (focus.lo, focus.hi) == (pytest.approx(1.5), pytest.approx(1.5))
    assert focus.rank_correlation == pytest.approx(1)
    assert focus.outside == 0
    assert drift.verdict == "small"
    assert drift.largest_shift == pytest.approx(1.5)


@pytest.mark.parametrize(("by", "verdict"), [(0.004, "same"), (SMALL - 0.1, "small"), (SMALL + 0.1, "incomparable")])
def test_verdicts_by_the_size_of_shifts(old: Path, tmp_path: Path, by: float, verdict: str) -> None:
    drift = compare_runs(old, write_run(tmp_path / "new", moved(by), areas={"a.png": [FACE, TEXT]}))
    assert drift.verdict == verdict
    assert [reason for reason in drift.reasons if reason.startswith("focus: 95 of 100 values move by up to 2.1")] == (
        [] if verdict != "incomparable" else list(drift.reasons)
    )


def test_a_score_that_becomes_undefined_is_told(old: Path, tmp_path: Path) -> None:
    lost = MEDIA | {"c.png": {"focus": None, "clarity": 50.0}}
    drift = compare_runs(old, write_run(tmp_path / "new", lost, areas={"a.png": [FACE, TEXT]}))
    assert (drift.scores[0].n_lost, drift.scores[0].n) == (1, 9)
    assert drift.reasons == ("focus: 1 of 10 are defined in one run only",)
    assert drift.largest_shift == float("inf")


def test_media_are_told_by_their_bytes_and_the_rest_is_named(tmp_path: Path) -> None:
    old = write_run(
        tmp_path / "old", {"x/a.png": MEDIA["a.png"], "x/b.png": MEDIA["b.png"], "gone.png": {"focus": 1.0}}
    )
    new = write_run(
        tmp_path / "new", {"y/a.png": MEDIA["a.png"], "came.png": {"focus": 1.0}}, failed=["x/b.png", "z.png"]
    )
    drift = compare_runs(old, new)
    assert drift.media.both == 1
    assert (drift.media.only_old, drift.media.only_new) == (("gone.png",), ("came.png",))
    assert (drift.media.failed_in_new, drift.media.failed_in_old) == (("x/b.png",), ())
    assert list(drift.names.values()) == ["x/a.png"]
    assert drift.verdict == "small", "a medium that fails now is a change"
    assert drift.largest_shift == float("inf")
    assert compare_runs(new, old).media.failed_in_old == ("x/b.png",)


def test_disjoint_media_are_refused(old: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "new", {"z.png": {"focus": 1.0}})
    with pytest.raises(UsageError, match="no analyzed file in common") as caught:
        compare_runs(old, other)
    assert caught.value.code == "not_comparable"


def test_another_exposure_is_refused(old: Path, tmp_path: Path) -> None:
    recipe = FACTS["recipe"] | {"exposure_s": 3.0}
    with pytest.raises(UsageError, match=r"exposure_s 5.0 and 3.0"):
        compare_runs(old, write_run(tmp_path / "new", MEDIA, facts={"recipe": recipe}))


def test_numbers_that_move_without_a_stated_cause_are_remarked_on(old: Path, tmp_path: Path) -> None:
    places = {"a.png": [FACE, TEXT]}
    (note,) = compare_runs(old, write_run(tmp_path / "same", moved(1.0), areas=places)).notes
    assert note.endswith("yet numbers moved: the program changed in between.")
    newer = write_run(tmp_path / "newer", moved(1.0), areas=places, facts={"mediaan": "0.4.0"})
    assert compare_runs(old, newer).notes == ()


def test_what_was_made_differently_is_said(old: Path, tmp_path: Path) -> None:
    facts = {
        "mediaan": "0.4.0",
        "created_at": "2027-01-01T00:00:00+00:00",
        "recipe": FACTS["recipe"] | {"maps": [], "fps": 2.0, "max_side": None},
        "models": [{"name": "attention", "sha256": "b" * 64}],
        "calibration": {"name": "lab"},
        "rules": [{"rule": "focus >= 40"}],
        "objectives": {"said": [{}, {"platform": "ctv"}], "of": {"": 0, "tv/": 1}},
        "benchmark": {"choice": "none", "norm_sets": [], "ranges": 0},
        "metrics": [FACTS["metrics"][0] | {"basis": "measured", "caption": "Other words."}],
    }
    drift = compare_runs(old, write_run(tmp_path / "new", MEDIA, areas={}, facts=facts))
    found = {one.what: (one.old, one.new) for one in drift.differences}
    assert found.pop("metric focus") == (
        "unit score, low 0, high 100, basis learned",
        "unit score, low 0, high 100, basis measured",
    )
    assert found == {
        "mediaan": ("0.3.0", "0.4.0"),
        "setting: fps": ("5.0", "2.0"),
        "model attention": ("a" * 12, "b" * 12),
        "calibration: name": ("not stated", "lab"),
        "rules 1: rule": ("not stated", "focus >= 40"),
        "objectives: tv/: platform": ("not stated", "ctv"),
        "benchmark: choice": ("not stated", "none"),
    }
    assert any("fps" in note for note in drift.notes)


def test_areas_that_came_went_and_moved(old: Path, tmp_path: Path) -> None:
    new: list[Place] = [("face", (0.01, 0.0, 0.5, 0.5), 27.0), ("product", (0.5, 0.5, 1.0, 1.0), 5.0)]
    drift = compare_runs(old, write_run(tmp_path / "new", MEDIA, areas={"a.png": new}))
    assert (drift.areas.both, drift.areas.only_old, drift.areas.only_new) == (1, 1, 1)
    (one,) = drift.area_scores
    assert (one.subject, one.metric, one.n, one.mean_shift, one.outside) == ("face", "attention", 1, 7.0, None)
    assert drift.reasons == (
        "attention of areas (face): 95 of 100 values move by up to 7.0 points",
        "2 of 3 areas are in one run only",
    )


def test_densities_that_moved_make_old_numbers_incomparable(old: Path, tmp_path: Path) -> None:
    new = write_run(tmp_path / "new", MEDIA, areas={"a.png": [FACE, TEXT]}, density=0.9)
    old = write_run(tmp_path / "left", MEDIA, areas={"a.png": [FACE, TEXT]}, density=0.1)
    assert compare_runs(old, new).reasons == ("densities (total) correlate by -1.000 only",)


def test_damaged_files_are_named(old: Path, tmp_path: Path) -> None:
    new = write_run(tmp_path / "new", MEDIA)
    next(new.rglob("density.npz")).write_bytes(b"no")
    with pytest.raises(UsageError, match=r"density\.npz: cannot be read"):
        compare_runs(old, new)
    (new / "tables" / "metrics.parquet").write_bytes(b"no")
    with pytest.raises(UsageError, match=r"metrics\.parquet: cannot be read"):
        compare_runs(old, new)


def test_the_table_holds_every_value_of_both(old: Path, tmp_path: Path) -> None:
    drift = compare_runs(old, write_run(tmp_path / "new", moved(5), areas={"a.png": [FACE]}))
    write_drift(drift, tmp_path / "drift.parquet")
    table = pq.read_table(tmp_path / "drift.parquet")
    assert table.equals(drift_table(drift))
    rows = table.to_pylist()
    assert len(rows) == 21
    first = rows[0]
    assert (first["path"], first["metric"], first["aoi_id"]) == ("a.png", "focus", None)
    assert [first[f"{name}_{side}"] for side in ("old", "new") for name in ("value", "lo", "hi")] == [
        5,
        0,
        10,
        10,
        5,
        15,
    ]
    assert (first["shift"], first["category_old"], first["category_new"]) == (5, "extreme_low", "low")
    assert (rows[-1]["subject"], rows[-1]["category_old"], rows[-1]["lo_old"]) == ("face", None, None)
    assert all(field.metadata[b"caption"] for field in table.schema)
