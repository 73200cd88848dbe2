"""Word vectors, and the judging of networks with and without them: on tiny made-up texts and pages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")

TRAINING = Path(__file__).parents[2] / "models" / "training"
sys.path[:0] = [str(TRAINING), str(TRAINING / "gpu")]

import layout  # noqa: E402
import text_layout  # noqa: E402
import torch  # noqa: E402
import words  # noqa: E402
from word_vectors import buckets_of, read_vectors  # noqa: E402

from mediaan.aoi.detection.line_features import PAIR_FEATURES  # noqa: E402

pytestmark = pytest.mark.full

EPOCHS = 60
NOUNS = ("coffee", "tea", "shoes", "hats", "cars", "trains", "beds", "lamps")
TEXTS = [f"{verb} {noun}" for verb in ("buy", "see", "our", "new") for noun in NOUNS]


@pytest.fixture
def vectors() -> np.ndarray:
    """Of each text the sum of what its two words stand for."""
    rng = np.random.default_rng(0)
    meaning = {word: rng.standard_normal(40) for text in TEXTS for word in text.split()}
    return np.array([sum(meaning[word] for word in text.split()) for text in TEXTS], np.float32)


def stop_after(calls: int) -> Callable[[float], None]:
    count = 0

    def hold(until: float) -> None:
        nonlocal count
        count += 1
        if count > calls:
            raise text_layout.OutOfTimeError

    return hold


def test_a_student_learns_and_goes_on_from_where_it_was_stopped(
    vectors: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    student, errors = words.fit(TEXTS, vectors, tmp_path / "at_once.pt", epochs=EPOCHS)
    assert errors[-1] < 0.7 * errors[0]
    with monkeypatch.context() as patch:
        patch.setattr(words, "hold", stop_after(EPOCHS // 2))
        with pytest.raises(text_layout.OutOfTimeError):
            words.fit(TEXTS, vectors, tmp_path / "stopped.pt", epochs=EPOCHS)
    again, repeated = words.fit(TEXTS, vectors, tmp_path / "stopped.pt", epochs=EPOCHS)
    assert repeated == errors
    for name, values in student.state_dict().items():
        assert torch.equal(again.state_dict()[name], values), name


def test_numpy_says_the_same_as_torch_but_for_the_steps_of_the_table(vectors: np.ndarray, tmp_path: Path) -> None:
    student, _ = words.fit(TEXTS, vectors, tmp_path / "student.pt", epochs=4)
    words.save(student, tmp_path / "words.npz")
    stored = read_vectors(tmp_path / "words.npz")
    some = [*TEXTS[:5], "Käse für 3,99 €", "限时优惠", "x"]
    with torch.no_grad():
        exact = student([buckets_of(text) for text in some]).numpy()
        assert stored(some) == pytest.approx(exact, abs=0.05 * float(np.abs(exact).max()))
        student.table.weight[:] = torch.from_numpy(stored.rows * stored.scale)
        assert stored(some) == pytest.approx(student([buckets_of(text) for text in some]).numpy(), abs=1e-5)
    assert np.isfinite(stored(["", "  "])).all()


def pages(count: int) -> list[text_layout.Page]:
    """Pages whose lines tell nothing by their shape, and everything by their words."""
    rng = np.random.default_rng(1)
    made = []
    for i in range(count):
        roles = rng.integers(0, 3, 6)
        texts = tuple(f"{('buy', 'see', 'our')[role]} {NOUNS[rng.integers(8)]}" for role in roles)
        pairs = rng.standard_normal((6, 6, len(PAIR_FEATURES)))
        links = np.where(np.eye(6) > 0, -1.0, roles[:, None] == roles)
        lines, objects = rng.standard_normal((6, 4)), np.zeros((6, 3))
        made.append(text_layout.Page(f"{i}.jpg", texts, lines, pairs, roles, links, objects, False))
    return made


def verbs(texts: Sequence[str]) -> np.ndarray:
    return np.array([[text.startswith(verb) for verb in ("buy", "see", "our")] for text in texts], float)


@pytest.fixture
def arms(monkeypatch: pytest.MonkeyPatch) -> dict[str, Sequence[text_layout.Page]]:
    small = text_layout.Recipe(layers=0, units=16, drop=0.0, epochs=15, rate=2e-2, seed=0)
    monkeypatch.setattr(layout, "RECIPES", (small, small._replace(layers=1, seed=1)))
    shape = pages(16)
    return {"shape": shape, "words": layout.with_words(shape, verbs)}


def test_a_page_is_judged_by_networks_that_were_not_fitted_to_it(
    arms: dict[str, Sequence[text_layout.Page]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds = {page.name: i % 3 - 1 for i, page in enumerate(arms["shape"])}
    fitted_to: list[set[str]] = []

    def fit(some: Sequence[text_layout.Page], *rest: object) -> tuple[text_layout.Network, text_layout.Scale]:
        fitted_to.append({page.name for page in some})
        return text_layout.fit(some, layout.RECIPES[0]._replace(epochs=1))

    monkeypatch.setattr(layout, "fit", fit)
    said = layout.cross_validate({"shape": arms["shape"]}, folds, [0], tmp_path)["shape"]
    of_fold = [{name for name, fold in folds.items() if fold == number} for number in (-1, 0, 1)]
    assert fitted_to == [of_fold[0] | of_fold[2], of_fold[0] | of_fold[1]]
    assert set(said) == of_fold[1] | of_fold[2]
