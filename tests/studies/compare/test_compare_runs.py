"""Comparing media of runs: how they are named, what is refused, what comes out."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from written_runs import FACTS, id_of, write_run

import mediaan as mn
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.cli.main import cli
from mediaan.metrics import metric_specs
from mediaan.run.tables.schema import COMPARISONS

SAMPLES = Path(__file__).resolve().parents[2] / "sample_ads" / "ads"
LOGO = ("branding", (0.1, 0.1, 0.3, 0.2), 12.0)
FACE = ("face", (0.5, 0.5, 0.8, 0.9), 30.0)
MEDIA = {
    "de/one.png": {"focus": 80.0, "cognitive_demand": 40.0},
    "de/two.png": {"focus": 75.0, "cognitive_demand": 45.0},
    "de/three.png": {"focus": 85.0, "cognitive_demand": 50.0},
    "en/one_en.png": {"focus": 40.0, "cognitive_demand": 41.0},
    "en/two_en.png": {"focus": 38.0, "cognitive_demand": 44.0},
    "en/three_en.png": {"focus": 41.0, "cognitive_demand": 52.0},
}
TABLE = "file,campaign,motif\none,x,1\ntwo,x,2\nthree,x,3\none_en,y,1\ntwo_en,y,2\nthree_en,y,3\n"


def facts(**more: Any) -> dict[str, Any]:
    specs = [{"name": spec.name, "unit": spec.unit} for spec in metric_specs()]
    aois = [{"name": spec.name, "unit": spec.unit} for spec in AOI_METRICS]
    return {"metrics": specs, "aoi_metrics": aois, "scores_id": "0123456789ab"} | more


def recipe(**more: Any) -> dict[str, Any]:
    return {**FACTS["recipe"], "detector": "objects", "max_megapixels": 100.0} | more


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    areas = {"de/one.png": [LOGO, FACE], "en/one_en.png": [LOGO]}
    return write_run(tmp_path_factory.mktemp("compare") / "run", MEDIA, areas=areas, facts=facts())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "media.csv").write_text(TABLE)
    return tmp_path / "media.csv"


def compare(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["compare", *map(str, arguments)], standalone_mode=False)


def refused(*media: str, **how: Any) -> str:
    with pytest.raises(mn.UsageError) as error:
        mn.compare(*media, **how)
    return f"{error.value.code}: {error.value.message}"


@pytest.mark.parametrize("name", ["de/one.png", "one.png", "one", "de/one", str(id_of("one.png"))[:8]])
def test_media_have_many_names(run: Path, name: str) -> None:
    found = mn.compare(name, "two_en", runs=run)
    assert found.names == ("de/one.png", "en/two_en.png")
    assert found["focus"].difference == 42.0


def test_names_that_mean_nothing_or_too_much(run: Path, tmp_path: Path) -> None:
    assert "no such file, and none" in refused("seven", "one", runs=run)
    assert "'de/one.png'" in refused("de/oen.png", "two", runs=run)
    twins = write_run(tmp_path / "twins", {"a/x.png": {"focus": 1.0}, "b/x.jpg": {"focus": 2.0}}, facts=facts())
    assert "a/x.png" in refused("x", "one", runs=[run, twins])
    assert refused("one", "de/one.png", runs=run).startswith("not_comparable")
    assert refused("one", runs=run).startswith("bad_groups")
    assert refused("one", "two", runs=tmp_path).startswith("no_run")


def test_two_media(run: Path) -> None:
    found = mn.compare("de/one.png", "en/one_en.png", runs=run)
    focus = found["focus"]
    assert (focus.value_a, focus.value_b, focus.difference) == (80.0, 40.0, 40.0)
    assert (focus.lo, focus.hi) == pytest.approx((40 - np.hypot(5, 5), 40 + np.hypot(5, 5)))
    assert (focus.verdict, focus.better, focus.n_a, focus.n_b) == ("a_higher", "a", 1, 1)
    assert found["cognitive_demand"].verdict == "not_distinguishable"
    assert found["branding.attention"].difference == 0.0
    assert found["face.attention"].verdict == "undefined"
    assert "A is higher on focus (+40.0)" in found.summary
    assert "Found only in A: face." in found.summary


def test_headline_scores_decide_and_the_rest_is_detail(tmp_path: Path) -> None:
    """Two that differ much in memory alone, by which nothing is decided."""
    scores = {"focus": 50.0, "clarity": 50.0, "engagement": 50.0, "cognitive_demand": 50.0}
    made = {"a.png": {**scores, "focus": 54.0, "memory": 95.0}, "b.png": {**scores, "clarity": 45.0, "memory": 5.0}}
    areas = {"a.png": [LOGO, FACE], "b.png": [LOGO, FACE]}
    found = mn.compare("a.png", "b.png", runs=write_run(tmp_path / "run", made, areas=areas, facts=facts()))
    headline = {f"{row.aoi_type}.{row.metric}" if row.aoi_type else row.metric for row in found.rows if row.headline}
    assert headline == {*scores, "branding.percentage_seen"}
    assert found["memory"].verdict == "a_higher"
    for family in (True, False):
        own = [row for row in found.rows if row.headline == family]
        assert {row.n_comparisons for row in own} == {sum(row.p is not None for row in own)}
    assert found["focus"].lean == "a"
    assert found["focus"].verdict == "not_distinguishable"
    assert found["cognitive_demand"].lean is None
    assert (found.leader.side, found.leader.ahead) == ("a", "a")
    assert set(found.leader.better) == {
        i
        for i, row in enumerate(found.rows)
        if row.headline and row.metric not in ("cognitive_demand", "percentage_seen")
    }
    assert found.summary.startswith("A leads on 3 headline scores taken together")
    named = mn.compare("a.png", "b.png", runs=tmp_path / "run", metrics=["memory", "focus"])
    assert {row.headline for row in named.rows} == {True}
    mirror = mn.compare("b.png", "a.png", runs=tmp_path / "run")
    assert (mirror.leader.side, mirror.leader.probability) == ("b", pytest.approx(found.leader.probability))
    assert mirror.to_dict()["leader"]["name"] == "a.png"


def test_asking_for_less_corrects_for_less(run: Path) -> None:
    all_of_them, one = (mn.compare("one", "two_en", runs=run, metrics=m)["focus"] for m in ((), ["focus"]))
    assert one.n_comparisons == 1
    assert one.p_corrected == one.p == all_of_them.p
    assert all_of_them.n_comparisons > 1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"recipe": recipe(exposure_s=2.0)}, "2 s"),
        ({"scores_id": "ba9876543210"}, "scales"),
        ({"models": [{"name": "attention", "sha256": "b" * 64}]}, "bbbbbbbbbbbb"),
    ],
)
def test_runs_of_other_yardsticks_are_refused(run: Path, tmp_path: Path, changed: Mapping[str, Any], says: str) -> None:
    other = write_run(tmp_path / "other", {"x.png": {"focus": 61.0}}, facts=facts(**changed))
    message = refused("de/one.png", "x.png", runs=[run, other])
    assert message.startswith("not_comparable")
    assert says in message
    assert "the norms" not in message


def test_pictures_looked_at_for_different_times_keep_their_own_scores(tmp_path: Path) -> None:
    objectives = {"a.png": {"exposure_s": 2.0}}
    made = {"a.png": {"focus": 61.0}, "b.png": {"focus": 30.0}}
    other = write_run(
        tmp_path / "run", made, areas={"a.png": [LOGO], "b.png": [LOGO]}, facts=facts(objectives=objectives)
    )
    found = mn.compare("a.png", "b.png", runs=other)
    assert {row.aoi_type for row in found.rows} == {None}
    assert any("2 s and 5 s" in note for note in found.notes)


def test_many_are_ranked(run: Path) -> None:
    found = mn.compare(runs=run, metrics=["focus", "branding.attention"])
    focus, branding = found.rankings
    assert [place.name for place in focus.places][:2] == ["de/three.png", "de/one.png"]
    assert found.leader is None
    for i, a in enumerate(focus.places):
        for b in focus.places[i + 1 :]:
            row = next(r for r in found.rows if r.metric == "focus" and {r.a, r.b} == {a.name, b.name})
            assert bool(set(a.letters) & set(b.letters)) == (row.verdict == "not_distinguishable")
    assert focus.n_comparisons == 15
    assert sum(place.best or 0.0 for place in focus.places) == pytest.approx(1)
    assert {place.name for place in branding.places} == {"de/one.png", "en/one_en.png"}
    assert "no branding was found" in branding.left_out["de/two.png"]
    assert "areas" in refused(runs=run, metrics=["percentage_seen"])


def test_groups_by_a_column(run: Path, table: Path) -> None:
    found = mn.compare(runs=run, by="campaign", attributes=table)
    assert found.names == ("x", "y")
    assert found.media["x"] == ("de/one.png", "de/two.png", "de/three.png")
    focus = found["focus"]
    assert (focus.value_a, focus.value_b, focus.n_a, focus.n_b) == (80.0, pytest.approx(119 / 3), 3, 3)
    assert (focus.verdict, focus.better) == ("a_higher", "a")
    assert found["cognitive_demand"].verdict == "not_distinguishable"
    assert sorted(found.rankings[0].places[0].values) == [75.0, 80.0, 85.0]


def test_pairs_between_groups_tell_more(run: Path, table: Path) -> None:
    apart = mn.compare(runs=run, by="campaign", attributes=table)["cognitive_demand"]
    paired = mn.compare(runs=run, by="campaign", pair="motif", attributes=table)["cognitive_demand"]
    assert paired.difference == pytest.approx(apart.difference)
    assert paired.hi - paired.lo < apart.hi - apart.lo
    assert (paired.n_a, paired.n_b) == (3, 3)


def test_what_is_better_follows_the_objectives(run: Path, tmp_path: Path) -> None:
    (tmp_path / "objectives.yaml").write_text("defaults: {purpose: conversion}\n")
    other = write_run(
        tmp_path / "run", {"a.png": {"cognitive_demand": 90.0}, "b.png": {"cognitive_demand": 10.0}}, facts=facts()
    )
    plain = mn.compare("a.png", "b.png", runs=other)
    meant = mn.compare("a.png", "b.png", runs=other, objectives=tmp_path / "objectives.yaml")
    assert (plain["cognitive_demand"].better, meant["cognitive_demand"].better) == (None, "b")
    assert meant.purpose == "conversion"


def test_the_command_and_what_it_leaves(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = compare("de/one.png", "en/one_en.png", run, "--out", out)
    assert done.exit_code == 0, done.output
    assert "A is higher, A is better" in done.stdout
    assert "Found only in A: face." in done.stdout
    assert f"page: {out / 'index.html'}" in done.stdout
    assert "--out DIR" in compare("de/one.png", "en/one_en.png", run).stdout
    assert {file.name for file in out.iterdir()} == {"index.html", "comparisons.parquet", "compare.json"}
    rows = pq.read_table(out / "comparisons.parquet")
    assert rows.schema.equals(COMPARISONS)
    plain = json.loads((out / "compare.json").read_text())
    assert rows.num_rows == len(plain["comparisons"]) > 5
    assert json.loads(compare("de/one.png", "en/one_en.png", run, "--json").stdout) == plain
    page = (out / "index.html").read_text()
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert compare("de/one.png", "de/two.png", run, "--out", out).exit_code == 0
    (tmp_path / "mine.txt").write_text("x")
    assert "holds other files" in str(compare("one", "two", run, "--out", tmp_path).exception)


def test_media_of_one_campaign_may_count_once(run: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("file,season,campaign\none,x,1\ntwo,x,1\nthree,x,2\none_en,y,3\ntwo_en,y,3\n")
    found = mn.compare(runs=run, by="season", cluster="campaign", attributes=tmp_path / "t.csv", metrics=["focus"])
    assert found["focus"].value_a == pytest.approx((77.5 + 85) / 2)  # one and two are one, three is another
    assert (found["focus"].n_a, found["focus"].n_b) == (2, 1)
    assert found["focus"].verdict == "undefined"
    assert found.notes[0] == "Left out, because they have no season: 1 file."
    alone = mn.compare(runs=run, by="season", attributes=tmp_path / "t.csv", metrics=["focus"])
    assert any("--cluster" in note for note in alone.notes)
    assert not any("--cluster" in note for note in found.notes)


def test_runs_may_be_groups(run: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "spring", {f"{i}.png": {"focus": 10.0 + i} for i in range(3)}, facts=facts())
    found = mn.compare(runs=[run, other], by="run", metrics=["focus"])
    assert found.names == ("run", "spring")
    assert (found["focus"].n_a, found["focus"].n_b) == (6, 3)
    namesake = write_run(tmp_path / "later" / "run", {"a.png": {"focus": 1.0}}, facts=facts())
    assert mn.compare(runs=[run, namesake], by="run").names == (str(run), str(namesake))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("files")
    edited = mn.whatif(SAMPLES / "serum_square.jpg", [mn.Edit("grey", "0.1,0.1,0.9,0.9")], aois="none")
    from mediaan.maps import encode_image

    (folder / "b.png").write_bytes(encode_image(edited.pictures["after"], "png"))
    shutil.copy(SAMPLES / "serum_square.jpg", folder / "a.jpg")
    return folder / "a.jpg", folder / "b.png"


def test_files_are_analysed_on_the_spot_and_versions_tell_more(files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = ["focus", "engagement", "memory", "hotspot_count"]
    apart = mn.compare(*files, metrics=asked)
    assert apart.names == tuple(map(str, files))
    versions = mn.compare(*files, metrics=asked, versions=True)
    for a, b in zip(apart.rows, versions.rows, strict=True):
        assert a.difference == pytest.approx(b.difference)
    assert versions["hotspot_count"].verdict == "undefined"
    one, other = versions["engagement"], apart["engagement"]
    assert one.hi - one.lo < (other.hi - other.lo) / 2
    assert (one.lo > 0) == (one.probability > 0.95)


@pytest.fixture(scope="module")
def mixed_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images and videos on two platforms, and one animation."""
    names = (
        "feed/a.png",
        "feed/b.png",
        "feed/c.png",
        "story/d.png",
        "story/h.png",
        "feed/e.mp4",
        "story/f.mp4",
        "story/g.gif",
    )
    media = {name: {"focus": 20.0 + 10 * place, "memory": 50.0} for place, name in enumerate(names)}
    kinds = {"feed/e.mp4": "video", "story/f.mp4": "video", "story/g.gif": "mixed"}
    return write_run(tmp_path_factory.mktemp("mixed") / "run", media, kinds=kinds, facts=facts())


