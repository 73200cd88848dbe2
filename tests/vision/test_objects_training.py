"""What the detector is told while it is trained: cells that learn, zones in which nothing is learned, losses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")
import torch

sys.path.append(str(Path(__file__).resolve().parents[2] / "models" / "training" / "objects"))
from assign import assign, iou, may_learn
from detector import TYPES, Detector, grid
from loss import Truth, giou, loss, unknown

PRODUCT, LOGO = TYPES.index("product"), TYPES.index("logo")
NONE = torch.zeros(0, 4), torch.zeros(0, dtype=torch.int64)


def told(boxes: list[list[float]], kinds: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4), torch.tensor(kinds, dtype=torch.int64)


def flat(at: torch.Tensor, strides: torch.Tensor) -> torch.Tensor:
    """Boxes of four strides around every cell, for every type: what the network says to begin with."""
    sides = (2 * strides)[:, None]
    return torch.cat([at - sides, at + sides], 1)[:, None].repeat(1, len(TYPES), 1)


def test_overlaps_by_hand() -> None:
    one, other = torch.tensor([[0.0, 0, 2, 1]]), torch.tensor([[1.0, 0, 3, 1]])
    assert iou(one, other).item() == pytest.approx(1 / 3)
    assert giou(one, other).item() == pytest.approx(1 / 3)  # the hull is the union
    apart = torch.tensor([[3.0, 0, 4, 1]])
    assert giou(one, apart).item() == pytest.approx(0 - 1 / 4)  # of a hull of 4, 1 is empty


def test_cells_that_learn_lie_in_the_middle_of_their_object_at_its_scale() -> None:
    at, strides = grid(128, 128)
    objects, kinds = told([[32, 32, 96, 96], [4, 4, 8, 8]], [PRODUCT, LOGO])
    target, corners = assign(torch.full((len(at), len(TYPES)), 0.01), flat(at, strides), objects, kinds, at, strides)
    learns = target[:, PRODUCT] > 0
    assert 10 <= learns.sum() <= 12  # ten, and those that tie with the tenth
    assert set(strides[learns].tolist()) == {16.0}, "a box of 64 px is that of four strides of 16"
    assert ((at[learns] > 32) & (at[learns] < 96)).all()
    assert (corners[learns, PRODUCT] == objects[0]).all()
    tiny = (target[:, LOGO] > 0).nonzero()[:, 0]
    assert at[tiny].tolist() == [[4.0, 4.0]], "an object between the cells' middles has its nearest cell"
    assert not (target[:, [k for k in range(len(TYPES)) if k not in (PRODUCT, LOGO)]] > 0).any()


def test_an_object_smaller_than_a_cell_is_not_lost() -> None:
    at, strides = grid(64, 64)
    objects, _ = told([[9, 9, 11, 11]], [LOGO])
    allowed = may_learn(objects, at, strides)
    assert at[allowed[0]].tolist() == [[12.0, 12.0]]


def test_nothing_is_learned_in_a_zone() -> None:
    """Without objects, a picture that is a zone for all types has no loss, and confident cells outside cost."""
    at, strides = grid(64, 64)
    logits = torch.full((1, len(at), len(TYPES)), 2.0)
    boxes = flat(at, strides)[None]
    everywhere = told([[0, 0, 64, 64]] * len(TYPES), list(range(len(TYPES))))
    assert loss(logits, boxes, [Truth(*NONE, *everywhere)], at, strides)["score"] == 0
    half = Truth(*NONE, *told([[0, 0, 32, 64]], [LOGO]))
    silent = unknown(half, at)
    assert (silent[:, LOGO] == (at[:, 0] <= 32)).all()
    assert not silent[:, PRODUCT].any()
    assert loss(logits, boxes, [half], at, strides)["score"] > 0


def test_a_network_that_is_right_pays_less() -> None:
    at, strides = grid(128, 128)
    objects, kinds = told([[32, 32, 96, 96]], [PRODUCT])
    truth = Truth(objects, kinds, *NONE)
    wrong = torch.full((1, len(at), len(TYPES)), -4.0)
    boxes = flat(at, strides)[None]
    target = assign(wrong[0].sigmoid(), boxes[0], objects, kinds, at, strides)
    right = torch.where(target.score > 0, 4.0, -4.0)[None]
    exact = torch.where((target.score > 0)[..., None], target.box, boxes[0])[None]
    before, after = (loss(s, b, [truth], at, strides) for s, b in ((wrong, boxes), (right, exact)))
    assert after["score"] < before["score"]
    assert after["box"] < 1e-5 < before["box"]


def test_the_network_answers_for_every_cell() -> None:
    """And the order of its cells is that of the grid: boxes start as four strides around them."""
    net = Detector().eval()
    with torch.no_grad():
        logits, boxes = net(torch.zeros(2, 3, 96, 160))
    at, strides = grid(96, 160)
    assert logits.shape == (2, len(at), len(TYPES))
    middle = (boxes[..., :2] + boxes[..., 2:]) / 2
    assert ((middle - at[None, :, None]).abs() < strides[None, :, None, None]).all()
