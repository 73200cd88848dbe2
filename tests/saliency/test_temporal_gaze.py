"""Attention over time: contract, and the direction of each finding that it is built on."""

from __future__ import annotations

import pickle
from pathlib import Path

import cv2
import numpy as np
import pytest
from moving_pictures import HEIGHT, WIDTH, Bright, Clip, clip, follow, follow_in_parts, mass, texture, with_square

from mediaan.errors import AnalysisError
from mediaan.evaluation.saliency.metrics import cc, kld
from mediaan.saliency import GazeDynamics, TemporalAttention, load_frame_predictor
from mediaan.saliency.density import centre_prior
from mediaan.saliency.frame_selection import INFERENCE_INTERVAL_S, luma_change, to_luma
from mediaan.saliency.predictor import CentrePrior
from mediaan.saliency.temporal import centre_window

PHOTOS = Path(__file__).resolve().parents[1] / "sample_ads" / "source" / "photos"
ONE, TWO = texture(1), texture(2)
LEFT, RIGHT = with_square(ONE, 0.15, 0.5), with_square(TWO, 0.85, 0.5)


def model(**constants: float) -> TemporalAttention:
    return TemporalAttention(Bright(), GazeDynamics(**constants))  # type: ignore[arg-type]


def steady(**constants: float) -> TemporalAttention:
    """What draws gaze at first draws it later."""
    return TemporalAttention(Bright(steady=True), GazeDynamics(**constants))  # type: ignore[arg-type]


def busy(t: float) -> np.ndarray:
    """Everything at once: a pan, a thing that moves, a still second, a cut, a fade."""
    if t < 1.2:
        return with_square(np.roll(ONE, round(-20 * t), axis=1), 0.2 + 0.3 * t, 0.4)
    if t < 2.4:
        return with_square(ONE, 0.6, 0.6)
    return (RIGHT * min(1.0, 0.2 + (t - 2.4))).astype(np.uint8)


BUSY = clip(busy, 4.0, cuts=(2.4,))


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    value = cc(one, other)
    assert value is not None
    return value


# contract


@pytest.mark.parametrize(
    "base", [Bright(), Bright(windows=("total",)), CentrePrior()], ids=["bright", "total", "prior"]
)
def test_densities_sum_to_one(base: Bright | CentrePrior) -> None:
    model = TemporalAttention(base)
    assert (model.name, model.sha256, model.device, model.view) == (base.name, None, "cpu", base.view)
    densities = follow(model, BUSY)
    assert len(densities) == len(BUSY.t)
    for density in densities:
        assert density.dtype == np.float32
        assert density.shape == (HEIGHT // 4, WIDTH // 4)
        assert density.min() > 0
        assert abs(density.sum(dtype=np.float64) - 1) < 1e-5


@pytest.mark.parametrize("ends", [list(range(1, 20)), [1], [3, 4, 13], [12], [19]])
def test_however_a_clip_is_cut_into_chunks(ends: list[int]) -> None:
    together = follow(model(), BUSY)
    in_parts, _ = follow_in_parts(model(), BUSY, ends)
    for one, other in zip(together, in_parts, strict=True):
        assert np.array_equal(one, other)


def test_state_survives_a_process_border() -> None:
    first, state = model().advance(model().start(), *BUSY.part(0, 9))
    rest, _ = model().advance(pickle.loads(pickle.dumps(state)), *BUSY.part(9, 20))
    for one, other in zip(follow(model(), BUSY), [*first, *rest], strict=True):
        assert np.array_equal(one, other)


def test_a_state_is_not_changed_by_using_it() -> None:
    _, state = model().advance(model().start(), *BUSY.part(0, 5))
    first, _ = model().advance(state, *BUSY.part(5, 10))
    again, _ = model().advance(state, *BUSY.part(5, 10))
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))


def test_frames_of_another_size_are_refused() -> None:
    _, state = model().advance(model().start(), *BUSY.part(0, 2))
    frames, *rest = BUSY.part(2, 4)
    with pytest.raises(AnalysisError, match="96 x 192 px follows"):
        model().advance(state, frames[:, :96], *rest)  # type: ignore[arg-type]


