import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from eye_lab import Brightness, look, make_pictures
from moving_spot import Blank, open_fake, samples, write_set

from mediaan.cli.commands.evaluate import evaluate, suite_as_markdown, suite_as_text
from mediaan.errors import UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval, stratified_bootstrap_interval
from mediaan.evaluation.datasets.image_set import read_gaze_set
from mediaan.evaluation.datasets.video_set import read_video_gaze_set
from mediaan.evaluation.saliency import inter_observer
from mediaan.evaluation.saliency import suite as suite_evaluation
from mediaan.evaluation.saliency.inter_observer import ConsistencyCache
from mediaan.evaluation.saliency.scores import METRICS, evaluate_predictor
from mediaan.evaluation.saliency.suite import (
    Suite,
    SuiteEvaluation,
    SuiteModel,
    SuiteRow,
    SuiteSet,
    evaluate_suite,
    read_suite,
)
from mediaan.evaluation.saliency.video_evaluation import CachedPredictor, evaluate_videos
from mediaan.media import Sampling
from mediaan.saliency import TemporalAttention
from mediaan.saliency.predictor import CentrePrior
from mediaan.types.eye_tracking import Adjustment

BRIGHT, PRIOR = SuiteModel(Brightness(), Brightness()), SuiteModel(CentrePrior(), CentrePrior())


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets of photographs that differ in size, and one of advertisements whose viewers are pooled."""
    data = tmp_path_factory.mktemp("data")
    for seed, (name, number) in enumerate({"street": 4, "beach": 6, "shop": 4}.items()):
        make_pictures(data / "gaze" / name, number)
        look(data / "gaze" / name, Adjustment(), viewers=6, seed=seed)
    pooled = pd.read_parquet(data / "gaze" / "shop" / "fixations.parquet").assign(viewer="pooled")
    pooled.to_parquet(data / "gaze" / "shop" / "fixations.parquet")
    return data


@pytest.fixture(scope="module")
def suite_file(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lists")
    (folder / "kept.txt").write_text("p00\np01.png\np03\n")
    (folder / "mine.toml").write_text(
        """
        [[set]]
        folder = "gaze/street"
        domain = "photo"
        pictures = "kept.txt"

        [[set]]
        folder = "gaze/beach"
        name = "sea"
        domain = "photo"
        without = "kept.txt"

        [[set]]
        folder = "gaze/shop"
        domain = "ad"
        """
    )
    return folder / "mine.toml"


@pytest.fixture(scope="module")
def evaluation(suite_file: Path, data: Path) -> SuiteEvaluation:
    return evaluate_suite(read_suite(suite_file, data), BRIGHT, PRIOR)


def test_folders_are_relative_to_the_data_and_lists_to_the_file(suite_file: Path, data: Path) -> None:
    suite = read_suite(suite_file, data)
    kept = suite_file.parent / "kept.txt"
    assert suite == Suite(
        "mine",
        (
            SuiteSet("street", "photo", data / "gaze/street", pictures=kept),
            SuiteSet("sea", "photo", data / "gaze/beach", without=kept),
            SuiteSet("shop", "ad", data / "gaze/shop"),
        ),
    )
    assert [one.name for one in suite.only(["shop"]).sets] == ["shop"]
    with pytest.raises(UsageError, match="no set 'beach'; it has street, sea, shop"):
        suite.only(["beach"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "set: Field required"),
        ("[[set]]\nfolder = 'street'", "set.0.domain: Field required"),
        ("[[set]]\nfolder = 'street'\ndomain = 'photo'\nlimit = 3", "set.0.limit: Extra inputs are not permitted"),
        ("[[set]]\nfolder = 'street'\ndomain = 'photo'\nwindows = ['middle']", "set.0.windows.0"),
        ("[[set]]\nfolder = 'road'\ndomain = 'photo'", "road, which does not exist; correct it, or name it by --data"),
        ("[[set]]\nfolder = 'street'\ndomain = 'photo'\npictures = 'no.txt'", "no.txt, which does not exist"),
        ("[[set]]\nfolder = 'street'\ndomain = 'photo'\n" * 2, "two sets named 'street'"),
        ("set = [", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_list_of_sets_is_said(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "street").mkdir()
    (tmp_path / "mine.toml").write_text(content)
    with pytest.raises(UsageError) as caught:
        read_suite(tmp_path / "mine.toml")
    assert said in caught.value.message
    assert "mine.toml" in caught.value.message


def test_a_row_is_what_the_set_alone_comes_to(evaluation: SuiteEvaluation, data: Path) -> None:
    assert [(row.name, row.domain, row.n) for row in evaluation.sets] == [
        ("street", "photo", 3),
        ("sea", "photo", 3),
        ("shop", "ad", 4),
    ]
    chosen = {"street": ["p00", "p01", "p03"], "beach": ["p02", "p04", "p05"]}
    for row, (folder, names) in zip(evaluation.sets, chosen.items(), strict=False):
        gaze_set = read_gaze_set(data / "gaze" / folder, names=names)
        ours, theirs = (evaluate_predictor(model.pictures, gaze_set) for model in (BRIGHT, PRIOR))
        for metric in METRICS:
            assert row.metrics[metric] == ours[metric]
            assert row.against[metric] == theirs[metric].model
            gains = [a.model[metric] - b.model[metric] for a, b in zip(ours.pictures, theirs.pictures, strict=True)]
            difference = row.differences[metric]
            assert difference.mean == pytest.approx(np.mean(gains))
            assert (difference.lo, difference.hi) == pytest.approx(bootstrap_interval(gains))


def test_the_mean_of_a_domain_counts_its_sets_the_same(evaluation: SuiteEvaluation) -> None:
    (photo,) = evaluation.domains  # there is one set of advertisements, which needs no mean
    assert (photo.name, photo.domain, photo.n) == ("mean", "photo", 6)
    first, second, _ = (row.metrics["nss"] for row in evaluation.sets)
    nss = photo.metrics["nss"]
    assert nss.model == pytest.approx((first.model + second.model) / 2)
    assert nss.centre == pytest.approx((first.centre + second.centre) / 2)
    assert nss.share == pytest.approx((nss.model - nss.centre) / (nss.ceiling - nss.centre))
    assert nss.lo < nss.model < nss.hi
    assert nss.hi - nss.lo < max(first.hi - first.lo, second.hi - second.lo)
    assert photo.differences["nss"].mean == pytest.approx(
        np.mean([row.differences["nss"].mean for row in evaluation.sets[:2]])
    )
    assert [row.name for row in evaluation.by_domain()] == ["street", "sea", "mean", "shop"]


def test_pooled_viewers_have_no_people_and_the_table_says_why(evaluation: SuiteEvaluation) -> None:
    shop = evaluation.sets[2]
    assert all(summary.ceiling is None and summary.share is None for summary in shop.metrics.values())
    for shown in (suite_as_text(evaluation), suite_as_markdown(evaluation)):
        assert "shop: what people reach is not known: viewers are pooled" in shown
        assert "street: what people reach" not in shown


def test_one_group_is_the_bootstrap_and_the_spread_of_several_is_that_of_their_mean() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, 200), rng.normal(5, 2, 50)
    assert stratified_bootstrap_interval([first]) == bootstrap_interval(first)
    lo, hi = stratified_bootstrap_interval([first, second])
    sd = np.sqrt(first.var() / 200 + second.var() / 50) / 2
    assert (hi - lo) / 2 == pytest.approx(1.96 * sd, rel=0.1)
    assert (hi + lo) / 2 == pytest.approx((first.mean() + second.mean()) / 2, abs=0.1 * sd)
    assert stratified_bootstrap_interval([first, [1.0]]) is None


def test_people_are_computed_once_whatever_the_model(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    street = Suite("one", (SuiteSet("street", "photo", data / "gaze/street"),))
    first = evaluate_suite(street, PRIOR, consistencies=ConsistencyCache(tmp_path))

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    with monkeypatch.context() as patch:
        patch.setattr(inter_observer, "observer_consistency", refuse)
        again = evaluate_suite(street, PRIOR, consistencies=ConsistencyCache(tmp_path))
        assert again.to_dict() == first.to_dict()
        changed = replace(street.sets[0], folder=data / "gaze/beach")
        with pytest.raises(AssertionError, match="computed again"):
            evaluate_suite(Suite("one", (changed,)), PRIOR, consistencies=ConsistencyCache(tmp_path))


def test_a_damaged_cache_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / inter_observer.FILE).write_text('{"version": 1, "ceilings": {"a": 3}}')
    with pytest.raises(UsageError, match=rf"{inter_observer.FILE} is damaged .* delete it"):
        ConsistencyCache(tmp_path)


def test_clips_join_the_table_over_time_and_frame_by_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite_evaluation, "open_medium", open_fake)
    rng = np.random.default_rng(1)
    folder = write_set(tmp_path / "film", pd.concat([samples(n, rng) for n in ("a", "b")]), ["a.mp4", "b.mp4"])
    blank = Blank()
    model, suite = SuiteModel(blank, blank), Suite("films", (SuiteSet("film", "film", folder),))
    (row,) = evaluate_suite(suite, model, model).sets
    alone = evaluate_videos(
        TemporalAttention(blank), blank, read_video_gaze_set(folder), opener=open_fake, sampling=Sampling()
    )
    assert row.medium == "clips"
    assert SuiteRow.from_dict(json.loads(json.dumps(row.to_dict()))).to_dict() == row.to_dict()
    assert row.n == 2
    for metric in METRICS:
        assert row.metrics[metric].model == alone[metric].model
        assert row.frame_wise[metric] == alone[metric].frame_wise
        assert row.differences[metric].mean == 0
    with pytest.raises(UsageError, match="take the window 'start' off"):
        evaluate_suite(Suite("films", (replace(suite.sets[0], windows=("start",)),)), model)


def test_a_frame_is_predicted_once_until_it_is_long_past() -> None:
    model = Blank()
    shared = CachedPredictor(model)
    frames = np.random.default_rng(0).integers(0, 256, (3, 8, 8, 3), dtype=np.uint8)
    first = shared.predict(frames)
    assert shared.predict(frames[[2, 0]]) == [first[2], first[0]]
    assert model.calls == 3
    for i in range(200):
        shared.predict(np.full((1, 8, 8, 3), i, np.uint8))
    shared.predict(frames[:1])
    assert model.calls == 3 + 200 + 1


def run(*arguments: str | Path) -> str:
    found = CliRunner().invoke(evaluate, [str(argument) for argument in arguments])
    if found.exception:
        raise found.exception
    return found.output


def test_the_command_scores_two_models_on_chosen_sets(suite_file: Path, data: Path, tmp_path: Path) -> None:
    both = ("--model", "centre-prior", "--against", "centre-prior", "--device", "cpu", "--cache", tmp_path)
    found = json.loads(run(suite_file, "--data", data, "--set", "street", "--set", "shop", *both, "--json"))
    assert [row["name"] for row in found["sets"]] == ["street", "shop"]
    assert found["sets"][0]["metrics"]["cc"]["difference"] == {"mean": 0.0, "lo": 0.0, "hi": 0.0}
    assert str(data) not in json.dumps(found)
    assert (tmp_path / inter_observer.FILE).is_file()
    shown = run(data / "gaze/street", *both, "--metrics", "sim", "--limit", "2")
    assert "street (2)" in shown
    assert "SIM" in shown
    assert "NSS" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("SUITE", "--window", "start"), "leave out --pictures and --window"),
        (("SUITE", "--lag"), "--lag applies only to one model on one DIR"),
        (("SUITE", "--json", "--markdown"), "leave one out"),
        (("SUITE", "--metrics", "auc"), "there is no metric 'auc'; choose from nss, cc"),
        (("DIR", "--markdown"), "--markdown applies only to a list of sets"),
        (("DIR", "--against", "centre-prior", "--set", "street"), "--data and --set apply only to a list of sets"),
    ],
)
def test_options_that_do_not_apply_are_refused(
    suite_file: Path, data: Path, arguments: tuple[str, ...], said: str
) -> None:
    places = {"SUITE": (suite_file, "--data", data), "DIR": (data / "gaze/street",)}
    with pytest.raises(UsageError, match=said):
        run(*places[arguments[0]], *arguments[1:])
