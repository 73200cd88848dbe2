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
from network import DOMAINS, KINDS, AttentionNet
from torch import Tensor, nn

OPSET = 17
LEAST_SHARE = 1e-4  # of a domain, so that one that is stated can be read out for any picture


class Exported(nn.Module):
    """The network as it ships: uint8 pixels in, densities and domains out.

    It may look twice and say the mean: at the picture as given, and at its mirror image at two thirds of the size,
    where it sees more of the whole. What domains the picture may be of is weighed by a second input, all alike unless
    stated.
    """

    def __init__(self, net: AttentionNet, *, twice: bool) -> None:
        super().__init__()
        self.net, self.twice = net, twice
        member = [[float(domain in names) for domain in DOMAINS] for names in KINDS.values()]
        self.register_buffer("member", torch.tensor(member))  # (kinds, domains)

    def forward(self, rgb: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        x = rgb.permute(0, 3, 1, 2).float()
        logit, _, domain = self.net.features(x)
        share = (domain.softmax(1) + LEAST_SHARE) * (weight @ self.member)
        share = share / share.sum(1, keepdim=True)
        density = self.net.readout.density(logit, share)
        if self.twice:
            size = (smaller(x.shape[2]), smaller(x.shape[3]))
            mirrored, _, _ = self.net.features(F.interpolate(x, size=size, mode="bilinear").flip(3))
            second = self.net.readout.density(mirrored.flip(3), share)  # upright: the prior of pages is not symmetric
            second = F.interpolate(second, size=density.shape[2:], mode="bilinear")
            density = (density + second / second.sum((2, 3), keepdim=True)) / 2
        return density, share @ self.member.T


def smaller(side: int) -> int:
    """21/32 of a side, to the nearest multiple of 32: 196,608 px² become about 84,000."""
    return (side * 21 + 512) // 1024 * 32


def export(checkpoint: Path, out: Path, *, twice: bool) -> None:
    """Write the averaged weights of `checkpoint` as ONNX with dynamic batch, height and width."""
    model = Exported(load(checkpoint), twice=twice).eval()
    example = (torch.zeros(2, 96, 128, 3, dtype=torch.uint8), torch.ones(1, len(KINDS)))
    axes = {"rgb": {0: "n", 1: "height", 2: "width"}, "density": {0: "n", 2: "h", 3: "w"}, "domain": {0: "n"}}
    torch.onnx.export(
        model, example, str(out), dynamo=False, opset_version=OPSET,
        input_names=["rgb", "domain_weight"], output_names=["density", "domain"], dynamic_axes=axes,
    )  # fmt: skip
    graph = onnx.load(out)
    fold_padding(graph.graph)
    if twice:
        name_first_look(graph.graph)
    halve_weights(graph.graph)
    onnx.checker.check_model(graph, full_check=True)
    onnx.save(graph, out)
    session = ort.InferenceSession(out.read_bytes(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    for shape in ((1, 288, 384, 3), (3, 384, 288, 3), (1, 128, 864, 3)):
        rgb = rng.integers(0, 256, shape, dtype=np.uint8)
        for weight in (np.ones((1, len(KINDS)), np.float32), np.eye(len(KINDS), dtype=np.float32)[1:2]):
            with torch.no_grad():
                expected = [x.numpy() for x in model(torch.from_numpy(rgb), torch.from_numpy(weight))]
            got = session.run(None, {"rgb": rgb, "domain_weight": weight})
            worst = max(float(np.abs(g - e).max() / e.max()) for g, e in zip(got, expected, strict=True))
            assert worst < 2e-2, f"ONNX and torch differ by {worst:.1e} at {shape}"
        print(f"{shape}: agrees within {worst:.1e} of the peak")
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB, sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}")


def load(checkpoint: Path) -> AttentionNet:
    """The averaged weights of a run of train.py."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    net = AttentionNet(state["encoder"])
    net.load_state_dict(state["average"])
    return net


def fold_padding(graph: onnx.GraphProto) -> None:
    """Give each convolution the padding of the Pad before it: a Pad between makes the runtime change layouts twice.

    The only Pads in the network are those of its stride-2 convolutions, whose own padding is none.
    """
    producers = {output: node for node in graph.node for output in node.output}
    for conv in [node for node in graph.node if node.op_type == "Conv"]:
        pad = producers.get(conv.input[0])
        if pad is not None and pad.op_type == "Pad":
            kernel = next(attribute.ints[0] for attribute in conv.attribute if attribute.name == "kernel_shape")
            before, after = (kernel - 2) // 2, kernel // 2  # as in network.Conv
            conv.input[0] = pad.input[0]
            kept = [attribute for attribute in conv.attribute if attribute.name != "pads"]
            del conv.attribute[:]
            conv.attribute.extend([*kept, onnx.helper.make_attribute("pads", [before, before, after, after])])
    results = {output.name for output in graph.output}
    while dead := _unused(graph, results):
        for node in dead:
            graph.node.remove(node)


def name_first_look(graph: onnx.GraphProto) -> None:
    """Call the density of the first look ``first_look``: it is all that the frames of a video get."""
    makers = {output: node for node in graph.node for output in node.output}
    first = makers[makers["density"].input[0]].input[0]  # density = (first + second) / 2
    for node in graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name == first:
                    names[i] = "first_look"


def halve_weights(graph: onnx.GraphProto) -> None:
    """Keep large weights as float16, which halves the file; the runtime widens them once, when it loads them."""
    for tensor in list(graph.initializer):
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size >= 1024:
            graph.initializer.remove(tensor)
            graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}_half"))
            cast = onnx.helper.make_node("Cast", [f"{tensor.name}_half"], [tensor.name], to=onnx.TensorProto.FLOAT)
            graph.node.insert(0, cast)


def _unused(graph: onnx.GraphProto, results: set[str]) -> list[onnx.NodeProto]:
    wanted = results.union(*(node.input for node in graph.node))
    return [node for node in graph.node if not wanted.intersection(node.output)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--twice", action="store_true", help="look at the mirror image, smaller, too")
    args = parser.parse_args()
    export(args.checkpoint, args.out, twice=args.twice)
