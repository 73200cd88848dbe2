"""How long each picture is looked at: what that changes, what it does not, and that nobody forgets it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from uuid import UUID

import pandas as pd
import pytest
from ad_folder import write_pictures_and_animation

import mediaan as mn
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.run.changes import density_path, read_areas
from mediaan.saliency.density_storage import read_densities
from mediaan.workflow.folder.inputs import load_inputs

BOX = {"type": "branding", "label": "corner", "box": [0.55, 0.6, 0.95, 0.9]}


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_pictures_and_animation(tmp_path_factory.mktemp("ads"))
    shutil.copy(folder / "a.png", folder / "copy_of_a.png")
    (folder / "areas.json").write_text(json.dumps({name: [BOX] for name in ("a.png", "b.png", "sofa_banner.gif")}))
    return folder


def analysed(ads: Path, out: Path, objectives: str | None, *, drawn: bool = True) -> mn.Run:
    file = None
    if objectives is not None:
        file = ads / f"{out.parent.name}_{out.name}.yaml"
        file.write_text(objectives)
    settings = (
        mn.Recipe(
            model="centre-prior",
            maps=(),
            aois="none",
            objectives=file,
            drawn_aois=ads / "areas.json" if drawn else None,
        ),
        mn.Execution(workers=1),
    )
    return mn.analyze_folder(ads, out, *settings)


def value(run: mn.Run, path: str, metric: str, time: str = "total") -> float:
    medium = run.media.set_index("path").medium_id[path]
    aoi = run.aois.set_index("medium_id").aoi_id[medium]
    scores = run.aoi_scores.set_index(["aoi_id", "metric", "metric_time"])
    return float(scores.value[aoi, metric, time])


@pytest.fixture(scope="module")
def default(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return analysed(ads, tmp_path_factory.mktemp("runs") / "default", None)


@pytest.fixture(scope="module")
def short(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    text = (
        "defaults: {exposure_s: 2}\nmedia:\n  - {match: b.png, exposure_s: 12.5}\n  - {match: copy*, exposure_s: 30}\n"
    )
    return analysed(ads, tmp_path_factory.mktemp("runs") / "short", text)


def test_who_looks_for_less_time_sees_less(default: mn.Run, short: mn.Run) -> None:
    for metric in ("percentage_seen", "time_spent"):
        assert value(short, "a.png", metric) < value(default, "a.png", metric)
        assert value(short, "b.png", metric) > value(default, "b.png", metric)


def test_each_picture_is_scored_for_its_own_exposure(short: mn.Run) -> None:
    """As the function that scores areas says it of the density that was kept."""
    for path, exposure_s in {"a.png": 2.0, "b.png": 12.5}.items():
        medium_id = UUID(short.media.set_index("path").medium_id[path])
        (aoi,) = read_areas(short)[medium_id].aois
        densities, _ = read_densities(density_path(short, medium_id))
        for score in score_still([aoi], densities, exposure_s)[0].scores:
            if score.value is not None:
                assert value(short, path, score.metric, score.time) == score.value


def test_densities_and_scores_of_the_picture_do_not_change(default: mn.Run, short: mn.Run) -> None:
    pd.testing.assert_frame_equal(short.metrics, default.metrics)
    for time in ("start", "end", "total"):
        assert value(short, "a.png", "attention", time) == pytest.approx(value(default, "a.png", "attention", time))


def test_what_is_wished_of_a_medium_is_told_apart_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "media.csv").write_text("file,brand,exposure_s\na.png,Acme,3\n")

    def options(text: str, *, detects_aois: bool = True) -> tuple[str, ...]:
        (tmp_path / "cfg.yaml").write_text(text)
        briefing = load_inputs(tmp_path / "cfg.yaml", None)
        return tuple(briefing.options_id(path, detects_aois=detects_aois) for path in ("a.png", "b.png"))

    assert options("defaults: {country: DE}\n") == options("defaults: {exposure_s: 2}\n") == ("", "")
    acme, tv = options("defaults: {brand: Acme}\n"), options("defaults: {platform: tv}\n")
    assert acme[0] == acme[1]
    assert options("media: [{match: b.png, brand: Acme}]\n") == ("", acme[0])
    for same in (
        "media: [{match: a.png, brand: Acme}]\n",
        "defaults: {brand: Acme, exposure_s: 2}\nmedia: [{match: b.png, brand: null}]\n",
        "table: media.csv\n",
    ):
        assert options(same) == (acme[0], "")
    aliased = options("defaults: {brand: Acme}\nbrands: [{name: Acme, aliases: [Acme Foods]}]\n")
    assert len({"", tv[0], acme[0], aliased[0]}) == 4
    assert options("defaults: {brand: Acme, exposure_s: 2}\n", detects_aois=False) == ("", "")


def test_areas_stay_as_long_in_view_when_others_are_looked_for(ads: Path, short: mn.Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(short.path, copy)
    mn.detect_aois(copy, [ads], aois="text", workers=1)
    again = mn.read_run(copy)
    drawn = again.aoi_scores[again.aoi_scores.aoi_id.isin(short.aois.aoi_id)].reset_index(drop=True)
    before = short.aoi_scores[short.aoi_scores.aoi_id.isin(drawn.aoi_id)].reset_index(drop=True)
    pd.testing.assert_frame_equal(drawn, before)
    assert len(drawn) == len(short.aoi_scores)


def test_two_exposures_in_one_run_s_areas_are_refused(ads: Path, short: mn.Run, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("defaults: {exposure_s: 4}\n")
    with pytest.raises(mn.UsageError, match=r"a.png is looked at for 4 s there and for 2 s in the run") as caught:
        mn.detect_aois(short.path, [ads], aois="text", objectives=other, workers=1)
    assert caught.value.code == "exposure_differs"