def test_images_and_videos_are_compared_apart(mixed_run: Path, tmp_path: Path) -> None:
    done = compare(mixed_run, "--metric", "focus")
    assert done.exit_code == 0
    images, videos, animations = re.split(r"^== ", done.stdout, flags=re.MULTILINE)[1:]
    assert images.startswith("Images (5) ==\nFocus (higher")
    assert videos.startswith("Videos (2) ==\nA  feed/e.mp4\nB  story/f.mp4\n")
    assert animations.startswith("Mixed media ==\nnothing to compare: 1 file; at least two are needed\n")
    lines = list(map(json.loads, compare(mixed_run, "--metric", "focus", "--json").stdout.splitlines()))
    assert [line["type"] for line in lines] == ["image", "video", "mixed"]
    assert [len(line.get("names", ())) for line in lines] == [5, 2, 0]
    for _ in range(2):  # the folders of an earlier comparison are its own
        assert compare(mixed_run, "--metric", "focus", "--out", tmp_path / "out").exit_code == 0
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("index.html")} == {
        "out/image/index.html", "out/video/index.html",
    }  # fmt: skip


def test_who_is_left_out_is_said_once_and_one_alone_is_not_the_best(mixed_run: Path, tmp_path: Path) -> None:
    table = tmp_path / "teams.csv"
    table.write_text("path,team\nfeed/a.png,x\nfeed/b.png,x\nfeed/c.png,x\nstory/d.png,y\nstory/h.png,z\n")
    options = ("--type", "image", "--by", "team", "--attributes", table)
    text = compare(mixed_run, *options, "--metric", "focus", "--metric", "memory").stdout
    assert text.count("left out: ") == 1
    assert "left out: y, z: only 1 in the group; an interval needs 3.\n" in text
    assert "best: " not in text
    assert "Nothing to rank: only x has a value with an interval." in text
    (focus,) = mn.compare(runs=mixed_run, by="team", attributes=table, type="image", metrics=["focus"]).rankings
    assert [(place.name, place.letters, place.best) for place in focus.places] == [("x", (), None)]


