"""Checkpoint to ONNX, checked against torch: `python models/training/export.py CHECKPOINT OUT.onnx`."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
import torch.nn.functional as F
from network import AttentionNet
from torch import Tensor, nn

OPSET = 17


class Exported(nn.Module):
    """The network as it ships: uint8 pixels in, densities out.

    It looks twice and says the mean: at the picture as given, and at its mirror image at three quarters of the size.
    On dev that raised the CC by .006 to .010 over one look at 147,456 px² (models/attention.md, 'What was tried').
    """

    def __init__(self, net: AttentionNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, rgb: Tensor) -> Tensor:
        x = rgb.permute(0, 3, 1, 2).float()
        first = self.density(x)
        mirrored = F.interpolate(x.flip(3), size=(_smaller(x.shape[2]), _smaller(x.shape[3])), mode="bilinear")
        second = F.interpolate(self.density(mirrored), size=first.shape[2:], mode="bilinear").flip(3)
        return (first + second / second.sum((2, 3), keepdim=True)) / 2

    def density(self, x: Tensor) -> Tensor:
        logit = self.net.logits(x)
        return logit.flatten(2).softmax(2).reshape(logit.shape)


def _smaller(side: int) -> int:
    """Three quarters of a side, to the nearest multiple of 32, at least one."""
    return (side * 3 + 64) // 128 * 32


def export(checkpoint: Path, out: Path) -> None:
    """Write the averaged weights of `checkpoint` as ONNX with dynamic batch, height and width."""
    net = AttentionNet()
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["average"])
    model = Exported(net).eval()
    example = torch.zeros(2, 96, 128, 3, dtype=torch.uint8)
    axes = {"rgb": {0: "n", 1: "height", 2: "width"}, "density": {0: "n", 2: "h", 3: "w"}}
    torch.onnx.export(
        model, (example,), str(out), dynamo=False, opset_version=OPSET,
        input_names=["rgb"], output_names=["density"], dynamic_axes=axes,
    )  # fmt: skip
    graph = onnx.load(out)
    fold_padding(graph.graph)
    onnx.checker.check_model(graph, full_check=True)
    onnx.save(graph, out)
    session = ort.InferenceSession(out.read_bytes(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    for shape in ((1, 288, 384, 3), (3, 384, 288, 3), (1, 128, 864, 3)):
        rgb = rng.integers(0, 256, shape, dtype=np.uint8)
        with torch.no_grad():
            expected = model(torch.from_numpy(rgb)).numpy()
        got = session.run(None, {"rgb": rgb})[0]
        worst = float(np.abs(got - expected).max() / expected.max())
        assert worst < 1e-3, f"ONNX and torch differ by {worst:.1e} at {shape}"
        print(f"{shape}: agrees within {worst:.1e} of the peak")
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB, sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}")


def fold_padding(graph: onnx.GraphProto) -> None:
    """Give each convolution the padding of the Pad before it: a Pad between makes the runtime change layouts twice.

    The only Pads in the network are those of its stride-2 convolutions: one row below, one column to the right.
    """
    producers = {output: node for node in graph.node for output in node.output}
    for conv in [node for node in graph.node if node.op_type == "Conv"]:
        pad = producers.get(conv.input[0])
        if pad is not None and pad.op_type == "Pad":
            conv.input[0] = pad.input[0]
            kept = [attribute for attribute in conv.attribute if attribute.name != "pads"]
            del conv.attribute[:]
            conv.attribute.extend([*kept, onnx.helper.make_attribute("pads", [0, 0, 1, 1])])
    results = {output.name for output in graph.output}
    while dead := _unused(graph, results):
        for node in dead:
            graph.node.remove(node)


def _unused(graph: onnx.GraphProto, results: set[str]) -> list[onnx.NodeProto]:
    wanted = results.union(*(node.input for node in graph.node))
    return [node for node in graph.node if not wanted.intersection(node.output)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    export(args.checkpoint, args.out)
