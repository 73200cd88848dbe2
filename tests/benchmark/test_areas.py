"""Norms of areas at any exposure: what an analysis of the same areas at that exposure would have given."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow.parquet as pq
import pytest
from budget import budget
from made_norms import about

from mediaan.aoi.scoring.aoi_scores import attention_shares, score_still
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel, built_in_hazard_model
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.errors import UsageError
from mediaan.judge.benchmark.file import norm_set_file, norm_set_problems, parse_norm_set, read_norm_set
from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import EXPOSURE_SCORES, AreaRow, NormMatch, NormSet, ScoreRow, build_norm_set
from mediaan.types.aoi import Aoi, AoiType, Box
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.eye_tracking import Pace

PACE = Pace(rate=1.4, agreement=0.8, gaze=0.7)
MODEL = built_in_hazard_model()
UNITS = {spec.name: spec.unit for spec in AOI_METRICS}


def pictures(count: int) -> dict[str, tuple[list[Aoi], Densities]]:
    """By medium id, in no order, one to three areas on a bumpy density."""
    rng = np.random.default_rng(5)
    found = {}
    for i in range(count):
        maps = {}
        for window in WINDOWS:
            bumpy = rng.random((12, 16)) ** 4
            maps[window] = (bumpy / bumpy.sum()).astype(np.float32)
        types: list[AoiType] = ["branding", "branding", "face"][: 1 + i % 3]
        boxes = [np.sort(rng.random((2, 2)), axis=0).ravel() for _ in types]
        aois = [
            Aoi(UUID(int=1 + j), t, t, Box(*box), None, "drawn")
            for j, (t, box) in enumerate(zip(types, boxes, strict=True))
        ]
        found[f"{(i * 7) % count:03d}"] = aois, Densities(maps)
    return found


def made(exposure_s: float, model: FixationHazardModel = MODEL, pace: Pace | None = None) -> NormSet:
    """The set that an analysis at an exposure gives."""
    known = pictures(40)
    rows, areas = [], []
    for medium_id, (aois, densities) in known.items():
        rows += [
            ScoreRow(medium_id, "image", score.metric, score.time, aoi.type, score.unit, score.value)
            for aoi in score_still(aois, densities, exposure_s, model=model)
            for score in aoi.scores
        ]
        shares = attention_shares(aois, densities, model)
        areas += [AreaRow(medium_id, aoi.type, one) for aoi, one in zip(aois, shares, strict=True)]
    said: dict[str, dict[str, str | None]] = {
        medium_id: {"industry": "food/fruit" if int(medium_id) % 3 else None} for medium_id in known
    }
    return build_norm_set(rows, said, about(keys=("industry",), pace=pace, min_n=10), areas)


def the_same(one: Norm | None, other: Norm | None) -> bool:
    if one is None or other is None:
        return one is other
    alike = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("quantiles", "lo", "hi"))
    return alike and (one.n, one.n_media, one.unit) == (other.n, other.n_media, other.unit)


@pytest.fixture(scope="module")
def norms() -> NormSet:
    return made(5.0)


@pytest.mark.parametrize("exposure_s", budget([0.2, 2.0, 5.0], [0.2, 1.0, 2.0, 3.5, 5.0, 12.5]))
def test_as_an_analysis_at_that_exposure(norms: NormSet, exposure_s: float) -> None:
    """To the last digit, of every score of areas, in the whole and in its parts; at 5 s those that the file holds."""
    truth = {(n.metric, n.metric_time, n.aoi_type, n.segment): n for n in made(exposure_s).norms}
    asked = [norm for norm in norms.norms if norm.aoi_type]
    assert len({norm.segment for norm in asked}) == 3
    for norm in asked:
        key = (norm.metric, norm.metric_time, norm.aoi_type, norm.segment)
        if norm.metric in EXPOSURE_SCORES:
            assert norm.aoi_type is not None
            found = norms.rescored(norm.metric, norm.metric_time, norm.aoi_type, norm.segment, exposure_s)
            assert the_same(found, truth.get(key)), key
        else:
            assert the_same(norm, truth.get(key)), key


def test_those_who_look_for_less_time_are_compared_with_those_who_do(norms: NormSet) -> None:
    asked = ("image", "percentage_seen", "total", "branding", {"industry": "food/nuts"})
    usual, brief = norms.find(*asked), norms.find(*asked, exposure_s=1.0)
    assert isinstance(usual, NormMatch)
    assert isinstance(brief, NormMatch)
    assert brief.norm.value_at(50) < 0.6 * usual.norm.value_at(50)
    assert (usual.exposure_s, brief.exposure_s) == (None, 1.0)
    assert (brief.segment, brief.fallback) == (usual.segment, usual.fallback)
    share = norms.find("image", "attention", "total", "branding", {}, exposure_s=1.0)
    assert isinstance(share, NormMatch)
    assert share == norms.find("image", "attention", "total", "branding", {}), "which no exposure changes"


def test_a_score_that_nobody_has_at_an_exposure(norms: NormSet) -> None:
    assert norms.find("image", "first_seen_s", "total", "branding", {}, exposure_s=0.1) == (
        "Own media: fewer than 8 images with branding in all, 10 are needed"
    )


def test_viewers_of_a_calibration() -> None:
    model = MODEL.paced(PACE)
    usual, brief = made(5.0, model, PACE), made(2.0, model, PACE)
    truth = brief.find("image", "time_spent", "total", "branding", {})
    found = usual.find("image", "time_spent", "total", "branding", {}, exposure_s=2.0)
    assert isinstance(truth, NormMatch)
    assert isinstance(found, NormMatch)
    assert the_same(truth.norm, found.norm)


def test_round_trip(norms: NormSet, tmp_path: Path) -> None:
    file = tmp_path / "own.parquet"
    file.write_bytes(norm_set_file(replace(norms, pace=PACE)))
    read = read_norm_set(file)
    assert (read.pace, read.counts["areas"]) == (PACE, 79)
    assert read.areas.keys() == norms.areas.keys() == {"branding", "face"}
    for aoi_type, areas in norms.areas.items():
        assert read.areas[aoi_type].shares == areas.shares
        assert read.areas[aoi_type].values == areas.values
        assert read.areas[aoi_type].media.tolist() == areas.media.tolist()


def test_a_file_of_an_earlier_version_opens(norms: NormSet, tmp_path: Path) -> None:
    file = tmp_path / "old.parquet"
    file.write_bytes(norm_set_file(norms))
    table = pq.read_table(file).drop_columns(["areas"])
    facts = json.loads(table.schema.metadata[b"mediaan_norm_set"])
    old = {name: fact for name, fact in facts.items() if name not in ("format", "pace")}
    pq.write_table(table.replace_schema_metadata({b"mediaan_norm_set": json.dumps(old)}), file)
    read = read_norm_set(file)
    assert not read.any_exposure
    assert all(the_same(one, other) for one, other in zip(read.norms, norms.norms, strict=True))


def test_a_file_of_a_later_version_is_refused(norms: NormSet, tmp_path: Path) -> None:
    file = tmp_path / "new.parquet"
    file.write_bytes(norm_set_file(norms))
    table = pq.read_table(file)
    facts = json.loads(table.schema.metadata[b"mediaan_norm_set"]) | {"format": 3}
    pq.write_table(table.replace_schema_metadata({b"mediaan_norm_set": json.dumps(facts)}), file)
    with pytest.raises(UsageError, match=r"was made by a newer mediaan \(0\.5\.0\); update this one"):
        parse_norm_set(file)


def test_areas_that_cannot_be(norms: NormSet) -> None:
    assert norm_set_problems(norms) == ()
    faces = norms.areas["face"]
    wild = replace(faces, shares=(faces.shares[0]._replace(total=1.5), *faces.shares[1:]))
    few = replace(faces, shares=faces.shares[1:], media=faces.media[1:], values=faces.values[1:])
    mute = replace(faces, values=tuple(() for _ in faces.values))
    for areas, said in (
        (wild, "lie outside 0 to 1"),
        (few, "holds 12 areas, and its norms are of 13"),
        (mute, "do not"),
    ):
        (found,) = norm_set_problems(replace(norms, areas={**norms.areas, "face": areas}))
        assert said in found