def test_a_fine_model_is_filtered_on_a_coarser_grid() -> None:
    densities = follow(TemporalAttention(Bright(cells=1)), BUSY)
    assert {density.shape for density in densities} == {(85, 128)}


def test_a_mirrored_clip_has_mirrored_gaze() -> None:
    """The stub is symmetric; corners are tracked in another order, so it is not exact."""
    mirrored = Clip(np.ascontiguousarray(BUSY.frames[:, :, ::-1]), BUSY.t, BUSY.shot, BUSY.fresh)
    for one, other in zip(follow(model(), BUSY), follow(model(), mirrored), strict=True):
        assert correlation(one, np.ascontiguousarray(other[:, ::-1])) > 0.98


# looking


def test_what_stands_still_is_looked_at_twice() -> None:
    base = Bright()
    follow(TemporalAttention(base), clip(lambda t: LEFT, 6.0))
    assert base.looks == 2


def test_what_moves_is_looked_at_as_often_as_people_fixate() -> None:
    base = Bright()
    moving = clip(lambda t: with_square(ONE, 0.2 + 0.1 * t, 0.5), 4.0, fps=12.5)
    follow(TemporalAttention(base), moving)
    assert 4.0 / (INFERENCE_INTERVAL_S + 0.08) <= base.looks <= 4.0 / INFERENCE_INTERVAL_S + 1


def test_what_changed_between_looks_is_looked_at_although_it_then_stands_still() -> None:
    base = Bright()
    last = follow(TemporalAttention(base), clip(lambda t: with_square(ONE, 0.2 if t < 0.59 else 0.3, 0.5), 1.8))[-1]
    assert base.looks == 3, "at 0, 0.4 and, of what came at 0.6, at 0.8 s"
    assert mass(last, 0.25, 0.4) > mass(last, 0.1, 0.25)


def test_each_shot_and_each_sudden_change_is_looked_at_at_once() -> None:
    cut, sudden = Bright(), Bright()
    follow(TemporalAttention(cut), clip(lambda t: LEFT if t < 0.19 else RIGHT, 0.4, cuts=(0.19,)))
    follow(TemporalAttention(sudden), clip(lambda t: LEFT if t < 0.19 else RIGHT, 0.4))
    assert (cut.looks, sudden.looks) == (2, 2)


# gaze


def test_where_only_the_camera_moves_looks_are_as_rare_as_ever() -> None:
    ground = 255 * (texture(7, width=3 * WIDTH) > 90).astype(np.uint8)

    def draw(t: float) -> np.ndarray:
        return ground[:, round(80 * t) :][:, :WIDTH]

    assert luma_change(to_luma(draw(0.0)), to_luma(draw(0.2))).mean() > 40, "as much as a cut"
    follow(TemporalAttention(base := Bright()), clip(draw, 4.0))
    assert 10 <= base.looks <= 13, "hardly more than at every other of the 20 samples"


def test_gaze_follows_a_change_within_a_shot_after_a_few_hundred_ms() -> None:
    """Fine samples: half of the gaze has followed a jump after 0.1-0.3 s, nearly all after 0.8 s."""
    jump = clip(lambda t: with_square(ONE, 0.25 if t < 1.99 else 0.75, 0.5), 4.0, fps=25)
    shares = np.array(
        [
            mass(d, 0.6, 0.9)
            for d in follow(
                steady(persistence_s=0.2, motion_gain=0.0, synchrony=1.0, agreement=0.0, centring_sd=50.0), jump
            )
        ]
    )
    early, late = shares[40:50].mean(), shares[-10:].mean()
    half = jump.t[np.argmax(shares > (early + late) / 2)] - 2.0
    assert 0.1 < half < 0.4
    assert shares[70] > early + 0.85 * (late - early)
    assert np.all(np.diff(shares[50:75]) > -1e-6)


def test_longer_persistence_follows_later() -> None:
    jump = clip(lambda t: with_square(ONE, 0.25 if t < 1.99 else 0.75, 0.5), 3.0)
    after = [mass(follow(steady(persistence_s=s), jump)[11], 0.6, 0.9) for s in (0.05, 0.2, 0.6)]
    assert after[0] > after[1] > after[2]


