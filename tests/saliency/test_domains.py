"""Domains that a model tells apart, and the one that a user states, through every layer between."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from domain_onnx import DOMAINS, expected_density, probabilities, write_domain_model
from fake_gpu import pretend_cuda
from tiny_onnx import write_card, write_model

from mediaan import predict_densities, predict_density
from mediaan.errors import SetupError, UsageError
from mediaan.saliency import AttentionPredictor, TemporalAttention, load_frame_predictor, load_predictor, read_card
from mediaan.saliency.density_storage import encode_densities, read_densities
from mediaan.saliency.predictor import CalibratedPredictor, CentrePrior
from mediaan.types.densities import Densities
from mediaan.types.eye_tracking import Adjustment, Calibration

STATED = (None, *DOMAINS)


def frames(count: int = 2, seed: int = 0, shape: tuple[int, int] = (24, 36)) -> np.ndarray:
    """Noise whose channels differ in brightness, from frame to frame in another way."""
    random = np.random.default_rng(seed)
    gain = random.uniform(0.2, 1.0, (count, 1, 1, 3))
    return (random.integers(0, 256, (count, *shape, 3)) * gain).astype(np.uint8)


def assert_told(densities: Densities, frame: np.ndarray, domain: str | None) -> None:
    np.testing.assert_allclose(densities["total"], expected_density(frame, domain), rtol=1e-4)
    assert densities.domains is not None
    assert tuple(densities.domains) == DOMAINS
    told = probabilities(frame) if domain is None else [float(name == domain) for name in DOMAINS]
    np.testing.assert_allclose(list(densities.domains.values()), told, rtol=1e-5)
    assert densities.domain == (domain or DOMAINS[int(probabilities(frame).argmax())])


@pytest.mark.parametrize("domain", STATED)
@pytest.mark.parametrize(("dtype", "batch"), [("uint8", None), ("uint8", 1), ("float32", None)])
def test_a_stated_domain_alone_counts(tmp_path: Path, domain: str | None, dtype: str, batch: int | None) -> None:
    model = load_predictor(write_domain_model(tmp_path, dtype=dtype, batch=batch), "cpu")
    assert isinstance(model, AttentionPredictor)
    assert model.domains == DOMAINS
    for densities, frame in zip(model.predict(frames(), domain=domain), frames(), strict=True):
        assert_told(densities, frame, domain)


def test_the_frames_of_a_video_are_read_where_the_card_says_and_keep_their_domains(tmp_path: Path) -> None:
    """The cheaper tensor is the root of the maps; weights in half precision go with it."""
    card = write_domain_model(tmp_path, video_output="cheap")
    whole, cheap = load_predictor(card, "cpu"), load_frame_predictor(card, "cpu")
    for domain in STATED:
        for one, other in zip(
            whole.predict(frames(), domain=domain), cheap.predict(frames(), domain=domain), strict=True
        ):
            root = np.sqrt(one["total"].astype(np.float64))
            np.testing.assert_allclose(other["total"], root / root.sum(), rtol=1e-4)
            assert other.domains == pytest.approx(one.domains)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_other_stated_domains_never_share_a_batch(tmp_path: Path, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = pretend_cuda(monkeypatch, latency_s=0.002)
    model = load_predictor(write_domain_model(tmp_path, dtype=dtype), "cuda")
    given = [(frames(1, seed), STATED[seed % 4]) for seed in range(64)]
    found: list[Any] = [None] * len(given)

    def work(k: int) -> None:
        for i in range(k, len(given), 16):
            (found[i],) = model.predict(given[i][0], domain=given[i][1])

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for densities, (frame, domain) in zip(found, given, strict=True):
        assert_told(densities, frame[0], domain)
    assert max(opened[0].batch_sizes) > 1, "those of one domain do"


def test_a_domain_that_is_misspelt_is_named_with_the_nearest(tmp_path: Path) -> None:
    card = write_domain_model(tmp_path)
    predictor = load_predictor(card, "cpu")
    said = r"model channels knows no domain 'desing'; did you mean 'design'\? There are photo, ad, design"
    for ask in (
        lambda: predictor.predict(frames(), domain="desing"),
        lambda: TemporalAttention(predictor).start("desing"),
        lambda: predict_density(frames()[0], model=card, device="cpu", domain="desing"),
        lambda: list(predict_densities([tmp_path / "none.png"], model=card, device="cpu", domain="desing")),
    ):
        with pytest.raises(UsageError, match=said) as caught:
            ask()
        assert caught.value.code == "unknown_domain"
    with pytest.raises(UsageError, match=r"knows no domain 'zzz'; there are photo, ad, design$"):
        predictor.predict(frames(), domain="zzz")


def test_a_model_that_tells_none_apart_takes_none(tmp_path: Path) -> None:
    own = load_predictor(write_card(tmp_path, sha256=write_model(tmp_path / "tiny.onnx"), pixels=99), "cpu")
    for model in (own, CentrePrior()):
        assert model.domains == ()
        (densities,) = model.predict(frames(1))
        assert (densities.domains, densities.domain) == (None, None)
        with pytest.raises(UsageError, match=f"model {model.name} predicts the same for every domain") as caught:
            model.predict(frames(1), domain="ad")
        assert caught.value.code == "no_domains"


def test_a_calibration_keeps_domains(tmp_path: Path) -> None:
    model = load_predictor(write_domain_model(tmp_path), "cpu")
    made = {"source": "own.csv", "made_at": "", "mediaan": "0", "pictures": 9, "viewers": 9, "fixations": 99}
    own = Calibration("channels", model.sha256 or "", total=Adjustment(sharpness=2.0), **made)  # type: ignore[arg-type]
    calibrated = CalibratedPredictor(model, own)
    assert calibrated.domains == TemporalAttention(model, calibration=own).domains == DOMAINS
    for domain in STATED:
        (densities,) = calibrated.predict(frames(1), domain=domain)
        sharp = expected_density(frames(1)[0], domain) ** 2
        np.testing.assert_allclose(densities["total"], sharp / sharp.sum(), rtol=1e-3)
        assert densities.domains == model.predict(frames(1), domain=domain)[0].domains


def test_a_film_is_the_mean_over_its_seconds(tmp_path: Path) -> None:
    """Two shots, the second on display thrice as long; however the film is cut into calls."""
    model = TemporalAttention(load_predictor(write_domain_model(tmp_path), "cpu"))
    shown = np.repeat(frames(2, shape=(64, 96)), 2, axis=0)
    t, weight = np.array([0.0, 0.5, 1.0, 2.5]), np.array([0.5, 0.5, 1.5, 1.5])
    shot, fresh = np.array([0, 0, 1, 1], np.int32), np.array([True, False, True, False])
    expected = (probabilities(shown[0]) + 3 * probabilities(shown[2])) / 4
    for cuts in ([0, 4], [0, 1, 4], [0, 1, 2, 3, 4]):
        state = model.start()
        assert state.domains is None
        for i, j in pairwise(cuts):
            _, state = model.advance(state, shown[i:j], t[i:j], weight[i:j], shot[i:j], fresh[i:j])
        np.testing.assert_allclose([state.domains[name] for name in DOMAINS], expected, rtol=1e-5)


def test_a_stated_domain_holds_for_a_whole_film(tmp_path: Path) -> None:
    model = TemporalAttention(load_predictor(write_domain_model(tmp_path), "cpu"))
    shown, t = frames(3, shape=(64, 96)), np.arange(3) / 5
    shot, fresh = np.arange(3, dtype=np.int32), np.ones(3, np.bool_)
    found = {}
    for domain in STATED:
        found[domain], state = model.advance(model.start(domain), shown, t, np.full(3, 0.2), shot, fresh)
        if domain is not None:
            assert state.domains == {name: float(name == domain) for name in DOMAINS}
    for one, other in pairwise(STATED):
        assert all(not np.allclose(a, b, rtol=1e-3) for a, b in zip(found[one], found[other], strict=True))


def test_a_file_of_densities_keeps_domains(tmp_path: Path) -> None:
    told = Densities({"total": np.full((2, 2), 0.25, np.float32)}, domains={"photo": 0.75, "ad": 0.25})
    for densities in (told, Densities(told.maps)):
        (tmp_path / "density.npz").write_bytes(encode_densities(densities, {}))
        found, _ = read_densities(tmp_path / "density.npz")
        assert found.domains == densities.domains


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"domain_input": None}, "domains, domain_output and domain_input go together"),
        ({"domains": None}, "domains, domain_output and domain_input go together"),
        ({"domains": ["a", "b", "a"]}, "domains must differ"),
    ],
)
def test_a_card_that_does_not_hold_together(tmp_path: Path, keys: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        read_card(write_domain_model(tmp_path, **keys))
    assert caught.value.code == "bad_card"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"domain_input": "count"}, "wants an input 'counts' beside the image"),
        (dict.fromkeys(("domains", "domain_input", "domain_output")), "wants an input 'counts' beside the image"),
        ({"domain_output": "kinds"}, "has no output after the maps that is called 'kinds'; correct domain_output"),
        ({"domain_output": "map"}, "has no output after the maps that is called 'map'"),
        ({"domains": ["photo", "ad"]}, "the last axis must have 2 places"),
    ],
)
def test_a_model_that_is_not_what_its_card_says(tmp_path: Path, keys: dict[str, Any], said: str) -> None:
    with pytest.raises(SetupError, match=said) as caught:
        load_predictor(write_domain_model(tmp_path, **keys), "cpu")
    assert caught.value.code == "bad_card"


def test_an_output_that_holds_no_probabilities(tmp_path: Path) -> None:
    card = write_domain_model(tmp_path, video_output="cheap", domain_output="means")
    with pytest.raises(SetupError, match="its card promises a probability of each of photo, ad, design"):
        load_frame_predictor(card, "cpu").predict(frames(1))
