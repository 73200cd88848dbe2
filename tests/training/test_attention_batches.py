"""What the attention network is taught beside attention: boxes move with the picture that they are drawn on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")

TRAINING = Path(__file__).parents[2] / "models" / "training"
sys.path.insert(0, str(TRAINING))

from batches import collate  # noqa: E402
from corpus import Picture, _objects  # noqa: E402
from network import DOMAINS, OBJECTS  # noqa: E402

RED, SIZE = (255, 0, 0), (320, 320)


def picture_of(box: tuple[float, float, float, float], *, there: float, kind: str = "product") -> Picture:
    """A black picture with a red rectangle that is a box of `kind`."""
    rgb = np.zeros((*SIZE, 3), np.uint8)
    x0, y0, x1, y1 = (round(320 * edge) for edge in box)
    rgb[y0:y1, x0:x1] = RED
    objects = np.array([(OBJECTS.index(kind), *box, there)], np.float32)
    fixations = np.random.default_rng(0).uniform(0.4, 0.6, (40, 3)).astype(np.float32)
    return Picture("saleci", "one", rgb, fixations, None, np.eye(len(DOMAINS), dtype=np.float32)[3], objects=objects)


def test_boxes_stay_on_what_they_were_drawn_around_in_crops_and_mirror_images():
    picture = picture_of((0.1, 0.2, 0.4, 0.7), there=1.0)
    batch = collate([picture] * 24, SIZE, np.random.default_rng(1), crop=1.0, soft_weight=1.0)
    product = batch.objects[:, OBJECTS.index("product")] > 0.5
    red = batch.rgb[..., 0].astype(int) - batch.rgb[..., 2] > 60
    found = red.reshape(24, 40, 8, 40, 8).mean((2, 4)) > 0.5
    coloured = found.any((1, 2))  # not those whose colours were taken away
    assert coloured.sum() > 12
    agree = (product & found).sum((1, 2)) / (product | found).sum((1, 2))
    assert agree[coloured].min() > 0.85
    assert len({tuple(map(tuple, np.argwhere(each)[[0, -1]])) for each in product}) > 12  # they differ
    assert not batch.objects[:, 1:].any()


def test_what_is_undecided_or_not_drawn_is_not_known():
    undecided, unlabelled = picture_of((0, 0, 0.5, 1), there=0.0), picture_of((0, 0, 0.5, 1), there=1.0)
    unlabelled = Picture("saleci", "two", unlabelled.rgb, unlabelled.fixations, None, unlabelled.domain)
    batch = collate([undecided, unlabelled], SIZE, None, crop=0.0, soft_weight=1.0)
    assert (batch.objects[0, 0, :, :20] == -1).all()
    assert (batch.objects[0, 0, :, 20:] == 0).all()
    assert (batch.objects[1] == -1).all()


def test_boxes_of_the_labels_are_known_by_set_and_picture():
    drawn = _objects(TRAINING / "labels")
    marketplace = json.loads((TRAINING / "labels/saleci.json").read_text())
    of_them = {name for name in drawn if name.startswith("saleci/")}
    assert of_them == {f"saleci/{Path(name).stem}" for name in marketplace}
    products = sum(area["type"] == "product" for areas in marketplace.values() for area in areas)
    rows = np.concatenate([drawn[name] for name in of_them])
    assert ((rows[:, 0] == OBJECTS.index("product")) & (rows[:, 5] == 1)).sum() == products
    assert (rows[:, 1] <= rows[:, 3]).all()
    assert rows[:, 1:5].max() <= 1.0
