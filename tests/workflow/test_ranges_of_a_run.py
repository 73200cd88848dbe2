"""Runs rated in populations: built, used, refused, rated anew."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from written_runs import id_of, write_run

import mediaan as mn
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.errors import UsageError
from mediaan.judge.benchmark.file import norm_set_file
from mediaan.metrics import metric_specs
from mediaan.run import read_run
from mediaan.workflow.benchmark_build import NormSettings, build_benchmark
from mediaan.workflow.ranges import rate_again, rate_run

FACTS: dict[str, Any] = {
    "scores_id": "0123456789abcdef",
    "calibration": None,
    "objectives": None,
    "metrics": [asdict(spec) for spec in metric_specs()],
    "aoi_metrics": [asdict(spec) for spec in AOI_METRICS],
}
ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"


def media(n: int, folder: str = "food", first: int = 1) -> dict[str, Mapping[str, float | None]]:
    """Focus and cognitive demand of 1, 2, ... n."""
    return {f"{folder}/{i:03d}.png": {"focus": float(i), "cognitive_demand": float(i)} for i in range(first, first + n)}


@pytest.fixture(scope="module")
def norms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """99 pictures with an even focus of 1 to 99, 60 of them of food and 39 of cars; each with a brand."""
    folder = tmp_path_factory.mktemp("norms")
    pictures = media(60, "food") | media(39, "cars", 61)
    areas = {path: [("branding", (0.1, 0.1, 0.2, 0.2), scores["focus"])] for path, scores in pictures.items()}
    run = write_run(folder / "run", pictures, areas=areas, facts=FACTS)  # type: ignore[arg-type]
    made = build_benchmark([run], NormSettings("past", title="Past ads", by=("folder1",)))
    (folder / "past.parquet").write_bytes(norm_set_file(made))
    return folder / "past.parquet"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    pictures: dict[str, Mapping[str, float | None]] = {
        "food/a.png": {"focus": 18.0, "cognitive_demand": 30.0},
        "toys/b.png": {"focus": 64.0, "cognitive_demand": None},
        "c.png": {"focus": 99.5, "cognitive_demand": 31.0},
    }
    areas = {"food/a.png": [("branding", (0.1, 0.1, 0.2, 0.2), 50.0), ("face", (0.5, 0.5, 0.9, 0.9), 40.0)]}
    return write_run(tmp_path / "run", pictures, areas=areas, facts=FACTS, failed=["broken.png"])  # type: ignore[arg-type]


def table(run: Path) -> pd.DataFrame:
    return read_run(run).benchmark_ranges.set_index(["medium_id", "metric", "aoi_type"]).sort_index()


def row(run: Path, name: str, metric: str = "focus", aoi_type: str | None = None) -> dict[str, Any]:
    found = read_run(run).benchmark_ranges
    of = found[(found.medium_id == str(id_of(name))) & (found.metric == metric)]
    of = of[of.aoi_type == aoi_type] if aoi_type else of[of.aoi_type.isna()]
    assert len(of) == 1
    return {key: None if isinstance(value, float) and value != value else value for key, value in of.iloc[0].items()}


def test_build_then_use(run: Path, norms: Path) -> None:
    rate_run(run, str(norms))
    a, b, c = (row(run, name) for name in ("a.png", "b.png", "c.png"))
    assert (a["segment"], a["n"], a["fallback"]) == ("folder1=food", 60, None)
    assert a["percentile"] == pytest.approx(100 * 18 / 61, abs=0.5), "the k-th of 60 stands at k / 61"
    assert (b["segment"], b["n"], b["percentile"]) == ("all", 99, 64.0)
    assert "folder1=toys" in b["fallback"]
    assert (b["category"], b["lower"], b["upper"], b["position"]) == ("medium", 70.0, 100.0, "below")
    assert b["score_title"] == 'Focus is 64, below the target range of 70 to 100 (99 images, "Past ads").'
    assert (b["percentile_lo"], b["percentile_hi"], b["sure"]) == (59.0, 69.0, True)
    assert (c["segment"], c["fallback"], c["position"]) == ("all", None, "within"), "nothing is known of its folder"
    assert list(b["edges"]) == [10, 30, 70, 90]
    assert all(lo < at < hi for lo, at, hi in zip(b["edges_lo"], b["edges"], b["edges_hi"], strict=True))


def test_undefined_scores_and_areas_that_nobody_knows_say_why(run: Path, norms: Path) -> None:
    rate_run(run, str(norms))
    assert row(run, "b.png", "cognitive_demand")["reason"] == "The score is undefined: Nothing there."
    assert row(run, "a.png", "attention", "branding")["percentile"] is not None
    face = row(run, "a.png", "attention", "face")
    assert "face" in face["reason"]
    assert (face["value"], face["norm_set"], face["category"]) == (40.0, "past", None)


def test_rows_stand_by_medium_its_own_before_its_areas(run: Path, norms: Path) -> None:
    rate_run(run, str(norms))
    found = read_run(run).benchmark_ranges
    assert list(found.medium_id.drop_duplicates()) == [str(id_of(name)) for name in ("a.png", "b.png", "c.png")]
    assert list(found.aoi_type.isna()[:4]) == [True, True, False, False]
    assert len(found) == 8


def test_refused_with_another_model(run: Path, norms: Path) -> None:
    facts = json.loads((run / "run.json").read_text())
    facts["models"][0]["sha256"] = "b" * 64
    (run / "run.json").write_text(json.dumps(facts))
    before = (run / "tables" / "benchmark_ranges.parquet").read_bytes()
    with pytest.raises(UsageError, match="the attention model of the norms is") as caught:
        rate_run(run, str(norms))
    assert caught.value.code == "norms_mismatch"
    assert str(norms) in caught.value.message
    assert (run / "tables" / "benchmark_ranges.parquet").read_bytes() == before
    rate_run(run, str(norms), despite="only its export changed")
    assert row(run, "b.png")["percentile"] == 64.0
    assert read_run(run).facts["benchmark"]["despite"] == "only its export changed"


def test_auto_says_why_where_it_may_not_compare(run: Path) -> None:
    """The shipped sets were made with another model than this run claims: reasons and no numbers, and no error."""
    rate_run(run)
    found = read_run(run).benchmark_ranges
    assert found.percentile.isna().all()
    assert found.reason.str.startswith("The attention model of the norms is").all()
    said = read_run(run).facts["benchmark"]
    assert said["norm_sets"] == []
    assert [(one["norm_set"], one["what"], one["media"]) for one in said["refused"]] == [("ads", "media", 3)]


def test_a_table_says_what_media_are(run: Path, norms: Path, tmp_path: Path) -> None:
    with (tmp_path / "more.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["file", "folder1"], ["b.png", "food"], ["c", "cars"]])
    rate_run(run, str(norms), attributes=tmp_path / "more.csv")
    assert [row(run, name)["segment"] for name in ("a.png", "b.png", "c.png")] == [
        *("all", "folder1=food", "folder1=cars")
    ], "the table goes first; what it does not name is of no part"
    before = table(run)
    rate_again(run)
    pd.testing.assert_frame_equal(before, table(run))


def test_objectives_name_norm_sets_and_purposes(run: Path, norms: Path) -> None:
    facts = json.loads((run / "run.json").read_text())
    facts["objectives"] = {
        "food/a.png": {"benchmark": str(norms), "purpose": "conversion"},
        "toys/b.png": {"benchmark": "none"},
        "c.png": {"benchmark": str(norms)},
    }
    facts["targets"] = {"focus": ["medium"]}
    (run / "run.json").write_text(json.dumps(facts))
    rate_run(run)
    assert row(run, "a.png", "cognitive_demand")["target"].tolist() == ["extreme_low", "low"]
    assert row(run, "c.png", "cognitive_demand")["target"].tolist() == ["medium"]
    assert row(run, "c.png")["target"].tolist() == ["medium"]
    assert row(run, "c.png")["why"] == "Set in the objectives file."
    assert str(id_of("b.png")) not in set(read_run(run).benchmark_ranges.medium_id)
    assert read_run(run).facts["benchmark"]["norm_sets"][0]["media"] == 2
    rate_run(run, str(norms))
    assert row(run, "b.png")["percentile"] == 64.0, "what is named for the run is for all media"


def test_another_exposure_has_no_ranges_of_areas(run: Path, norms: Path) -> None:
    facts = json.loads((run / "run.json").read_text())
    facts["objectives"] = {"food/a.png": {"exposure_s": 2.0}}
    (run / "run.json").write_text(json.dumps(facts))
    populations = rate_run(run, str(norms))
    assert row(run, "a.png")["percentile"] is not None
    brand = row(run, "a.png", "attention", "branding")
    assert brand["percentile"] is None
    assert "5 s" in brand["reason"]
    assert "2 s" in brand["reason"]
    assert [(one["what"], one["media"]) for one in populations.facts()["refused"]] == [("aois", 1)]
    case = populations.cases[str(id_of("a.png"))]
    assert isinstance(populations.find(case, "attention", "total", "branding"), str)


def test_a_norm_set_that_is_gone_is_said(run: Path, norms: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(norms, tmp_path / "copy.parquet"))
    rate_run(run, str(copy))
    copy.unlink()
    with pytest.raises(UsageError, match=r"copy\.parquet"):
        rate_again(run)
    (tmp_path / "areas.json").write_text(json.dumps({"a.png": []}))
    with pytest.raises(UsageError, match=r"copy\.parquet"):
        mn.apply_aois(run, tmp_path / "areas.json")
    assert not read_run(run).aois.empty, "refused before anything was changed"
    with pytest.raises(UsageError, match="no norm set is called 'adds'"):
        rate_run(run, "adds")


def test_analysis_refuses_before_any_file_is_opened(tmp_path: Path, norms: Path) -> None:
    """The file is no picture, which nobody finds out."""
    (tmp_path / "ad.png").write_text("no picture")
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="none")
    with pytest.raises(UsageError) as caught:
        mn.analyze_folder(tmp_path / "ad.png", tmp_path / "run", recipe=recipe.replace(benchmark=str(norms)))
    assert caught.value.code == "norms_mismatch"
    assert not (tmp_path / "run").exists()
    (tmp_path / "o.yaml").write_text(f"defaults: {{benchmark: {norms}}}\n")
    with pytest.raises(UsageError, match="attention model of the norms"):
        mn.analyze_folder(tmp_path / "ad.png", tmp_path / "run", recipe=recipe.replace(objectives=tmp_path / "o.yaml"))


def test_an_analysis_is_rated_and_stays_so_when_areas_change(tmp_path: Path) -> None:
    """End to end with the shipped set: the run, one medium of it, and the run after areas were drawn, agree."""
    ad = ADS / "serum_square.jpg"
    (tmp_path / "o.yaml").write_text("defaults: {industry: food}\ntargets: {branding.attention: [medium]}\n")
    settings = (mn.Recipe(maps=(), aois="none", objectives=tmp_path / "o.yaml"), mn.Execution(workers=1))
    run = mn.analyze_folder(ad, tmp_path / "run", *settings)
    assert run.facts["benchmark"]["norm_sets"][0]["name"] == "ads"
    assert run.facts["targets"] == {"branding.attention": ["medium"]}
    assert run.benchmark_ranges.percentile.notna().all()
    (tmp_path / "areas.json").write_text(json.dumps({ad.name: [{"type": "branding", "box": [0.4, 0.3, 0.6, 0.9]}]}))
    mn.apply_aois(run.path, tmp_path / "areas.json")
    after = read_run(run.path).benchmark_ranges
    drawn = after[(after.aoi_type == "branding") & (after.metric == "attention")]
    assert len(drawn) == 3
    assert drawn.target.map(list).tolist() == [["medium"]] * 3
    assert drawn.percentile.notna().all()
    one = mn.benchmark_ranges(mn.analyze(ad, aois="none"), {"industry": "food"})
    of_run = after[after.aoi_type.isna()]
    assert [x.percentile for x in one] == of_run.percentile.tolist()
    assert [x.score_title for x in one] == of_run.score_title.tolist()
