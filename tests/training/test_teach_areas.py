"""Shares of areas as a loss; the network read out of the file that ships says what the file says."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

torch = pytest.importorskip("torch", reason="models are made with mediaan[train]")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "models" / "training"))

import designs  # noqa: E402
import losses  # noqa: E402
import teach_areas  # noqa: E402

from mediaan.media.views import resize_to_view  # noqa: E402


def test_loss_is_of_the_ratio_of_shares_summed_over_pictures():
    areas = torch.zeros(2, 2, 4, 4)
    areas[0, 0, :2] = 1  # half of the first picture, a quarter of the second
    areas[1, 0, :1] = 1
    areas[1, 1] = 1
    uniform = torch.full((2, 4, 4), 1 / 16)
    shares = torch.tensor([[0.2, 0.0], [0.1, 0.5]])
    known = torch.tensor([[1.0, 0.0], [1.0, 0.0]])  # the second kind was not sought
    loss, sums = losses.share_loss(uniform, areas, shares, known, torch.zeros(2, 2))
    assert float(loss) == pytest.approx(np.log(0.75 / 0.3) ** 2, abs=1e-2)
    assert sums[:, 0].tolist() == pytest.approx([0.75 * losses.FADES, 0.3 * losses.FADES])
    again, _ = losses.share_loss(uniform, areas, 4 * shares, known, sums)
    assert float(again) < float(loss)


def test_network_read_from_the_file_says_what_the_file_says(tmp_path):
    model = (ROOT / "models" / "attention.onnx").read_bytes()
    path = tmp_path / "noise.png"
    cv2.imwrite(str(path), np.random.default_rng(0).integers(0, 256, (96, 128, 3), dtype=np.uint8))
    seen = teach_areas.Before(model).example(path)
    feed = {
        "rgb": resize_to_view(designs.picture(path), designs.VIEW)[None],
        "domain_weight": np.ones((1, 4), np.float32),
    }
    (density,) = designs.session_of(model, "density").run(None, feed)
    assert np.abs(seen.both.numpy() - density[0]).max() < 2e-3 * density.max()


def test_a_large_weight_is_written_as_the_file_keeps_it(tmp_path):
    model = (ROOT / "models" / "attention.onnx").read_bytes()
    name = "net.decoder.down.0.weight"
    designs.write(model, {name: np.ones((24, 48, 1, 1), np.float32)}, tmp_path / "model.onnx")
    pairs = zip(
        onnx.ModelProto.FromString(model).graph.initializer,
        onnx.load(tmp_path / "model.onnx").graph.initializer,
        strict=True,
    )
    (changed,) = (after for before, after in pairs if before != after)
    assert changed.name == f"{name}_half"
    assert (numpy_helper.to_array(changed) == np.float16(1)).all()
