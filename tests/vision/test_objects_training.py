"""What the detector is told while it is trained: cells that learn, zones in which nothing is learned, losses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")
import torch

sys.path.append(str(Path(__file__).resolve().parents[2] / "models" / "training" / "objects"))
from architecture import TYPES, Output, grid
from assign import assign, may_learn
from loss import Truth, loss, unknown

PRODUCT, LOGO = TYPES.index("product"), TYPES.index("logo")

Rows = list[tuple[int, list[float]]]  # type and corners


def told(*pictures: tuple[Rows, Rows], on_pack: float = -1.0) -> Truth:
    """Objects and zones of each picture, filled up with type -1."""

    def filled(rows: list[Rows]) -> tuple[torch.Tensor, torch.Tensor]:
        most = max(map(len, rows))
        padded = [[*r, *[(-1, [0.0] * 4)] * (most - len(r))] for r in rows]
        corners = torch.tensor([[box for _, box in r] for r in padded], dtype=torch.float32)
        return corners.reshape(len(rows), most, 4), torch.tensor([[kind for kind, _ in r] for r in padded]).long()

    objects, types = filled([objects for objects, _ in pictures])
    zones = filled([zones for _, zones in pictures])
    return Truth(objects, types, *zones, torch.where(types == LOGO, on_pack, -1.0))


def flat(at: torch.Tensor, strides: torch.Tensor) -> torch.Tensor:
    """Boxes of four strides around every cell, for every type: what the network says to begin with."""
    sides = (2 * strides)[:, None]
    return torch.cat([at - sides, at + sides], 1)[None, :, None].repeat(1, 1, len(TYPES), 1)


def test_cells_that_learn_lie_in_the_middle_of_their_object_at_its_scale() -> None:
    at, strides = grid(128, 128)
    empty = ([], [])
    truth = told(empty, ([(PRODUCT, [32, 32, 96, 96]), (LOGO, [4, 4, 8, 8])], []))
    boxes = flat(at, strides).repeat(2, 1, 1, 1)
    target, owner = assign(torch.full((2, len(at), len(TYPES)), 0.01), boxes, truth.objects, truth.types, at, strides)
    assert not target[0].any(), "rows that fill up are no objects"
    learns = target[1, :, PRODUCT] > 0
    assert 10 <= learns.sum() <= 12  # ten, and those that tie with the tenth
    assert set(strides[learns].tolist()) == {16.0}, "a box of 64 px is that of four strides of 16"
    assert ((at[learns] > 32) & (at[learns] < 96)).all()
    assert (owner[1, learns, PRODUCT] == 0).all()
    tiny = target[1, :, LOGO] > 0
    assert at[tiny].tolist() == [[4.0, 4.0]], "an object between the cells' middles has its nearest cell"
    assert (owner[1, tiny, LOGO] == 1).all()
    assert not (target[..., [k for k in range(len(TYPES)) if k not in (PRODUCT, LOGO)]] > 0).any()


def test_of_two_objects_of_a_type_a_cell_learns_the_one_that_it_fits() -> None:
    at, strides = grid(128, 128)
    small, large = [48.0, 48, 80, 80], [16.0, 16, 112, 112]
    truth = told(([(PRODUCT, small), (PRODUCT, large)], []))
    target, owner = assign(
        torch.full((1, len(at), len(TYPES)), 0.5), flat(at, strides), truth.objects, truth.types, at, strides
    )
    learns = target[0, :, PRODUCT] > 0
    assert set(strides[learns & (owner[0, :, PRODUCT] == 0)].tolist()) == {8.0}
    assert set(strides[learns & (owner[0, :, PRODUCT] == 1)].tolist()) >= {16.0, 32.0}


def test_an_object_smaller_than_a_cell_is_not_lost() -> None:
    at, strides = grid(64, 64)
    allowed = may_learn(told(([(LOGO, [9, 9, 11, 11])], [])).objects, at, strides)
    assert at[allowed[0, 0]].tolist() == [[12.0, 12.0]]


def test_nothing_is_learned_in_a_zone() -> None:
    """Without objects, a picture that is a zone for all types has no loss, and confident cells outside cost."""
    at, strides = grid(64, 64)
    said = Output(torch.full((1, len(at), len(TYPES)), 2.0), flat(at, strides), None)
    everywhere = told(([], [(kind, [0.0, 0, 64, 64]) for kind in range(len(TYPES))]))
    assert loss(said, everywhere, at, strides)["score"] == 0
    half = told(([], [(LOGO, [0.0, 0, 32, 64])]))
    silent = unknown(half, at, len(TYPES))[0]
    assert (silent[:, LOGO] == (at[:, 0] <= 32)).all()
    assert not silent[:, PRODUCT].any()
    assert loss(said, half, at, strides)["score"] > 0


def test_a_network_that_is_right_pays_less() -> None:
    at, strides = grid(128, 128)
    truth = told(([(PRODUCT, [32.0, 32, 96, 96])], []))
    wrong = torch.full((1, len(at), len(TYPES)), -4.0)
    boxes = flat(at, strides)
    target = assign(wrong.sigmoid(), boxes, truth.objects, truth.types, at, strides).score > 0
    right = torch.where(target, 4.0, -4.0)
    exact = torch.where(target[..., None], truth.objects[0, 0], boxes)
    before, after = (loss(Output(s, b, None), truth, at, strides) for s, b in ((wrong, boxes), (right, exact)))
    assert after["score"] < before["score"]
    assert after["box"] < 1e-5 < before["box"]


@pytest.mark.parametrize(("on_pack", "said", "cheap"), [(1.0, 4.0, True), (0.0, 4.0, False), (-1.0, 4.0, True)])
def test_a_logo_is_told_to_be_on_a_product_where_that_is_known(on_pack: float, said: float, cheap: bool) -> None:
    at, strides = grid(128, 128)
    truth = told(([(LOGO, [32.0, 32, 96, 96]), (PRODUCT, [0.0, 0, 128, 128])], []), on_pack=on_pack)
    logits = torch.full((1, len(at), len(TYPES)), -1.0)
    told_so = loss(Output(logits, flat(at, strides), torch.full((1, len(at)), said)), truth, at, strides)["on_pack"]
    assert bool(told_so < 0.01) is cheap
