import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from PIL import Image
from scipy.stats import bootstrap as scipy_bootstrap

from mediaan.cli.commands.evaluate import evaluate, evaluation_as_text
from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.image_set import read_gaze_set
from mediaan.evaluation.datasets.stimulus import GazePoints, GazeSet, Stimulus
from mediaan.evaluation.saliency.gallery import extremes, write_gallery
from mediaan.evaluation.saliency.inter_observer import observer_consistency
from mediaan.evaluation.saliency.metrics import auc_judd, cc, nss, shuffled_auc
from mediaan.evaluation.saliency.scores import METRICS, evaluate_predictor
from mediaan.evaluation.saliency.tables import images_table
from mediaan.saliency.density import centre_prior, fixation_cells, fixation_density, normalise, uniform_density
from mediaan.saliency.predictor import CentrePrior
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import ViewSpec

OSIE = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "gaze" / "osie"


class Brightness:
    """Predicts that people look at what is bright."""

    name, sha256, device = "brightness", None, "cpu"
    domains: tuple[str, ...] = ()
    view = ViewSpec("attention", long_side=320, upscale=True)

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        return [Densities({"total": normalise(frame.mean(axis=2) + 0.01)}) for frame in frames]


class Uniform:
    """Predicts nothing."""

    name, sha256, device = "uniform", None, "cpu"
    domains: tuple[str, ...] = ()
    view = ViewSpec("attention", long_side=64)

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        return [Densities({"total": uniform_density(frames.shape[1:3])}) for _ in frames]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six black pictures; all eight viewers look about a spot that differs by picture, and the spot is bright."""
    folder, rng, rows = tmp_path_factory.mktemp("spots"), np.random.default_rng(5), []
    (folder / "images").mkdir()
    for number in range(6):
        spot = rng.uniform(0.2, 0.8, 2)
        for viewer in range(8):
            at = np.clip(spot + rng.normal(0, 0.03, (5, 2)), 0, 0.999)
            rows += [(f"p{number}", viewer, x, y, 0.3 * i) for i, (x, y) in enumerate(at)]
        glow = fixation_density([spot[0]], [spot[1]], (120, 160), sigma=0.04)
        Image.fromarray(np.rint(255 * glow / glow.max()).astype(np.uint8)).save(folder / "images" / f"p{number}.png")
    pd.DataFrame(rows, columns=["image", "viewer", "x", "y", "onset_s"]).to_parquet(folder / "fixations.parquet")
    return folder


@pytest.fixture(scope="module")
def gaze_set(folder: Path) -> GazeSet:
    return read_gaze_set(folder)


def test_a_good_model_reaches_people_and_a_blank_one_falls_below_the_centre(gaze_set: GazeSet) -> None:
    good, blank = evaluate_predictor(Brightness(), gaze_set), evaluate_predictor(Uniform(), gaze_set)
    for metric in ("nss", "cc", "auc_judd", "information_gain"):
        assert good[metric].share > 0.8
        assert blank[metric].share < 0.1, metric
        assert good[metric].lo <= good[metric].model <= good[metric].hi
    assert good["cc"].model > 0.95
    assert good["kld"].model < 0.2
    assert blank["nss"].model == 0
    assert blank["auc_judd"].model == 0.5
    assert blank["shuffled_auc"].model == 0.5


def test_the_share_is_the_place_between_centre_and_people(gaze_set: GazeSet) -> None:
    summary = evaluate_predictor(Brightness(), gaze_set)["nss"]
    assert summary.share == (summary.model - summary.centre) / (summary.one_vs_others - summary.centre)
    assert summary.ceiling == summary.one_vs_others


def test_no_ceiling_is_claimed_where_none_is_known(gaze_set: GazeSet) -> None:
    evaluation = evaluate_predictor(Uniform(), gaze_set)
    assert evaluation["sim"].share is None
    assert evaluation["kld"].share is None
    assert evaluation["kld"].one_vs_others is None
    assert evaluation["nss"].split_half is None


def test_a_window_that_the_model_lacks_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="does not predict the window 'start', only: total"):
        evaluate_predictor(Uniform(), read_gaze_set(folder, window="start"))


def gazed(viewer: list[int], x: list[float], y: list[float]) -> Stimulus:
    return Stimulus("p", Path("p.png"), (60, 80), GazePoints(np.array(viewer), np.array(x), np.array(y)))


def test_one_viewer_against_the_others_by_the_long_way() -> None:
    rng = np.random.default_rng(0)
    viewer, x, y = np.repeat(np.arange(5), 6), rng.beta(4, 4, 30), rng.beta(4, 4, 30)
    elsewhere, centre = rng.integers(4800, size=200), centre_prior((60, 80))
    ceiling = observer_consistency(gazed(viewer.tolist(), x.tolist(), y.tolist()), centre, elsewhere)
    expected = []
    for one in range(5):
        density = fixation_density(x[viewer != one], y[viewer != one], (60, 80))
        cells = fixation_cells(x[viewer == one], y[viewer == one], (60, 80))
        p, c = density.ravel()[cells].astype(float), centre.ravel()[cells].astype(float)
        gain = np.log2((0.9 * p + 0.1 * c) / c).mean()
        expected.append((nss(density, cells), auc_judd(density, cells), shuffled_auc(density, cells, elsewhere), gain))
    actual = (ceiling.nss, ceiling.auc_judd, ceiling.shuffled_auc, ceiling.gains[3])
    assert actual == pytest.approx(np.mean(expected, axis=0), abs=1e-4)


def test_viewers_who_agree_wholly_reach_everything() -> None:
    ceiling = observer_consistency(gazed([0, 1, 2, 3], [0.3] * 4, [0.6] * 4), centre_prior((60, 80)), np.array([5]))
    assert ceiling.split_cc == pytest.approx(1)
    assert ceiling.split_sim == pytest.approx(1, abs=1e-6)
    assert ceiling.attainable_cc == pytest.approx(1)
    assert ceiling.auc_judd == 1


def test_too_few_viewers_have_no_ceiling() -> None:
    centre, none = centre_prior((60, 80)), np.empty(0, np.int64)
    alone = observer_consistency(gazed([0, 0], [0.1, 0.2], [0.1, 0.2]), centre, none)
    assert (alone.nss, alone.split_cc, alone.attainable_cc) == (None, None, None)
    three = observer_consistency(gazed([0, 1, 2], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), centre, none)
    assert three.nss is not None
    assert three.split_cc is None
    assert three.shuffled_auc is None


def test_a_perfect_model_reaches_the_attainable_cc() -> None:
    """Simulated viewers from a known density: its CC with theirs is what the split halves foretell."""
    shape, rng = (60, 80), np.random.default_rng(3)
    truth = fixation_density([0.2, 0.7, 0.5], [0.3, 0.6, 0.8], shape, sigma=0.05)
    foretold, reached = [], []
    for _ in range(12):
        cells = rng.choice(truth.size, 120, p=truth.ravel() / truth.sum(dtype=np.float64))
        x, y = (cells % 80 + 0.5) / 80, (cells // 80 + 0.5) / 60
        picture = gazed(np.repeat(np.arange(12), 10).tolist(), x.tolist(), y.tolist())
        foretold.append(observer_consistency(picture, centre_prior(shape), cells).attainable_cc)
        # The people's density is blurred, so the perfect model's is, too.
        reached.append(cc(blurred(truth), picture.truth()))
    assert np.mean(foretold) == pytest.approx(np.mean(reached), abs=0.01)


def blurred(density: np.ndarray) -> np.ndarray:
    from scipy.ndimage import gaussian_filter

    return gaussian_filter(density, 0.025 * max(density.shape), mode="reflect")


def test_bootstrap_agrees_with_scipy() -> None:
    values = np.random.default_rng(1).gamma(2, 1, 80)
    expected = scipy_bootstrap((values,), np.mean, method="percentile", n_resamples=9999, rng=2).confidence_interval
    assert bootstrap_interval(values) == pytest.approx((expected.low, expected.high), abs=0.02)


def test_the_table_holds_what_the_summary_averages(gaze_set: GazeSet) -> None:
    evaluation = evaluate_predictor(Brightness(), gaze_set)
    table = images_table(evaluation)
    frame = table.to_pandas()
    assert frame["image"].tolist() == [f"p{i}" for i in range(6)]
    assert (frame["n_viewers"] == 8).all()
    assert (frame["n_fixations"] == 40).all()
    for metric in METRICS:
        assert frame[f"model_{metric}"].mean() == pytest.approx(evaluation[metric].model)
    assert frame["one_vs_others_information_gain"].mean() == pytest.approx(evaluation["information_gain"].one_vs_others)
    assert table.field("model_kld").metadata[b"unit"] == b"nats"


def test_sets_of_densities_have_only_the_metrics_of_densities(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "images").symlink_to(folder / "images")
    (tmp_path / "densities").symlink_to(folder / "images")
    evaluation = evaluate_predictor(Brightness(), read_gaze_set(tmp_path))
    assert evaluation["cc"].model > 0.98
    assert evaluation["nss"].model is None
    assert evaluation["nss"].n == 0
    assert evaluation["information_gain"].lo is None
    assert evaluation.centre_mixture is None
    assert images_table(evaluation)["model_nss"].null_count == 6
    assert "NSS" in evaluation_as_text(evaluation)


def test_the_gallery_ranks_from_worst_to_best(gaze_set: GazeSet, tmp_path: Path) -> None:
    evaluation = evaluate_predictor(CentrePrior(), gaze_set)
    ranked = extremes(evaluation, "cc", 2)
    by_cc = sorted(evaluation.pictures, key=lambda scores: scores.model["cc"])
    assert [name for name, _ in ranked] == [s.name for s in by_cc[:2] + by_cc[-2:]]
    assert extremes(evaluation, "kld", 1)[0][1] == max(s.model["kld"] for s in evaluation.pictures)
    write_gallery(CentrePrior(), gaze_set, evaluation, tmp_path / "g.jpg", count=1)
    with Image.open(tmp_path / "g.jpg") as sheet:
        assert sheet.format == "JPEG"
        assert sheet.size == (3 * 320, 2 * (240 + 22))


def test_the_command_prints_json_and_writes_files(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "names").write_text("p1\np4.png\n")
    arguments = [str(folder), "--model", "centre-prior", "--pictures", str(tmp_path / "names"), "--json"]
    arguments += ["--out", str(tmp_path / "o.parquet"), "--gallery", str(tmp_path / "g.jpg")]
    outcome = CliRunner().invoke(evaluate, arguments, catch_exceptions=False)
    assert outcome.exit_code == 0
    result = json.loads(outcome.stdout)
    assert result["n_pictures"] == 2
    assert set(result["metrics"]) == set(METRICS)
    assert pq.read_table(tmp_path / "o.parquet")["image"].to_pylist() == ["p1", "p4"]
    assert (tmp_path / "g.jpg").stat().st_size > 0


def test_a_target_that_cannot_be_written_is_found_before_the_work(folder: Path, tmp_path: Path) -> None:
    arguments = [str(folder), "--model", "centre-prior", "--out", str(tmp_path / "missing" / "o.parquet")]
    outcome = CliRunner().invoke(evaluate, arguments)
    assert isinstance(outcome.exception, UsageError)
    assert "does not exist" in str(outcome.exception)


@pytest.mark.skipif(not OSIE.is_dir(), reason="the eye-tracking set OSIE is not beside the repository")
def test_people_and_centre_bias_on_osie() -> None:
    """Published and earlier figures: centre bias AUC .74-.80, NSS .88, CC .31; one viewer NSS 3.7, AUC .93."""
    names = [p.name for p in read_gaze_set(OSIE).stimuli[::25]]
    evaluation = evaluate_predictor(CentrePrior(), read_gaze_set(OSIE, names=names))
    assert 0.72 < evaluation["auc_judd"].centre < 0.80
    assert evaluation["nss"].centre == pytest.approx(0.88, abs=0.15)
    assert evaluation["cc"].centre == pytest.approx(0.31, abs=0.05)
    assert evaluation["nss"].one_vs_others == pytest.approx(3.7, abs=0.3)
    assert evaluation["auc_judd"].one_vs_others == pytest.approx(0.93, abs=0.015)
    assert evaluation["shuffled_auc"].centre == pytest.approx(0.5, abs=0.05)
