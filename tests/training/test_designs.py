"""The domain head fitted again: it learns what is true, keeps what it must, and writes nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

pytest.importorskip("torch", reason="models are made with mediaan[train]")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "models" / "training"))

import designs  # noqa: E402
from network import DOMAINS  # noqa: E402

MODEL = (ROOT / "models" / "attention.onnx").read_bytes()


def test_head_learns_designs_and_keeps_photographs():
    rng = np.random.default_rng(0)
    shipped = {designs.WEIGHT: np.zeros((6, 64), np.float32), designs.BIAS: np.zeros(6, np.float32)}
    truth = np.repeat(np.arange(6), 40)
    hidden = rng.normal(size=(240, 64))
    hidden[np.arange(240), truth] += 4
    taught = designs.Taught(hidden, np.eye(6)[truth], ["made/up"] * 240, np.arange(240) % designs.FOLDS)
    head = designs.fit_head(taught, shipped, 1e-3)
    told = designs.kinds_seen(head, hidden)
    assert (told[truth == DOMAINS.index("design")].argmax(1) == 2).mean() > 0.9
    assert (head[designs.WEIGHT][:3] == 0).all()
    held = designs.fit_head(taught, shipped, 1e6)
    assert np.abs(held[designs.WEIGHT]).max() < 1e-3


def test_readout_alone_says_what_the_model_says():
    rgb = np.random.default_rng(1).integers(0, 256, (1, 96, 128, 3), dtype=np.uint8)
    weight = np.ones((1, 4), np.float32)
    (density,) = designs.session_of(MODEL, "density").run(None, {"rgb": rgb, "domain_weight": weight})
    hidden, first, second = designs.session_of(MODEL, designs.HIDDEN, *designs.LOGITS).run(None, {"rgb": rgb})
    readout = designs.Readout(MODEL)
    viewed = designs.Viewed("gdi", hidden, (first, second), (density[0, designs.TOTAL],))
    assert readout.scores(viewed, readout.shipped) == pytest.approx([1.0], abs=1e-6)


def test_only_the_head_and_the_readout_of_designs_are_written(tmp_path):
    readout = designs.Readout(MODEL)
    sharper = designs.changed(readout.shipped, -0.5, 0.1)
    designs.write(MODEL, sharper, tmp_path / "model.onnx")
    before, after = onnx.ModelProto.FromString(MODEL), onnx.load(tmp_path / "model.onnx")
    moved = {old.name for old, new in zip(before.graph.initializer, after.graph.initializer, strict=True) if old != new}
    assert moved == {designs.SHARPNESS, designs.STRENGTH}
    assert before.graph.node == after.graph.node
    apart = sharper[designs.SHARPNESS] - readout.shipped[designs.SHARPNESS]
    assert apart == pytest.approx([-0.5 if domain == "design" else 0.0 for domain in DOMAINS])
