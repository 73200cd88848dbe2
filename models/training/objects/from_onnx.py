"""The shipped detector as a checkpoint to go on from: `python from_onnx.py OBJECTS.onnx CHECKPOINT.pt`.

The export folded every batch norm into the convolution before it. Here each norm gets mean 0, variance 1 and what was
folded as its gain and bias, so that the network gives what the file gives; go on with `train_detector.py --keep-norms`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from architecture import Detector
from torch import nn


def convolutions(path: Path) -> list[tuple[torch.Tensor, torch.Tensor | None]]:
    """Weight and bias of every convolution of a graph, in the order in which they run."""
    graph = onnx.load(path).graph
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor).astype(np.float32) for tensor in graph.initializer}
    widened = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast"}
    values = [[stored[widened.get(name, name)] for name in n.input[1:]] for n in graph.node if n.op_type == "Conv"]
    return [(torch.from_numpy(v[0].copy()), torch.from_numpy(v[1].copy()) if len(v) > 1 else None) for v in values]


def calls(net: Detector) -> list[tuple[nn.Conv2d, nn.BatchNorm2d | None]]:
    """Every convolution of the network in the order in which they run, a shared one often, with the norm behind it."""
    order: list[nn.Module] = []
    kinds = (nn.Conv2d, nn.BatchNorm2d)
    hooks = [m.register_forward_hook(lambda m, *_: order.append(m)) for m in net.modules() if isinstance(m, kinds)]
    with torch.no_grad():
        net.eval()(torch.zeros(1, 3, 128, 128))
    for hook in hooks:
        hook.remove()
    following = [*order[1:], None]
    return [
        (module, after if isinstance(after, nn.BatchNorm2d) else None)
        for module, after in zip(order, following, strict=True)
        if isinstance(module, nn.Conv2d)
    ]


def detector(path: Path) -> Detector:
    """A network that gives what the file gives."""
    net = Detector()
    filled: set[nn.Conv2d] = set()
    for (conv, norm), (weight, bias) in zip(calls(net), convolutions(path), strict=True):
        gain = torch.ones(len(weight))
        if conv in filled:  # shared by levels whose norms differ: the same weights but for each channel's gain
            gain = (weight * conv.weight.data).sum((1, 2, 3)) / conv.weight.data.square().sum((1, 2, 3)).clamp_min(
                1e-12
            )
        else:
            conv.weight.data = weight
            filled.add(conv)
        if norm is not None:
            norm.running_mean.zero_()
            norm.running_var.fill_(1.0)
            norm.weight.data = gain * (1 + norm.eps) ** 0.5
            norm.bias.data = bias
        elif conv.bias is not None:
            conv.bias.data = bias
    return net.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("checkpoint", type=Path)
    args = parser.parse_args()
    state = detector(args.model).state_dict()
    torch.save({"net": state, "average": state}, args.checkpoint)


if __name__ == "__main__":
    main()
