"""Tracks of known things in short films fit the truth."""

from __future__ import annotations

from itertools import pairwise

import pytest
from budget import budget
from moving_scenes import HEAD, RATE, SCENES, Film, Fit, fit, tracked

from mediaan.aoi.tracking.tracker import DetectionScope
from mediaan.types.aoi import Aoi

LEAST_RECALL = {"kinetic_type": 0.8}  # it flies in over half a second and is read when it may have come to rest


Films = dict[str, tuple[Film, tuple[Aoi, ...], list[DetectionScope], Fit]]


@pytest.fixture(scope="module")
def films() -> Films:
    made = {}
    for name, build in SCENES.items():
        film = build()
        aois, wanted = tracked(film)
        made[name] = film, aois, wanted, fit(film, aois, wanted)
    print("\n" + HEAD, *(fitted.row() for *_, fitted in made.values()), sep="\n")
    return made


@pytest.mark.parametrize("name", SCENES)
def test_tracks_fit_the_truth_and_are_well_formed(name: str, films: Films) -> None:
    film, aois, _, fitted = films[name]
    assert fitted.iou >= 0.85
    assert fitted.recall >= LEAST_RECALL.get(name, 0.9)
    assert fitted.precision >= 0.9
    assert fitted.switches == 0
    lasting = [thing for thing in film.things.values() if len(thing.boxes) >= 5]
    assert len(lasting) <= len(aois) <= len(film.things)
    for aoi in aois:
        times = [sighting.t_s for sighting in aoi.track]
        assert set(times) <= set(film.times)
        assert all(one < other for one, other in pairwise(times)), "each instant once, in order"
        assert aoi.t0_s == times[0]
        ends = dict(zip(film.times, [*film.times[1:], film.times[-1] + 1 / RATE], strict=True))
        assert aoi.t1_s == pytest.approx(ends[times[-1]])
        assert all(0 <= s.box.x0 < s.box.x1 <= 1 and 0 <= s.box.y0 < s.box.y1 <= 1 for s in aoi.track)
        assert all(0 < s.confidence <= 1 for s in aoi.track)
    assert [aoi.t0_s for aoi in aois] == sorted(aoi.t0_s for aoi in aois if aoi.t0_s is not None)
    assert len({aoi.aoi_id for aoi in aois}) == len(aois)


@pytest.mark.parametrize("seed", range(budget(1, 3)))
@pytest.mark.parametrize("name", ["handheld_with_five", "flicker", "false_detections", "cut_away_and_back"])
def test_other_errors_of_the_detector_change_little(name: str, seed: int) -> None:
    film = SCENES[name]()
    aois, wanted = tracked(film, 100 + seed)
    fitted = fit(film, aois, wanted)
    assert fitted.switches == 0
    assert fitted.iou >= 0.88
    assert fitted.recall >= 0.85
    assert fitted.precision >= 0.85


def test_the_same_film_gives_the_same_aois(films: Films) -> None:
    assert tracked(SCENES["cut_away_and_back"]())[0] == films["cut_away_and_back"][1]


def spans(aoi: Aoi) -> list[tuple[float, float]]:
    """From when to when it is there without a gap of more than a sample."""
    times = [sighting.t_s for sighting in aoi.track]
    starts = [times[0], *(other for one, other in pairwise(times) if other - one > 1.5 / RATE)]
    ends = [*(one for one, other in pairwise(times) if other - one > 1.5 / RATE), times[-1]]
    return list(zip(starts, ends, strict=True))


def test_what_comes_back_after_a_cut_is_the_same_aoi_with_a_gap(films: Films) -> None:
    _, aois, *_ = films["cut_away_and_back"]
    assert sorted(aoi.type for aoi in aois) == ["branding", "face"]
    for aoi in aois:
        assert spans(aoi) == [(0.0, pytest.approx(2.2)), (pytest.approx(4.8), pytest.approx(7.0))]


def test_another_face_is_another_aoi(films: Films) -> None:
    _, aois, *_ = films["another_face_after_a_cut"]
    assert [spans(aoi) for aoi in aois] == [[(0.0, pytest.approx(2.2))], [(pytest.approx(2.4), pytest.approx(4.6))]]


@pytest.mark.parametrize("name", ["title_on_a_pan", "title_on_a_still"])
def test_a_title_lasts_from_when_it_has_come_up_until_it_fades(name: str, films: Films) -> None:
    film, (title,), *_ = films[name]
    (truth,) = film.things.values()
    assert title.t0_s == pytest.approx(film.times[min(truth.boxes)], abs=0.41)
    assert title.t1_s == pytest.approx(film.times[max(truth.boxes)] + 0.2, abs=0.41)


def test_what_is_hidden_is_not_seen_meanwhile(films: Films) -> None:
    film, (product,), *_ = films["occlusion"]
    (truth,) = film.things.values()
    hidden = {film.times[at] for at in range(min(truth.boxes), max(truth.boxes)) if at not in truth.boxes}
    assert len(hidden) >= 2
    assert len(hidden & {sighting.t_s for sighting in product.track}) <= 1


def test_things_are_looked_for_seldom(films: Films) -> None:
    """Text when it may have come up, objects every 0.4 s while things move, nothing in what stands still."""
    _, _, wanted, _ = films["slides_in_one_shot"]
    assert [at for at, want in enumerate(wanted) if want] == [0, 10, 20], "each slide once, at once"
    _, _, wanted, _ = films["pan"]
    assert sum(want == DetectionScope.ALL for want in wanted) <= 5
    assert sum(want >= DetectionScope.OBJECTS for want in wanted) <= 17
