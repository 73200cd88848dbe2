"""A model that reads its densities out by domain, in arithmetic that numpy can work out.

Each domain looks at one channel: photographs at red, ads at green, designs at blue. How probable each is follows from
the channel's mean over the frame.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DOMAINS = ("photo", "ad", "design")
LIFT = 0.5  # added to channels and to their means, so that nothing is 0; exact in float16


def write_domain_model(folder: Path, *, dtype: str = "uint8", batch: int | None = None, **keys: object) -> Path:
    """Write the model, its one weight as float16 behind a Cast, and a card; return the card's path.

    Parameters
    ----------
    folder : Path
    dtype : {'uint8', 'float32'}
        What it takes.
    batch : int, optional
        A fixed number of frames.
    **keys
        Of the card, in the place of what it says otherwise; None leaves one out.
    """
    nodes = [
        helper.make_node("Cast", ["picture"], ["x"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["half_lift"], ["lift"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["x", "lift"], ["lifted"]),
        helper.make_node("ReduceMean", ["lifted"], ["means"], axes=[1, 2], keepdims=0),
        helper.make_node("Mul", ["means", "counts"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "last"], ["sum"], keepdims=1),
        helper.make_node("Div", ["counted", "sum"], ["kind"]),
        helper.make_node("Unsqueeze", ["kind", "sides"], ["shares"]),
        helper.make_node("Mul", ["lifted", "shares"], ["shared"]),
        helper.make_node("ReduceSum", ["shared", "channels"], ["cheap"], keepdims=1),
        helper.make_node("Mul", ["cheap", "cheap"], ["map"]),
    ]
    weights = [
        numpy_helper.from_array(np.float16(LIFT), "half_lift"),
        numpy_helper.from_array(np.array([1]), "last"),
        numpy_helper.from_array(np.array([1, 2]), "sides"),
        numpy_helper.from_array(np.array([3]), "channels"),
    ]
    kinds = {"uint8": TensorProto.UINT8, "float32": TensorProto.FLOAT}
    graph = helper.make_graph(
        nodes,
        "channels_by_domain",
        [
            helper.make_tensor_value_info("picture", kinds[dtype], [batch or "n", "height", "width", 3]),
            helper.make_tensor_value_info("counts", TensorProto.FLOAT, [1, 3]),
        ],
        [
            helper.make_tensor_value_info("map", TensorProto.FLOAT, [batch or "n", "height", "width", 1]),
            helper.make_tensor_value_info("kind", TensorProto.FLOAT, [batch or "n", 3]),
        ],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    (folder / "domains.onnx").write_bytes(data)
    card = {
        "name": "channels",
        "file": "domains.onnx",
        "sha256": hashlib.sha256(data).hexdigest(),
        "pixels": 96 * 64,
        "dtype": dtype,
        "scale": 255.0 if dtype == "float32" else 1.0,
        "domains": list(DOMAINS),
        "domain_output": "kind",
        "domain_input": "counts",
    } | keys
    path = folder / "domains.toml"
    path.write_text("\n".join(f"{key} = {_toml(value)}" for key, value in card.items() if value is not None) + "\n")
    return path


def probabilities(frame: np.ndarray) -> np.ndarray:
    """Of the domains of one (H, W, 3) frame, as the model tells them."""
    means = frame.astype(np.float64).mean(axis=(0, 1)) + LIFT
    return np.asarray(means / means.sum())


def expected_density(frame: np.ndarray, domain: str | None = None) -> np.ndarray:
    """Density of one (H, W, 3) frame, for a stated domain or as the model weighs them."""
    shares = probabilities(frame) if domain is None else np.array([float(name == domain) for name in DOMAINS])
    values = ((frame.astype(np.float64) + LIFT) * shares).sum(axis=2) ** 2
    return np.asarray(values / values.sum())


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