def test_gaze_stays_for_a_moment_after_a_cut_then_leaves_altogether() -> None:
    shots = clip(lambda t: LEFT if t < 1.99 else RIGHT, 4.0, fps=25, cuts=(1.99,))
    densities = follow(steady(), shots)
    before = mass(densities[49], 0, 0.3)
    left = np.array([mass(density, 0, 0.3) for density in densities])
    assert abs(left[51] - before) < 0.01
    assert left[60] < 0.2 * before  # 0.4 s
    assert mass(densities[75], 0.7, 1) > 4 * mass(densities[75], 0, 0.3)


def test_nothing_of_the_old_shot_lasts() -> None:
    """After 0.4 s a shot is seen the same whatever was before it."""
    after_left = follow(model(), clip(lambda t: LEFT if t < 1.99 else RIGHT, 4.0, cuts=(1.99,)))
    after_dark = follow(model(), clip(lambda t: ONE // 4 if t < 1.99 else RIGHT, 4.0, cuts=(1.99,)))
    assert np.abs(after_left[10] - after_dark[10]).max() > 1e-4
    for one, other in zip(after_left[13:], after_dark[13:], strict=True):
        assert np.array_equal(one, other)


def test_after_a_cut_gaze_goes_to_the_middle_first() -> None:
    shots = clip(lambda t: LEFT if t < 1.99 else RIGHT, 5.0, fps=25, cuts=(1.99,))
    closing, open_always = (steady(synchrony=1.0, agreement=0.0, recentring_sd=sd) for sd in (0.16, 50.0))
    middle, open_window = (
        np.array([mass(density, 0.3, 0.7, 0.2, 0.8) for density in follow(model, shots)])
        for model in (closing, open_always)
    )
    assert middle[57:61].mean() > 1.3 * middle[90:98].mean()  # 0.28-0.44 s after the cut, against 1.6-1.9 s
    assert middle[57:61].mean() > open_window[57:61].mean()
    assert abs(middle[-1] - open_window[-1]) < 1e-3


def test_before_a_medium_starts_viewers_look_at_the_middle() -> None:
    first = follow(model(), clip(lambda t: LEFT, 0.2, fps=25))[0]
    assert mass(first, 0.3, 0.7, 0.2, 0.8) > 0.8


def test_a_still_picture_goes_from_its_start_to_its_later_window() -> None:
    base = Bright()
    windows = base.predict(LEFT[None])[0]
    dynamics = GazeDynamics(recentring_sd=50.0)
    densities = follow(TemporalAttention(base, dynamics), clip(lambda t: LEFT, 6.0))
    late = (windows["end"] + windows["total"]) / 2
    assert correlation(densities[3], windows["start"]) > 0.97
    assert correlation(densities[-1], late) > 0.98
    assert correlation(densities[3], windows["end"]) < 0.5
    for density in densities[17:]:
        assert correlation(density, densities[-1]) > 0.99


def test_what_keeps_moving_is_not_explored() -> None:
    """Viewers of dynamic scenes go on agreeing where viewers of stills drift apart."""
    moving = follow(model(), clip(lambda t: with_square(ONE, 0.3 + 0.05 * t, 0.5), 5.0))
    still = follow(model(), clip(lambda t: with_square(ONE, 0.55, 0.5), 5.0))
    assert mass(moving[-1], 0.4, 0.7, 0.3, 0.7) > 1.3 * mass(still[-1], 0.4, 0.7, 0.3, 0.7)


def test_gaze_is_more_central_while_the_picture_moves() -> None:
    rolling = clip(lambda t: np.roll(ONE, round(-20 * t), axis=1), 2.0)
    one, open_window = follow(model(), rolling)[-1], follow(model(centring_sd=50.0), rolling)[-1]
    assert mass(one, 0.25, 0.75, 0.25, 0.75) > mass(open_window, 0.25, 0.75, 0.25, 0.75) + 0.05


def test_synchrony_sharpens() -> None:
    sharp, plain = (follow(model(synchrony=power), BUSY)[4] for power in (1.2, 1.0))
    assert (sharp.astype(np.float64) ** 2).sum() > 1.05 * (plain.astype(np.float64) ** 2).sum()
    assert correlation(sharp, plain) > 0.9


def test_the_prior_is_the_floor() -> None:
    for density in follow(model(prior_share=0.05), BUSY):
        assert np.all(density >= 0.049 * centre_prior(density.shape))  # type: ignore[arg-type]


# motion


def side_by_side(t: float) -> np.ndarray:
    """Two squares alike, left and right of the middle; the right one trembles by 4 px."""
    picture = with_square(ONE, 0.3, 0.5)
    return with_square(picture, 0.7 + 4 / WIDTH * (round(t * 5) % 2), 0.5)


def test_of_two_things_alike_the_one_that_moves_is_looked_at_more() -> None:
    densities = follow(model(), clip(side_by_side, 2.0))
    without = follow(model(motion_gain=0.0), clip(side_by_side, 2.0))
    ratio = [mass(d[-1], 0.6, 0.82, 0.3, 0.7) / mass(d[-1], 0.18, 0.4, 0.3, 0.7) for d in (densities, without)]
    assert abs(ratio[1] - 1) < 0.15
    assert 1.2 < ratio[0] / ratio[1] < 5


def test_motion_where_nobody_would_look_gains_little() -> None:
    """A dim patch in a corner trembles: it more than doubles nowhere, and takes little of all gaze."""

    def corner(t: float) -> np.ndarray:
        return with_square(with_square(ONE, 0.5, 0.5), 0.06 + 4 / WIDTH * (round(t * 5) % 2), 0.1, grey=60)

    on, off = (follow(model(motion_gain=gain), clip(corner, 2.0))[-1] for gain in (1.5, 0.0))
    assert 1.0 < mass(on, 0, 0.15, 0, 0.25) / mass(off, 0, 0.15, 0, 0.25) < 2.5
    assert mass(on, 0, 0.15, 0, 0.25) < 0.05


def noisy(t: float) -> np.ndarray:
    noise = np.random.default_rng(round(t * 1000)).normal(0, 6, LEFT.shape)
    return np.clip(LEFT + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    "draw",
    [
        noisy,
        lambda t: (LEFT * (0.4 + 0.1 * t)).astype(np.uint8),
        lambda t: (LEFT * (0.8 + 0.2 * (round(5 * t) % 2))).astype(np.uint8),
    ],
    ids=["noise", "fade", "flicker"],
)
def test_noise_fades_and_flicker_are_no_motion(draw) -> None:  # type: ignore[no-untyped-def]
    """They change gaze by less than a tenth of what a square does that trembles."""

    def worth(what) -> float:  # type: ignore[no-untyped-def]
        return kld(follow(model(), clip(what, 2.0))[-1], follow(model(motion_gain=0.0), clip(what, 2.0))[-1])

    assert worth(draw) < 0.1 * worth(side_by_side)


def pan(t: float) -> np.ndarray:
    """A camera that moves by a third of the picture in a second, past a square on a faint ground."""
    wide = with_square(texture(4, HEIGHT, 2 * WIDTH) // 3 + 60, 0.4, 0.5, grey=160)
    return np.ascontiguousarray(wide[:, round(60 * t) : round(60 * t) + WIDTH])


@pytest.mark.parametrize("persistence_s", [0.02, 1.0])
def test_gaze_goes_with_the_camera(persistence_s: float) -> None:
    """It stays with the thing and not with the place, between two looks, and however slowly it follows a change."""
    base = Bright()
    dynamics = GazeDynamics(persistence_s=persistence_s, motion_gain=0, centring_sd=50, prior_share=0, synchrony=2)
    panning = clip(pan, 1.8)
    densities = follow(TemporalAttention(base, dynamics), panning)
    assert base.looks == 5, "every other sample"
    for i, density in enumerate(densities[4:], 4):
        x = (0.4 * 2 * WIDTH - round(60 * panning.t[i])) / WIDTH
        columns = density[12:20].sum(axis=0, dtype=np.float64) - density[12:20].sum(axis=0).min()
        peak = columns > columns.max() / 2
        centre = (columns * peak * (np.arange(len(columns)) + 0.5)).sum() / (columns * peak).sum() / len(columns)
        assert abs(centre - x) < 0.025


def gentle(t: float) -> np.ndarray:
    """Two shots of 2.4 s; a thing that crosses a tenth of the picture in a second."""
    return with_square(ONE, 0.2 + 0.1 * t, 0.4) if t < 2.399 else with_square(TWO, 0.7 - 0.1 * (t - 2.4), 0.6)


@pytest.mark.parametrize("fps", [2.5, 12.5])
def test_sampling_rate_hardly_matters(fps: float) -> None:
    """At the same instants; but for the sample of a cut, which stands for another stretch of time after it."""
    usual, other = (clip(gentle, 4.8, fps=rate, cuts=(2.399,)) for rate in (5.0, fps))
    at_usual, at_other = follow(model(), usual), follow(model(), other)
    seen = []
    for i, t in enumerate(usual.t):
        near = np.flatnonzero(np.abs(other.t - t) < 1e-6)
        if len(near) and min(abs(t), abs(t - 2.4)) > 0.1:
            seen.append(correlation(at_usual[i], at_other[near[0]]))
    assert len(seen) >= 10
    assert min(seen) > 0.93
    assert np.mean(seen) > 0.97


def test_the_moment_of_a_cut_is_the_mean_over_the_sample_whatever_its_length() -> None:
    """The samples of 80 ms that make up 0.4 s after a cut say on average what one sample of 0.4 s says."""
    coarse, fine = (clip(lambda t: LEFT if t < 1.99 else RIGHT, 4.0, fps=fps, cuts=(1.99,)) for fps in (2.5, 12.5))
    one = follow(model(), coarse)[5]
    mean = np.mean(follow(model(), fine)[25:30], axis=0).astype(np.float32)
    assert correlation(one, mean) > 0.94


# constants in closed form


@pytest.mark.parametrize(("age", "seconds"), [(0.0, 0.2), (0.1, 0.5), (0.3, 0.02), (1.0, 3.0), (0.0, 5.0)])
def test_means_over_an_interval_are_those_of_many_instants(age: float, seconds: float) -> None:
    dynamics = GazeDynamics()
    instants = age + (np.arange(4000) + 0.5) / 4000 * seconds
    for share in (dynamics.staying_share, dynamics.explored_share):
        expected = np.mean([share(float(a), 0.0) for a in instants])
        assert abs(share(age, seconds) - expected) < 1e-4
    late = instants[instants >= dynamics.departs_s[0]]
    if len(late) == len(instants):
        expected = np.mean([dynamics.recentring_precision(float(a), 0.0) for a in late])
        assert abs(dynamics.recentring_precision(age, seconds) - expected) < 1e-3
    expected = np.mean([dynamics.lag_share(float(a), mean=False) for a in instants - age])
    assert abs(dynamics.lag_share(seconds, mean=True) - expected) < 1e-4


def test_the_window_is_a_gaussian_of_its_precision() -> None:
    narrow = centre_window((100, 200), 1 / 0.1**2).astype(np.float64)
    x = (np.arange(200) + 0.5) / 200
    share = narrow.sum(axis=0) / narrow.sum()
    assert abs((share * x).sum() - 0.5) < 1e-6
    assert abs(np.sqrt((share * (x - 0.5) ** 2).sum()) - 0.1) < 1e-3
    assert np.array_equal(centre_window((3, 4), 0.0), np.ones((3, 4), np.float32))


# the model that ships


def test_the_shipped_model_over_a_pan_and_a_cut() -> None:
    base = load_frame_predictor("attention", "cpu", threads=1)
    photos = [cv2.cvtColor(cv2.imread(str(PHOTOS / f"{name}.jpg")), cv2.COLOR_BGR2RGB) for name in ("cat", "coffee")]
    wide = [cv2.resize(photo, (448, 256), interpolation=cv2.INTER_AREA) for photo in photos]

    def draw(t: float) -> np.ndarray:
        return np.ascontiguousarray(wide[0][:, round(20 * t) : round(20 * t) + 384]) if t < 1.59 else wide[1][:, :384]

    shots = clip(draw, 4.0, cuts=(1.59,))
    densities = follow(TemporalAttention(base), shots)
    alone = base.predict(wide[1][None, :, :384])[0]
    assert correlation(densities[14], alone["start"]) > 0.9
    assert correlation(densities[7], base.predict(shots.frames[7][None])[0]["start"]) > 0.85
    assert correlation(densities[8], densities[7]) > 0.6, "in the first 0.2 s after the cut most look where they were"
