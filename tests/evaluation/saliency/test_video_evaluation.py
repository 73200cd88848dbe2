import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from moving_spot import Blank, FakeSource, Oracle, circling, open_fake, samples, write_set

from mediaan.cli.commands.evaluate import clips_as_text
from mediaan.errors import MediumError, UsageError
from mediaan.evaluation.datasets.stimulus import GazeSet
from mediaan.evaluation.datasets.video_set import read_video_gaze_set
from mediaan.evaluation.saliency.metrics import auc_judd, cc, nss
from mediaan.evaluation.saliency.scores import METRICS
from mediaan.evaluation.saliency.tables import videos_table, write_table
from mediaan.evaluation.saliency.video_evaluation import LAGS_S, VideoEvaluation, VideoModel, evaluate_videos
from mediaan.media.limits import MediaLimits
from mediaan.media.source import Sampling
from mediaan.saliency.density import centre_prior, fixation_cells, fixation_density
from mediaan.types.media import ViewSpec


def run(video_set: GazeSet, model: VideoModel, lags_s: Sequence[float] = ()) -> VideoEvaluation:
    return evaluate_videos(model, Blank(), video_set, opener=open_fake, sampling=Sampling(fps=5), lags_s=lags_s)


@pytest.fixture(scope="module")
def video_set(tmp_path_factory: pytest.TempPathFactory) -> GazeSet:
    """Three clips in which eight viewers follow the same spot."""
    rng, folder = np.random.default_rng(7), tmp_path_factory.mktemp("spots")
    tables = [samples(name, rng) for name in ("a clip", "b", "c")]
    return read_video_gaze_set(write_set(folder, pd.concat(tables), ["a clip.mp4", "b.webm", "c.mov"]))


@pytest.fixture(scope="module")
def by_oracle(video_set: GazeSet) -> VideoEvaluation:
    return run(video_set, Oracle(), LAGS_S)


def expected_nss(model_sd: float, gaze_sd: float, half_s: float = 0.1) -> float:
    """For a Gaussian about the spot and gaze that is Gaussian about it, of a spot that moves on during the window.

    The mean of the density at the gaze is a Gaussian of both variances at the distance that the spot has gone; the mean
    over the frame is 1, that of the square 1 / (4π sd²).
    """
    variance = model_sd**2 + gaze_sd**2
    gone = np.hypot(*np.subtract([circling(1 + u) for u in np.linspace(-half_s, half_s, 1001)], circling(1)).T)
    at_gaze = np.mean(np.exp(-(gone**2) / (2 * variance)) / (2 * np.pi * variance))
    return float((at_gaze - 1) / np.sqrt(1 / (4 * np.pi * model_sd**2) - 1))


def test_the_oracle_reaches_the_nss_that_follows_from_its_gaussians(by_oracle: VideoEvaluation) -> None:
    assert by_oracle["nss"].model == pytest.approx(expected_nss(0.05, 0.03), rel=0.01)
    assert by_oracle["nss"].n == 3
    assert all(clip.n_instants == 20 for clip in by_oracle.clips)


def test_a_frame_wise_model_that_sees_nothing_is_scored_as_nothing(by_oracle: VideoEvaluation) -> None:
    assert by_oracle["nss"].frame_wise == 0
    assert by_oracle["auc_judd"].frame_wise == 0.5
    gain = by_oracle["nss"]
    assert gain.gain == pytest.approx(gain.model)
    assert gain.gain_lo <= gain.gain <= gain.gain_hi


def test_still_frames_are_predicted_once(video_set: GazeSet) -> None:
    frame_model = Blank()
    evaluate_videos(Oracle(), frame_model, video_set, opener=open_fake, sampling=Sampling())
    assert frame_model.calls == 3


