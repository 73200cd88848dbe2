"""Networks give opinions by folds only on pictures that they were not trained on."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "training"))

from corpus import Picture
from distil import networks_by_fold


def test_a_fold_is_asked_of_the_networks_that_were_not_trained_on_it() -> None:
    assert networks_by_fold([(0, 2), (1, 2), (0, 2), (0, 0)]) == (2, [[0, 2], [1]])
    assert networks_by_fold([(0, 0), (0, 0)]) == (0, [])


@pytest.mark.parametrize(
    ("left_out", "said"), [([(0, 3), (1, 3)], r"without fold \[2\] of 3"), ([(0, 2), (1, 3)], r"different --folds")]
)
def test_folds_that_do_not_fit_together_are_an_error(left_out: list[tuple[int, int]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        networks_by_fold(left_out)


def test_near_duplicates_are_in_one_fold_and_no_fold_is_empty() -> None:
    grey = np.zeros((1, 1, 3), np.uint8)
    pictures = [Picture("osie", f"{i}", grey, None, None, np.zeros(6), group=f"osie/{i // 2}") for i in range(80)]
    folds = [picture.fold(4) for picture in pictures]
    assert folds[0::2] == folds[1::2]
    assert set(folds) == {0, 1, 2, 3}
