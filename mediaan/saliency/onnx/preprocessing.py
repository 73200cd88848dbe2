"""Turn frames into what a model takes, as its card says: on the host, or by nodes in front of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.saliency.onnx.cards import ModelCard
from mediaan.saliency.onnx.session import InputSignature, Session
from mediaan.types.arrays import UInt8

FRAMES_INPUT = "mediaan_frames"
"""Name of the input of a model that normalises frames itself."""

_FRAMES_INPUT_CARD = {
    "dtype": "uint8",
    "layout": "nhwc",
    "channels": "rgb",
    "mean": (0.0, 0.0, 0.0),
    "std": (1.0, 1.0, 1.0),
    "scale": 1.0,
}
"""Keys of a card for that input."""

_BROADCASTING_OPSET = 7  # since which Sub and Mul broadcast like numpy


def preprocess(frames: UInt8, card: ModelCard) -> npt.NDArray[np.generic]:
    """Bring (N, H, W, 3) RGB frames of the right size into the model's channels, number type and layout."""
    if card.channels == "bgr":
        frames = frames[..., ::-1]
    x: npt.NDArray[np.generic] = frames
    if card.dtype == "float32":
        x = ((frames.astype(np.float32) / 255 - card.mean) / card.std * card.scale).astype(np.float32)
    if card.layout == "nchw":
        x = x.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(x)


def prepend_preprocessing(model: bytes, card: ModelCard, extra_input: str = "") -> bytes:
    """Put nodes in front of a model that normalise frames as its card says.

    So frames go to a GPU as the bytes that they are, a quarter of what floats take.

    `model`: an ONNX file.
    `extra_input`: name of an input after that of the frames, which stays as it is; empty where there is none.
    Returns: an ONNX file whose first input is called `FRAMES_INPUT`. The file that was given where there is nothing to
        do, or where its inputs are not the float32 of four axes that the card promises and at most `extra_input`:
        opening it says so. Outputs differ by the rounding of the input: here float32 throughout, on the host rounded
        from float64 once.
    """
    # not above: onnx takes 35 ms and 7 MB to load, and most commands open no model
    from google.protobuf.message import DecodeError
    from onnx import ModelProto, TensorProto
    from onnx.helper import make_node, make_tensor_value_info
    from onnx.numpy_helper import from_array

    try:
        edited = ModelProto.FromString(model)
    except DecodeError:
        return model
    graph = edited.graph
    opset = max((entry.version for entry in edited.opset_import if not entry.domain), default=0)
    initializers = {entry.name for entry in graph.initializer}  # files before IR 4 list them among the inputs
    inputs = [entry for entry in graph.input if entry.name not in {extra_input, *initializers}]
    if card.dtype != "float32" or len(inputs) != 1 or opset < _BROADCASTING_OPSET:
        return model
    tensor = inputs[0].type.tensor_type
    if tensor.elem_type != TensorProto.FLOAT or len(tensor.shape.dim) != 4:
        return model

    steps: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
        ("Cast", (), {"to": TensorProto.FLOAT}),
        ("Sub", ("mediaan_mean",), {}),
        ("Mul", ("mediaan_factor",), {}),
    ]
    # (pixel / 255 - mean) / std * scale as one subtraction and one product, in channels as the model wants them
    constants = [
        from_array(np.array([255 * value for value in card.mean], np.float32), "mediaan_mean"),
        from_array(np.array([card.scale / (255 * value) for value in card.std], np.float32), "mediaan_factor"),
    ]
    if card.channels == "bgr":
        steps.insert(0, ("Gather", ("mediaan_channels",), {"axis": 3}))
        constants.append(from_array(np.array([2, 1, 0], np.int64), "mediaan_channels"))
    if card.layout == "nchw":
        steps.append(("Transpose", (), {"perm": [0, 3, 1, 2]}))
    tensors = [FRAMES_INPUT, *(f"mediaan_step{i}" for i in range(1, len(steps))), inputs[0].name]
    nodes = [
        make_node(operator, [tensors[i], *others], [tensors[i + 1]], f"mediaan_{operator}", **attributes)
        for i, (operator, others, attributes) in enumerate(steps)
    ]
    frames_input = make_tensor_value_info(FRAMES_INPUT, TensorProto.UINT8, [None] * 4)
    for axis, stored in enumerate((0, 1, 2, 3) if card.layout == "nhwc" else (0, 2, 3, 1)):
        frames_input.type.tensor_type.shape.dim[axis].CopyFrom(tensor.shape.dim[stored])
    kept = [entry for entry in graph.input if entry.name != inputs[0].name]
    for field, entries in (
        ("node", [*nodes, *graph.node]),
        ("initializer", [*constants, *graph.initializer]),
        ("input", [frames_input, *kept]),
    ):
        graph.ClearField(field)
        getattr(graph, field).extend(entries)
    content: bytes = edited.SerializeToString()
    return content


def input_card(session: Session, card: ModelCard) -> ModelCard:
    """Return the card of what an opened model takes: its own, unless the session normalises frames itself."""
    return card.model_copy(update=_FRAMES_INPUT_CARD) if session.get_inputs()[0].name == FRAMES_INPUT else card


def check_input(signature: InputSignature, card: ModelCard) -> None:
    """Refuse a model whose input is not what its card says; a SetupError says what to correct."""
    sides = (card.height, card.width)
    stated = (1, *sides, 3) if card.layout == "nhwc" else (1, 3, *sides)
    fits = len(signature.shape) == len(stated) and all(
        not isinstance(size, int) or size == expected for size, expected in zip(signature.shape, stated, strict=True)
    )
    if fits and signature.dtype == card.dtype:
        return
    shape, expected = (
        ", ".join(str(n) if isinstance(n, int) else "any" for n in sizes) for sizes in (signature.shape, stated)
    )
    raise SetupError(
        f"model {card.name}: {card.path} takes {signature.dtype} of shape ({shape}), but its card says {card.dtype} "
        f"{card.layout}, that is ({expected}); correct dtype, layout, or width and height (instead of pixels) there",
        code="bad_card",
    )