@pytest.mark.parametrize("shift", [-0.2, 0.0, 0.3])
def test_the_lag_curve_peaks_where_the_gaze_is_shifted_to(video_set: GazeSet, shift: float) -> None:
    """A model that is ahead of the gaze by `shift` agrees with the gaze of that much later."""
    curve = run(video_set, Oracle(behind_s=-shift), LAGS_S).lag_curve
    assert curve.peak_s == pytest.approx(shift)
    assert curve.n == 3
    assert max(curve.nss) == pytest.approx(expected_nss(0.05, 0.03), rel=0.01)
    assert curve.to_dict()["peak_s"] == curve.peak_s


def test_clips_and_instants_count_alike_and_people_are_compared_at_one_instant(tmp_path: Path) -> None:
    """Two viewers, few samples, by the long way: only gaze within .1 s of an instant belongs to it."""
    rows = [
        ("a", "ann", 0.39, 0.30, 0.40),
        ("a", "ann", 0.41, 0.32, 0.40),
        ("a", "bob", 0.45, 0.35, 0.45),
        ("a", "bob", 0.55, 0.60, 0.60),
        ("a", "ann", 3.75, 0.10, 0.90),
        ("b", "bob", 0.05, 0.90, 0.10),
    ]
    table = pd.DataFrame(rows, columns=["video", "viewer", "t_s", "x", "y"])
    video_set = read_video_gaze_set(write_set(tmp_path, table, ["a.mp4", "b.mp4"]))
    evaluation = run(video_set, Oracle())
    first, second = evaluation.clips
    shape = (160, 160)
    # Instants with gaze: .4 (both viewers), .6 (bob at .55), 3.8 (ann).
    together = [("ann", [0.30, 0.32], [0.40, 0.40]), ("bob", [0.35], [0.45])]
    pairs = [
        (fixation_density(*other[1:], shape), fixation_cells(*one[1:], shape))
        for one, other in (together, together[::-1])
    ]
    assert first.n_instants == 3
    assert first.n_viewers == 2
    assert first.consistency.nss == pytest.approx(np.mean([nss(*pair) for pair in pairs]), abs=1e-3)
    assert first.consistency.auc_judd == pytest.approx(np.mean([auc_judd(*pair) for pair in pairs]), abs=1e-6)
    assert first.consistency.split_cc is None
    prior = centre_prior(shape)
    gazes = [([0.30, 0.32, 0.35], [0.40, 0.40, 0.45]), ([0.60], [0.60]), ([0.10], [0.90])]
    assert first.prior["nss"] == pytest.approx(np.mean([nss(prior, fixation_cells(*gaze, shape)) for gaze in gazes]))
    assert first.prior["cc"] == pytest.approx(np.mean([cc(prior, fixation_density(*gaze, shape)) for gaze in gazes]))
    assert second.n_instants == 1
    assert second.consistency.nss is None
    assert evaluation["nss"].prior == pytest.approx((first.prior["nss"] + second.prior["nss"]) / 2)


def test_the_centre_bias_is_the_gaze_on_the_other_clips(tmp_path: Path) -> None:
    """Everybody looks left in two clips and right in the third: the others foretell the first two, not the third."""
    rng = np.random.default_rng(0)

    def left(t: float) -> tuple[float, float]:
        return 0.25, 0.5

    def right(t: float) -> tuple[float, float]:
        return 0.75, 0.5

    tables = [samples("l1", rng, left), samples("l2", rng, left), samples("r", rng, right)]
    video_set = read_video_gaze_set(write_set(tmp_path, pd.concat(tables), ["l1.mp4", "l2.mp4", "r.mp4"]))
    first, second, third = run(video_set, Oracle()).clips
    assert first.centre["nss"] > 2
    assert second.centre["nss"] > 2
    assert third.centre["nss"] < 0
    assert third.centre["auc_judd"] < 0.6


def test_a_lone_clip_has_the_prior_for_centre_bias(video_set: GazeSet) -> None:
    lone = GazeSet(video_set.folder, "total", video_set.stimuli[:1], frozenset(["a clip"]), ())
    evaluation = run(lone, Oracle())
    assert evaluation.clips[0].centre == evaluation.clips[0].prior
    assert evaluation.centre_blur is None
    assert evaluation["nss"].lo is None
    assert evaluation["nss"].gain_lo is None
    assert evaluation["shuffled_auc"].model is None
    assert "fixed prior stands in" in evaluation.notes[0]
    assert "a clip" in clips_as_text(evaluation)
    json.dumps(evaluation.to_dict(), allow_nan=False)


