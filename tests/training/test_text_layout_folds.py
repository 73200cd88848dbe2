"""Networks are judged on pages that they were not fitted to: on tiny made-up pages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")

TRAINING = Path(__file__).parents[2] / "models" / "training"
sys.path[:0] = [str(TRAINING), str(TRAINING / "gpu")]

import layout  # noqa: E402
import text_layout  # noqa: E402

from mediaan.aoi.detection.line_features import PAIR_FEATURES  # noqa: E402

pytestmark = pytest.mark.full


def pages(count: int) -> list[text_layout.Page]:
    rng = np.random.default_rng(1)
    made = []
    for i in range(count):
        roles = rng.integers(0, 3, 6)
        pairs = rng.standard_normal((6, 6, len(PAIR_FEATURES)))
        links = np.where(np.eye(6) > 0, -1.0, roles[:, None] == roles)
        lines, objects = rng.standard_normal((6, 4)), np.zeros((6, 3))
        made.append(text_layout.Page(f"{i}.jpg", ("",) * 6, lines, pairs, roles, links, objects, False))
    return made


def test_a_page_is_judged_by_networks_that_were_not_fitted_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = text_layout.Recipe(layers=0, units=16, drop=0.0, epochs=1, rate=2e-2, seed=0)
    monkeypatch.setattr(layout, "RECIPES", (small,))
    some = pages(16)
    folds = {page.name: i % 3 - 1 for i, page in enumerate(some)}
    fitted_to: list[set[str]] = []

    def fit(some: Sequence[text_layout.Page], *rest: object) -> tuple[text_layout.Network, text_layout.Scale]:
        fitted_to.append({page.name for page in some})
        return text_layout.fit(some, small)

    monkeypatch.setattr(layout, "fit", fit)
    predictions = layout.cross_validate(some, folds, [0], tmp_path)
    of_fold = [{name for name, fold in folds.items() if fold == number} for number in (-1, 0, 1)]
    assert fitted_to == [of_fold[0] | of_fold[2], of_fold[0] | of_fold[1]]
    assert set(predictions) == of_fold[1] | of_fold[2]
