"""What if: controlled pictures whose change is known, the interval against theory, names, sources, and the form."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import cv2
import numpy as np
import pytest
from PIL import Image
from scipy.stats import t as student

import mediaan as mn
from mediaan.aoi.region import attention_share
from mediaan.metrics.scales import repeatability_interval
from mediaan.studies.whatif import apply_edits, find_aoi, open_editable
from mediaan.types.aoi import Aoi, Box
from mediaan.types.edits import Change

SIZE = (512, 384)
LOGO = Box(0.08, 0.1, 0.24, 0.22)
VIDEOS = Path(__file__).resolve().parents[2] / "sample_ads" / "videos"
AREAS = {
    "ad.png": [
        {"type": "branding", "label": "Acme", "box": list(LOGO)},
        {"type": "product", "label": "Jar", "box": [0.55, 0.4, 0.75, 0.85]},
        {"type": "product", "label": "Cup", "box": [0.8, 0.7, 0.92, 0.85]},
        {"type": "other", "label": "Jar lid", "box": [0.55, 0.4, 0.75, 0.48]},
    ]
}


def ad(ground: tuple[int, int, int] = (236, 232, 224), ink: tuple[int, int, int] = (180, 20, 30)) -> np.ndarray:
    """A word-mark, a jar and a cup on plain ground."""
    rgb = np.full((SIZE[1], SIZE[0], 3), ground, np.uint8)
    cv2.putText(rgb, "ACME", (48, 78), cv2.FONT_HERSHEY_DUPLEX, 0.85, ink, 2, cv2.LINE_AA)
    cv2.rectangle(rgb, (286, 160), (380, 320), (40, 90, 60), -1, cv2.LINE_AA)
    cv2.rectangle(rgb, (292, 158), (374, 180), (200, 170, 60), -1, cv2.LINE_AA)
    cv2.circle(rgb, (440, 298), 24, (60, 80, 160), -1, cv2.LINE_AA)
    return rgb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whatif")
    Image.fromarray(ad()).save(folder / "ad.png")
    (folder / "areas.json").write_text(json.dumps(AREAS))
    return folder


def changed(folder: Path, *edits: mn.Edit, aois: Path | None = None, model: str = "attention") -> mn.WhatIf:
    return mn.whatif(folder / "ad.png", edits, aois=aois or folder / "areas.json", model=model)


def aoi_of(result: mn.WhatIf, label: str) -> Aoi:
    return next(aoi for aoi in result.aois if aoi.label == label)


def attention(result: mn.WhatIf, label: str) -> Change:
    return result.of(aoi_of(result, label).aoi_id)["attention", "total"]


@pytest.fixture(scope="module")
def moved(folder: Path) -> mn.WhatIf:
    return changed(folder, mn.Edit("move", "Acme", to=(0.3, 0.75)))


def test_attention_moves_with_what_is_moved(moved: mn.WhatIf) -> None:
    (after,) = (aoi for aoi in moved.aois_after if aoi.label == "Acme")
    new = after.box
    before_total, after_total = moved.densities["total"], moved.densities_after["total"]
    assert attention_share(after_total, LOGO) < attention_share(before_total, LOGO) / 3
    assert attention_share(after_total, new) > attention_share(before_total, new) * 3
    area = moved.of(after.aoi_id)
    assert area["attention", "total"].before == pytest.approx(100 * attention_share(before_total, LOGO), abs=1e-6)
    assert area["attention", "total"].after == pytest.approx(100 * attention_share(after_total, new), abs=1e-6)


@pytest.mark.parametrize(
    ("ground", "ink"), [((236, 232, 224), (180, 20, 30)), ((30, 40, 60), (240, 240, 240)), ((120, 170, 120), (0, 0, 0))]
)
def test_a_larger_logo_gathers_more_attention(
    folder: Path, tmp_path: Path, ground: tuple[int, int, int], ink: tuple[int, int, int]
) -> None:
    Image.fromarray(ad(ground, ink)).save(tmp_path / "ad.png")
    result = mn.whatif(tmp_path / "ad.png", [mn.Edit("scale", "Acme", factor=1.5)], aois=folder / "areas.json")
    assert attention(result, "Acme").verdict == "rises"


def test_what_is_removed_has_no_attention_and_its_place_loses_it(folder: Path) -> None:
    result = changed(folder, mn.Edit("remove", "Jar"))
    jar, lid = aoi_of(result, "Jar"), aoi_of(result, "Jar lid")
    assert result.removed(jar.aoi_id)
    assert result.removed(lid.aoi_id)
    scores = result.of(jar.aoi_id)
    for metric in ("attention", "percentage_seen", "time_spent", "availability"):
        one = scores[metric, "total"]
        assert (one.after, one.change) == (0, -one.before)  # type: ignore[operator]
        assert one.verdict == "falls"
    first = scores["first_seen_s", "total"]
    assert (first.after, first.change, first.verdict, first.reason) == (None, None, "undefined", "The AOI was removed.")
    assert attention_share(result.densities_after["total"], jar.box) < attention_share(
        result.densities["total"], jar.box
    )
    assert not result.removed(aoi_of(result, "Cup").aoi_id)
    plain = result.pictures["after"][160:320, 286:380]
    assert (plain == (236, 232, 224)).all()


@pytest.mark.parametrize("edit", [mn.Edit("scale", "Jar", factor=1.0), mn.Edit("move", "Jar", to=(0.65, 0.625))])
def test_no_change_is_told_where_nothing_changes(folder: Path, edit: mn.Edit) -> None:
    result = changed(folder, edit)
    assert (result.pictures["before"] == result.pictures["after"]).all()
    known = [change for change in result.changes if change.change is not None]
    assert len(known) > 20
    assert all((change.change, change.lo, change.hi) == (0, 0, 0) for change in known)
    assert {change.verdict for change in known} == {"no clear change"}


def test_every_change_is_inside_its_interval_and_adds_up(moved: mn.WhatIf) -> None:
    for change in moved.changes:
        if change.change is None:
            assert change.reason
            assert (change.lo, change.hi, change.verdict) == (None, None, "undefined")
            continue
        assert change.before is not None
        assert change.after is not None
        assert change.change == pytest.approx(change.after - change.before, abs=1e-12)
        if change.lo is not None and change.hi is not None:
            assert change.lo <= change.change <= change.hi
        if change.unit in ("score", "%"):
            assert change.lo is None or change.before + change.lo >= -1e-9
            assert change.hi is None or change.before + change.hi <= 100 + 1e-9


def test_before_is_what_analyze_says(folder: Path, moved: mn.WhatIf) -> None:
    result = mn.analyze(folder / "ad.png", aois="none")
    for score in result.scores:
        assert moved[score.metric].before == pytest.approx(score.value, abs=0.05)


def test_the_order_of_edits_is_kept(folder: Path) -> None:
    """Moved into the corner and then removed, the cup is gone; the other way round that cannot be."""
    big, corner, gone = mn.Edit("scale", "Cup", factor=2.0), mn.Edit("move", "Cup", to=(1, 1)), mn.Edit("remove", "Cup")
    canvas = open_editable(folder / "ad.png", aois=folder / "areas.json", model="centre-prior")
    result = apply_edits(canvas, [corner, big])
    assert [edit for edit, _ in result.edits] == [corner, big]
    (cup,) = (aoi for aoi in result.aois_after if aoi.label == "Cup")
    assert cup.box == pytest.approx((0.76, 0.7, 1.0, 1.0), abs=0.005)
    with pytest.raises(mn.UsageError, match="removed by an earlier edit"):
        apply_edits(canvas, [gone, big])
    result = apply_edits(canvas, [big, gone])
    assert result.removed(aoi_of(result, "Cup").aoi_id)


def test_what_is_covered_is_told(folder: Path) -> None:
    result = changed(folder, mn.Edit("move", "Acme", to=(0.86, 0.775)), model="centre-prior")
    (problem,) = (p for p in result.problems if p.code == "covered")
    assert "product 'Cup'" in problem.message


def test_traces_of_an_edit_are_told(folder: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    Image.fromarray(rng.integers(0, 256, (384, 512, 3)).astype(np.uint8)).save(tmp_path / "ad.png")
    on_noise, on_plain = (
        changed(place, mn.Edit("remove", "Jar"), aois=folder / "areas.json", model="centre-prior")
        for place in (tmp_path, folder)
    )
    assert "uneven_ground" in {problem.code for problem in on_noise.problems}
    assert "uneven_ground" not in {problem.code for problem in on_plain.problems}


def test_a_box_that_is_named_is_an_area(folder: Path) -> None:
    result = mn.whatif(folder / "ad.png", [mn.Edit("remove", "0.55,0.4,0.75,0.85")], aois="none")
    (area,) = result.aois
    assert (area.type, area.box) == ("other", (0.55, 0.4, 0.75, 0.85))
    assert result.removed(area.aoi_id)


def test_areas_of_a_run(folder: Path, tmp_path: Path) -> None:
    run = mn.analyze_folder([folder / "ad.png"], tmp_path / "run", recipe=mn.Recipe(maps=(), aois="none"))
    mn.apply_aois(run.path, folder / "areas.json")
    (tmp_path / "other_name.png").write_bytes((folder / "ad.png").read_bytes())
    canvas = open_editable(tmp_path / "other_name.png", aois=run.path)
    assert sorted(aoi.label for aoi in canvas.aois) == ["Acme", "Cup", "Jar", "Jar lid"]
    Image.fromarray(ad((0, 0, 0))).save(tmp_path / "another.png")
    with pytest.raises(mn.UsageError, match=r"has no image with the content of another\.png"):
        open_editable(tmp_path / "another.png", aois=run.path)


def test_requests_that_cannot_be(folder: Path, tmp_path: Path) -> None:
    edit = mn.Edit("grey", "Jar")
    for video in ("coffee_spot.mp4", "sofa_banner.gif"):
        with pytest.raises(mn.UsageError, match="only still images can be edited"):
            mn.whatif(VIDEOS / video, [edit], aois="none")
    with pytest.raises(mn.UsageError, match="no edit"):
        mn.whatif(folder / "ad.png", [])
    with pytest.raises(mn.UsageError, match="no such file or run, and none of none, text, objects, all"):
        mn.whatif(folder / "ad.png", [edit], aois="everything")
    (tmp_path / "other.json").write_text(json.dumps({"another.png": []}))
    with pytest.raises(mn.UsageError, match=r"has no areas for ad\.png"):
        mn.whatif(folder / "ad.png", [edit], aois=tmp_path / "other.json")
    (tmp_path / "broken.png").write_text("no picture")
    with pytest.raises(mn.MediumError):
        mn.whatif(tmp_path / "broken.png", [edit], aois="none")


def test_the_form_is_a_promise(moved: mn.WhatIf) -> None:
    plain = json.loads(json.dumps(moved.to_dict(), allow_nan=False))
    assert list(plain) == [
        "path", "medium_id", "name", "width", "height", "edits", "purpose", "lost", "views", "metrics", "aois",
        "problems",
    ]  # fmt: skip
    (edit,) = plain["edits"]
    assert {key: edit[key] for key in ("action", "aoi", "to")} == {"action": "move", "aoi": "Acme", "to": [0.3, 0.75]}
    assert plain["metrics"]["focus"].keys() == {"before", "after", "change", "lo", "hi", "unit", "verdict"}
    area = plain["aois"][0]
    assert list(area) == ["aoi_id", "type", "label", "source", "box", "box_after", "removed", "scores"]
    assert {"attention", "percentage_seen", "time_spent", "first_seen_s"} <= area["scores"].keys()
    assert area["scores"]["attention"].keys() == {"total", "start", "end"}
    assert list(moved.pictures) == ["before", "after", "before_heat", "after_heat", "difference"]


@pytest.mark.parametrize("count", [2, 3, 4, 6, 10])
def test_the_interval_is_student_s(count: int) -> None:
    values = np.random.default_rng(count).normal(3, 2, count)
    reach = student.ppf(0.95, count - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / count)
    expected = values.mean() - reach, values.mean() + reach
    np.testing.assert_allclose(repeatability_interval(list(values), float(values.mean())), expected, rtol=1e-3)


def area(number: int, kind: str, label: str = "") -> Aoi:
    return Aoi(UUID(int=number << 96), kind, label, Box(0, 0, 0.5, 0.5), None, "drawn")  # type: ignore[arg-type]


KNOWN = (
    area(0xAAAA1111, "product", "Jar"),
    area(0xAAAA2222, "product", "Cup"),
    area(0xBBBB3333, "branding", "Acme"),
    area(0xCCCC4444, "headline_text", "Jam for all"),
    area(0xDDDD5555, "body_text", "Jam made by hand"),
)
SHARES = {known.aoi_id: share for known, share in zip(KNOWN, (0.1, 0.3, 0.05, 0.2, 0.1), strict=True)}


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("branding", "Acme"),
        ("logo", "Acme"),
        ("Headline", "Jam for all"),
        ("product:1", "Cup"),
        ("product:2", "Jar"),
        ("jar", "Jar"),
        ("jam for", "Jam for all"),
        ("aaaa2", "Cup"),
        ("aaaa2222-0000-0000-0000-000000000000", "Cup"),
        ("AAAA1111", "Jar"),
    ],
)
def test_names(name: str, label: str) -> None:
    assert find_aoi(name, KNOWN, SHARES, UUID(int=1)).label == label


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("product", "could be any of 2 areas"),
        ("jam", "could be any of 2 areas"),
        ("aaaa", "could be any of 2 areas"),
        ("product:3", "there are 2 areas of type product"),
        ("product:0", "there are 2 areas of type product"),
        ("face", "no area is called 'face'"),
        ("aa", "no area is called 'aa'"),
        ("", "no area is called ''"),
        ("0.5,0.5,0.4,0.9", "x0 < x1"),
        ("0,0,512,384", "unit coordinates"),
    ],
)
def test_names_that_do_not_tell(name: str, complaint: str) -> None:
    with pytest.raises(mn.UsageError, match=complaint) as caught:
        find_aoi(name, KNOWN, SHARES, UUID(int=1))
    if "," not in name:
        assert all(known.label in caught.value.message for known in KNOWN), "the message lists what there is"
