"""Static int8 of an exported model: `python models/training/quantise.py MODEL.onnx OUT.onnx --data DIR`.

Convolutions of the encoder and decoder only, per channel, QDQ, calibrated on training pictures; the heads, the readouts
and the softmax stay in float32.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnx
from batches import bucket
from corpus import Picture, read
from network import KINDS
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

HEADS = "logit"  # name part of the convolutions that write the logits


class Pictures(CalibrationDataReader):  # type: ignore[misc]
    """Training pictures, one by one, at the size at which the model sees them."""

    def __init__(self, data: Path, pixels: int, count: int) -> None:
        pictures, sides = read(data)
        train = [p for p in pictures if sides[p.set, p.name] == "train"]
        step = max(1, len(train) // count)

        def shown(p: Picture) -> np.ndarray:
            h, w = bucket(4, 3, pixels)  # calibration wants all of one size
            return cv2.resize(p.rgb, (w, h), interpolation=cv2.INTER_AREA)[None]

        domain_weight = np.ones((1, len(KINDS)), np.float32)
        self.feed: Iterator[dict[str, np.ndarray]] = iter(
            {"rgb": shown(p), "domain_weight": domain_weight} for p in train[::step]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feed, None)


def quantise(model: Path, out: Path, data: Path, *, pixels: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        graph = onnx.load(model)
        widen_weights(graph.graph)
        widened = Path(folder) / "widened.onnx"
        onnx.save(graph, widened)
        quant_pre_process(str(widened), str(prepared), skip_symbolic_shape=True)
        heads = [n.name for n in onnx.load(prepared).graph.node if n.op_type == "Conv" and HEADS in n.name]
        quantize_static(
            str(prepared), str(out), Pictures(data, pixels, count), quant_format=QuantFormat.QDQ, per_channel=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, op_types_to_quantize=["Conv"],
            nodes_to_exclude=heads, calibrate_method=CalibrationMethod.Percentile,
            extra_options={"CalibPercentile": 99.995},
        )  # fmt: skip


def widen_weights(graph: onnx.GraphProto) -> None:
    """Put float32 weights in the place of float16 ones and the casts behind them (`export.halve_weights`)."""
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in [node for node in graph.node if node.op_type == "Cast" and node.input[0] in stored]:
        half = stored[node.input[0]]
        values = onnx.numpy_helper.to_array(half).astype(np.float32)
        graph.initializer.remove(half)
        graph.initializer.append(onnx.numpy_helper.from_array(values, node.output[0]))
        graph.node.remove(node)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pixels", type=int, default=196_608)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    quantise(args.model, args.out, args.data, pixels=args.pixels, count=args.count)
