"""Checkpoint to ONNX and a card: `python to_onnx.py CHECKPOINT... OUT.onnx [--data DIR]`.

The graph takes pixels as they are and returns the likeliest boxes of each type; overlaps are merged outside, as the
card says. There also stands what turns scores into probabilities of being right (Platt 1999), fitted by type on dev.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from architecture import Config, Detector, load
from torch import Tensor, nn

from export import OPSET, fold_padding  # of the attention network  # isort: skip

MOST = 60  # boxes of a type
AREA = 196_608
LARGE = 256  # numbers in a tensor, from which it is kept in half precision


class Exported(nn.Module):
    """uint8 pixels in; (N, types * MOST) boxes, scores and labels out.

    A label is the index of a type; of a logo that is on a product, where the network tells, the number of types.
    """

    def __init__(self, net: Detector) -> None:
        super().__init__()
        self.net = net
        self.types = len(net.config.types)
        self.logo = net.config.types.index("logo")

    def forward(self, rgb: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, boxes, on_pack = self.net(rgb.permute(0, 3, 1, 2).float())
        # a small picture has fewer cells than are asked for: cells that never speak
        logits = torch.cat([logits, torch.full((1, MOST, self.types), -20.0).expand(logits.shape[0], -1, -1)], 1)
        boxes = torch.cat([boxes, torch.zeros(1, MOST, self.types, 4).expand(boxes.shape[0], -1, -1, -1)], 1)
        best, at = logits.transpose(1, 2).topk(MOST, 2)
        chosen = boxes.transpose(1, 2).gather(2, at[..., None].expand(-1, -1, -1, 4)).flatten(1, 2)
        scores = best.sigmoid().flatten(1, 2)
        labels = torch.arange(self.types)[:, None].expand(-1, MOST).flatten().to(torch.int32)
        labels = labels + torch.zeros_like(scores, dtype=torch.int32)
        if on_pack is not None:
            on_pack = torch.cat([on_pack, torch.zeros(1, MOST).expand(on_pack.shape[0], -1)], 1)
            higher = (on_pack.gather(1, at[:, self.logo]) > 0).to(torch.int32) * (self.types - self.logo)
            first = self.logo * MOST
            labels = torch.cat(
                [labels[:, :first], labels[:, first : first + MOST] + higher, labels[:, first + MOST :]], 1
            )
        return chosen, scores, labels


def export(net: Detector, out: Path) -> None:
    """Write a network as ONNX with dynamic batch, height and width."""
    model = Exported(net).eval()
    axes = {"rgb": {0: "n", 1: "height", 2: "width"}, **{name: {0: "n"} for name in ("boxes", "scores", "labels")}}
    torch.onnx.export(
        model, (torch.zeros(2, 128, 192, 3, dtype=torch.uint8),), str(out), dynamo=False, opset_version=OPSET,
        input_names=["rgb"], output_names=["boxes", "scores", "labels"], dynamic_axes=axes,
    )  # fmt: skip
    graph = onnx.load(out)
    fold_padding(graph.graph)
    store_halves(graph.graph)
    onnx.checker.check_model(graph, full_check=True)
    onnx.save(graph, out)
    _agrees(model, out)


def store_halves(graph: onnx.GraphProto) -> None:
    """Keep large weights as float16 and widen them on loading: half the file, the same speed."""
    for weights in [w for w in graph.initializer if w.data_type == onnx.TensorProto.FLOAT and np.prod(w.dims) >= LARGE]:
        values, name = onnx.numpy_helper.to_array(weights), weights.name
        weights.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}_half"))
        cast = onnx.helper.make_node("Cast", [f"{name}_half"], [name], to=onnx.TensorProto.FLOAT)
        graph.node.insert(0, cast)


def _agrees(model: Exported, out: Path) -> None:
    session = ort.InferenceSession(out.read_bytes(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    for shape in ((1, 384, 512, 3), (3, 512, 384, 3), (1, 192, 1024, 3), (2, 32, 32, 3)):
        rgb = rng.integers(0, 256, shape, dtype=np.uint8)
        with torch.no_grad():
            expected = [part.numpy() for part in model(torch.from_numpy(rgb))]
        got = session.run(None, {"rgb": rgb})
        worst = float(np.abs(np.sort(got[1]) - np.sort(expected[1])).max())
        assert worst < 0.01, f"ONNX and torch differ by {worst:.1e} at {shape}"


def write_card(out: Path, config: Config, calibration: dict[str, tuple[float, float]], area: int) -> None:
    """A card beside the file; what it says goes into `models/manifest.toml`."""
    sha256 = hashlib.sha256(out.read_bytes()).hexdigest()
    labels = list(enumerate(config.types))
    labels += [(len(config.types), "logo")] if config.on_pack else []
    classes = ", ".join(f'"{i}" = "{kind}"' for i, kind in labels)
    meant = ", ".join(f"{kind} = [{slope:.3f}, {shift:.3f}]" for kind, (slope, shift) in calibration.items())
    out.with_suffix(".toml").write_text(
        f'kind = "detector"\nfile = "{out.name}"\nsha256 = "{sha256}"\npixels = {area}\nmultiple = 32\n'
        f'outputs = ["boxes", "scores", "labels"]\nclasses = {{ {classes} }}\nconfidence = {0.05 if meant else 0.02}\n'
        f'overlap = 0.8\noverlaps = "merge"\ncalibration = {{ {meant} }}\n'
    )
    print(f"{out}: {out.stat().st_size / 1e6:.2f} MB, sha256 {sha256}, calibration {meant}")


def calibrate(card: Path, data: Path) -> dict[str, tuple[float, float]]:
    """Slope and shift of the log-odds by type, fitted on the modern designs of dev."""
    from score import by_port, modern, tallies

    from mediaan.vision.objects.detector import load_detector

    detect = by_port(load_detector(card, "cpu", threads=1))
    scores = tallies(detect, modern("dev", data / "ads" / "images"))
    return {kind: platt(np.array(t.confidence), np.array(t.right)) for kind, t in scores.items() if any(t.right)}


def platt(confidence: np.ndarray, right: np.ndarray, rounds: int = 100) -> tuple[float, float]:
    """Maximum likelihood by Newton's method, with Platt's softened targets; slope at least 0.2."""
    z = np.log(confidence.clip(1e-4, 1 - 1e-4)) - np.log1p(-confidence.clip(1e-4, 1 - 1e-4))
    wins = right.sum()
    target = np.where(right, (wins + 1) / (wins + 2), 1 / (len(right) - wins + 2))
    x, w = np.column_stack([z, np.ones_like(z)]), np.array([1.0, 0.0])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-(x @ w)))
        slope = x.T @ (p - target) + 1e-3 * (w - [1.0, 0.0])
        bend = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2)
        w = w - np.linalg.solve(bend, slope)
    return max(0.2, float(w[0])), float(w[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+", help="one run, or runs that began from one another")
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="calibrate on the drawn boxes of dev; folder with ads/images")
    parser.add_argument("--area", type=int, default=AREA, help="px² at which pictures are shown")
    args = parser.parse_args()
    torch.set_num_threads(1)
    net = load(*args.checkpoints)
    export(net, args.out)
    write_card(args.out, net.config, {}, args.area)
    if args.data:
        write_card(args.out, net.config, calibrate(args.out.with_suffix(".toml"), args.data), args.area)


if __name__ == "__main__":
    main()