@pytest.mark.parametrize(
    ("searches", "aoi_type", "absent"),
    [
        ({"aois": "text"}, "branding", 0.0),  # names and word marks are read
        ({"aois": "objects"}, "branding", 0.0),  # logos are detected
        ({"aois": "objects"}, "call_to_action", None),
        ({"aois": "none", "later": 2}, "face", 0.0),  # areas of every file were looked for after the analysis
        ({"aois": "none", "later": 1}, "face", None),  # of one file, perhaps not of this one
        ({"aois": "none"}, "face", None),
    ],
)
def test_an_absent_area_is_0_where_a_search_would_have_found_it(
    tmp_path: Path, searches: dict[str, Any], aoi_type: str, absent: float | None
) -> None:
    later = searches.get("later")
    changes = [{"at": "now", "media": later, "detected": "all"}] if later else []
    media = {"a.png": {"focus": 80.0}, "b.png": {"focus": 40.0}}
    place = (aoi_type, (0.1, 0.1, 0.3, 0.2), 12.0)
    more = facts(recipe=recipe(aois=searches["aois"]), aoi_changes=changes)
    run = write_run(tmp_path / "run", media, areas={"a.png": [place]}, facts=more)
    compared = mn.compare("a.png", "b.png", runs=run, metrics=[f"{aoi_type}.attention"])
    (row,) = [row for row in compared.rows if row.aoi_type == aoi_type]
    assert (row.value_a, row.value_b) == (12.0, absent)
