"""Read weight files, verified before anything looks inside; cut sub-graphs out of them; bring frames into their form.

Frames are normalised as the card says: on the host, or by nodes in front of the model.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.saliency.onnx.registry import ModelCard
from mediaan.saliency.onnx.session import InputSignature, Session
from mediaan.types.arrays import UInt8


def read_weights(card: ModelCard) -> bytes:
    """Read the weight file of a card.

    Raises SetupError: the file is missing, its sha256 is not the card's (it is damaged or was exchanged), or it is not
        an ONNX model that contains all its weights.
    """
    try:
        data = card.path.read_bytes()
    except OSError as error:
        raise SetupError(f"model {card.name}: {card.path} cannot be read: {error}", code="model_missing") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != card.sha256:
        raise SetupError(
            f"model {card.name}: {card.path} has sha256 {sha256}, its card says {card.sha256}; "
            "the file is damaged or was exchanged: fetch it again, or correct the card if you changed it on purpose",
            code="model_corrupt",
        )
    _refuse_external_data(data, card)
    return data


def _refuse_external_data(data: bytes, card: ModelCard) -> None:
    """Refuse a model that refers to another file.

    ONNX Runtime resolves such a reference against the working directory: the model could read any file of the machine,
    and its hash would say nothing about its weights.
    """
    if data[4:8] == b"ORTM":  # ONNX Runtime's own format, which the runtime would open as well
        raise SetupError(
            f"model {card.name}: {card.path} is in ORT format; export it as ONNX",
            code="model_corrupt",
        )
    # A tensor names its file under the key `location`, and protobuf stores texts as they are. Few models need the walk.
    if b"location" not in data:
        return
    from google.protobuf.message import DecodeError, Message
    from onnx import ModelProto, TensorProto

    try:
        waiting: list[Message] = [ModelProto.FromString(data)]
    except DecodeError as error:
        raise SetupError(
            f"model {card.name}: {card.path} is not an ONNX model: {error}", code="model_corrupt"
        ) from error
    while waiting:  # initializers, attributes, graphs inside nodes, functions, training information: wherever it stands
        message = waiting.pop()
        if isinstance(message, TensorProto) and (
            message.data_location == TensorProto.EXTERNAL or len(message.external_data)
        ):
            location = next((entry.value for entry in message.external_data if entry.key == "location"), "no file")
            raise SetupError(
                f"model {card.name}: {card.path} keeps the tensor {message.name!r} in another file, {location!r}: "
                "the sha256 does not cover; save the model with its weights inside "
                "(onnx.save(onnx.load(FILE), NEW_FILE)) and put the new sha256 into its card",
                code="model_external_data",
            )
        for field, value in message.ListFields():
            if field.message_type is not None:
                waiting.extend([value] if isinstance(value, Message) else value)


def extract_subgraph(model: bytes, *tensors: str) -> bytes:
    """Reduce a model to the nodes, weights and inputs that lead to some tensors, which become its only outputs.

    ONNX Runtime computes every node, whether its result is asked for or not. So the encoder alone, or the model's first
    look, which must do for each of the many frames of a video, is had by taking the other nodes out.

    `model`: an ONNX file.
    `*tensors`: names of float32 tensors that nodes of it compute.
    Returns: an ONNX file with the same opsets; its outputs have no stated shape.
    Raises SetupError: the file is no ONNX model, nothing in it computes one of `tensors`, or a node on the way holds a
        graph of its own (If, Loop, Scan), whose needs are not stated by its inputs.
    """
    # not above: onnx takes 35 ms and 7 MB to load, and most commands open no model
    from google.protobuf.message import DecodeError
    from onnx import AttributeProto, ModelProto, TensorProto
    from onnx.helper import make_tensor_value_info

    try:
        reduced = ModelProto.FromString(model)
    except DecodeError as error:
        raise SetupError(f"this is not an ONNX model: {error}", code="model_corrupt") from error
    if not reduced.HasField("graph"):
        raise SetupError("this is not an ONNX model: it holds no graph", code="model_corrupt")
    graph = reduced.graph
    nodes, needed, missing = [], set(tensors), set(tensors)
    for node in reversed(graph.node):  # they are stored in the order in which they run
        computed = needed.intersection(node.output)
        if not computed:
            continue
        if any(attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for attribute in node.attribute):
            raise SetupError(
                "the model cannot be reduced to an inner tensor: a node on the way holds a graph of its own (If, Loop "
                "or Scan); leave video_output and features out of its card",
                code="bad_card",
            )
        nodes.append(node)
        needed.update(node.input)
        missing -= computed
    if missing:
        raise SetupError(
            f"no node of the model computes a tensor called {min(missing)!r}; correct its card",
            code="bad_card",
        )
    inputs = [tensor for tensor in graph.input if tensor.name in needed]
    initializers = [tensor for tensor in graph.initializer if tensor.name in needed]
    for field in ("node", "input", "initializer", "output", "value_info"):
        graph.ClearField(field)
    graph.node.extend(reversed(nodes))
    graph.input.extend(inputs)
    graph.initializer.extend(initializers)
    graph.output.extend(make_tensor_value_info(name, TensorProto.FLOAT, None) for name in tensors)
    content: bytes = reduced.SerializeToString()
    return content


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

    steps, constants = _normalising_steps(card)
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


def _normalising_steps(card: ModelCard) -> tuple[list[tuple[str, tuple[str, ...], dict[str, Any]]], list[Any]]:
    """Return operators with their further inputs and attributes, and the constants that these inputs are."""
    from onnx import TensorProto
    from onnx.numpy_helper import from_array

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
    return steps, constants


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