def test_fixations_count_at_every_instant_that_they_last_into(tmp_path: Path) -> None:
    rows = [("a", 1, 0.15, 0.25, 0.5, 0.5), ("a", 1, 3.0, 0.0, 0.2, 0.2)]
    table = pd.DataFrame(rows, columns=["video", "viewer", "t_s", "duration_s", "x", "y"])
    clip = read_video_gaze_set(write_set(tmp_path, table, ["a.mp4"])).stimuli[0]
    assert [i for i in range(20) if clip.at(i / 5, 0.2)] == [1, 2, 15]  # .15 to .40: [.1, .3) and [.3, .5)
    table.loc[0, "duration_s"] = 0.76
    clip = read_video_gaze_set(write_set(tmp_path, table, ["a.mp4"])).stimuli[0]
    assert [i for i in range(20) if clip.at(i / 5, 0.2)] == [1, 2, 3, 4, 5, 15]  # to .91: [.9, 1.1), too


def test_every_sample_belongs_to_one_instant(video_set: GazeSet) -> None:
    """The edges of neighbours agree to the microsecond, also where float64 does not: .2 + .1 and .4 - .1."""
    t = np.round(np.arange(0, 400) / 100, 6)
    table = pd.DataFrame({"video": "a", "viewer": 0, "t_s": t, "x": 0.5, "y": 0.5})
    clip = read_video_gaze_set(write_set(video_set.folder / "edges", table, ["a.mp4"])).stimuli[0]
    counts = [gaze.x.size for i in range(20) if (gaze := clip.at(i / 5, 0.2))]
    assert counts == [10] + [20] * 19


def test_gaze_after_the_end_is_noted_and_gaze_that_never_meets_the_clip_is_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    late = samples("a", rng).assign(t_s=lambda f: f["t_s"] * 4)
    video_set = read_video_gaze_set(write_set(tmp_path, late, ["a.mp4"]))
    assert "most of the gaze on 1 clips ('a' ...) lies after their end" in run(video_set, Oracle()).notes[1]
    never = late.assign(t_s=lambda f: f["t_s"] * 1000 + 5000)
    with pytest.raises(UsageError, match=r"no gaze while it plays.*seconds from the first frame"):
        run(read_video_gaze_set(write_set(tmp_path, never, ["a.mp4"])), Oracle())


def test_a_clip_that_cannot_be_read_is_named(video_set: GazeSet) -> None:
    def refuse(path: Path, views: Sequence[ViewSpec], limits: MediaLimits, sampling: Sampling) -> FakeSource:
        raise MediumError(f"{path.name}: is damaged", code="decode_failed")

    with pytest.raises(UsageError, match=r"a clip\.mp4: is damaged; mend the video or leave it out by --pictures"):
        evaluate_videos(Oracle(), Blank(), video_set, opener=refuse, sampling=Sampling())


def test_the_table_holds_what_the_summary_averages(by_oracle: VideoEvaluation, tmp_path: Path) -> None:
    write_table(videos_table(by_oracle), tmp_path / "clips.parquet")
    table = pq.read_table(tmp_path / "clips.parquet")
    assert table.schema.equals(videos_table(by_oracle).schema)
    frame = table.to_pandas()
    assert frame["video"].tolist() == ["a clip", "b", "c"]
    assert (frame["n_viewers"] == 8).all()
    for metric in METRICS:
        assert frame[f"model_{metric}"].mean() == pytest.approx(by_oracle[metric].model)
        assert frame[f"frame_wise_{metric}"].mean() == pytest.approx(by_oracle[metric].frame_wise)
    assert frame["one_vs_others_nss"].mean() == pytest.approx(by_oracle["nss"].one_vs_others)
    assert frame["split_half_cc"].mean() == pytest.approx(by_oracle["cc"].split_half)
