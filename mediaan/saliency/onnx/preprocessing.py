"""Turn frames into what a model takes, as its card says: on the host, or by nodes in front of the model."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.saliency.onnx.cards import ModelCard
from mediaan.saliency.onnx.protobuf import Field, fields, message, number
from mediaan.saliency.onnx.session import InputSignature, Session
from mediaan.types.arrays import UInt8

FRAMES_INPUT = "mediaan_frames"
"""Name of the input that such a model has."""

FRAMES_INPUT_CARD = {
    "dtype": "uint8",
    "layout": "nhwc",
    "channels": "rgb",
    "mean": (0.0, 0.0, 0.0),
    "std": (1.0, 1.0, 1.0),
    "scale": 1.0,
}
"""What a card says of it."""

_GRAPH, _OPSETS = 7, 8  # of ModelProto
_NODE, _INITIALIZER, _INPUT = 1, 5, 11  # of GraphProto
_NODE_INPUT, _NODE_OUTPUT, _NODE_NAME, _NODE_TYPE, _NODE_ATTRIBUTE = 1, 2, 3, 4, 5  # of NodeProto
_ATTRIBUTE_NAME, _ATTRIBUTE_INT, _ATTRIBUTE_INTS, _ATTRIBUTE_KIND = 1, 3, 8, 20  # of AttributeProto
_KIND_INT, _KIND_INTS = 2, 7  # of AttributeProto.type
_TENSOR_DIM, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_BYTES = 1, 2, 8, 9  # of TensorProto
_FLOAT, _UINT8, _INT64 = 1, 2, 7  # of TensorProto.DataType
_VALUE_NAME, _VALUE_TYPE = 1, 2  # of ValueInfoProto
_TENSOR, _ELEMENT, _SHAPE, _DIM = 1, 1, 2, 1  # of TypeProto, of its tensor, of TensorShapeProto
_DOMAIN, _VERSION = 1, 2  # of OperatorSetIdProto
_BROADCASTS = 7  # opset since which Sub and Mul do so like numpy


class _Input(NamedTuple):
    """The first input of a graph: its name, and its axes as they stand in the file."""

    name: str
    axes: tuple[bytes, ...]


def prepend_preprocessing(model: bytes, card: ModelCard, beside: str = "") -> bytes:
    """A model that takes frames as they are and does itself what its card says of them.

    Parameters
    ----------
    model : bytes
        An ONNX file.
    card : ModelCard
    beside : str
        Name of an input after that of the frames, which stays as it is; empty where there is none.

    Returns
    -------
    bytes
        An ONNX file whose first input is called `FRAMES_INPUT`; what was given where there is nothing to do, or where
        the
        model's inputs are not the float32 of four axes that the card promises and at most the one called `beside`,
        which whoever opens it then says. Its outputs
        differ by the rounding of the input: here float32 throughout, on the host rounded from float64 once.
    """
    try:
        parts = list(fields(memoryview(model)))
        (graph,) = (list(fields(part.content)) for part in parts if part.number == _GRAPH)
        found = _float_input(graph, beside)
        if card.dtype != "float32" or found is None or _opset(parts) < _BROADCASTS:
            return model
    except (IndexError, ValueError):
        return model
    edited = message(_GRAPH, _with_nodes(graph, found, card))
    return b"".join(edited if part.number == _GRAPH else part.whole for part in parts)


def _opset(parts: Sequence[Field]) -> int:
    """Version of the standard operators."""
    for part in parts:
        entry = list(fields(part.content)) if part.number == _OPSETS else []
        if entry and not any(one.number == _DOMAIN and len(one.content) for one in entry):
            return max((one.value for one in entry if one.number == _VERSION), default=0)
    return 0


def _float_input(graph: Sequence[Field], beside: str) -> _Input | None:
    """The one input that is no weight and not called `beside`, if it is float32 with four axes."""
    others = {beside, *(_text(field, _TENSOR_NAME) for field in graph if field.number == _INITIALIZER)}
    given = [field for field in graph if field.number == _INPUT and _text(field, _VALUE_NAME) not in others]
    if len(given) != 1:
        return None
    (tensor,) = _within(_only(given[0], _VALUE_TYPE), _TENSOR)
    element = [one.value for one in fields(tensor.content) if one.number == _ELEMENT]
    axes = tuple(bytes(axis.whole) for shape in _within(tensor, _SHAPE) for axis in _within(shape, _DIM))
    return _Input(_text(given[0], _VALUE_NAME), axes) if element == [_FLOAT] and len(axes) == 4 else None


def _with_nodes(graph: Sequence[Field], found: _Input, card: ModelCard) -> bytes:
    """The graph with another input, and the nodes that lead from it to what was the input."""
    order = (0, 1, 2, 3) if card.layout == "nhwc" else (0, 2, 3, 1)
    shape = message(_SHAPE, b"".join(found.axes[axis] for axis in order))
    kind = message(_VALUE_TYPE, message(_TENSOR, number(_ELEMENT, _UINT8) + shape))
    rest = [field for field in graph if field.number != _INPUT or _text(field, _VALUE_NAME) != found.name]
    new_input = message(_INPUT, message(_VALUE_NAME, FRAMES_INPUT.encode()) + kind)
    nodes = b"".join(_linked(list(_steps(card)), found.name))
    return b"".join([nodes, *_constants(card), new_input, *(field.whole for field in rest)])


def _steps(card: ModelCard) -> Iterator[tuple[str, tuple[str, ...], bytes]]:
    """Operator, further inputs and attributes of each node, first to last."""
    if card.channels == "bgr":
        yield "Gather", ("mediaan_channels",), _attribute("axis", [3], _KIND_INT)
    yield "Cast", (), _attribute("to", [_FLOAT], _KIND_INT)
    yield "Sub", ("mediaan_mean",), b""
    yield "Mul", ("mediaan_factor",), b""
    if card.layout == "nchw":
        yield "Transpose", (), _attribute("perm", [0, 3, 1, 2], _KIND_INTS)


def _linked(steps: Sequence[tuple[str, tuple[str, ...], bytes]], last: str) -> Iterator[bytes]:
    """Nodes, each of which takes what the one before makes; the last makes what the model takes."""
    names = [FRAMES_INPUT, *(f"mediaan_step{i}" for i in range(1, len(steps))), last]
    for i, (kind, others, attributes) in enumerate(steps):
        taken = b"".join(message(_NODE_INPUT, name.encode()) for name in (names[i], *others))
        made = message(_NODE_OUTPUT, names[i + 1].encode())
        called = message(_NODE_NAME, f"mediaan_{kind}".encode())
        yield message(_NODE, taken + made + called + message(_NODE_TYPE, kind.encode()) + attributes)


def _constants(card: ModelCard) -> Iterator[bytes]:
    """(pixel / 255 - mean) / std · scale as one subtraction and one product, in channels as the model wants them."""
    mean = [255 * value for value in card.mean]
    factor = [card.scale / (255 * value) for value in card.std]
    yield _weight("mediaan_mean", _FLOAT, struct.pack("<3f", *mean))
    yield _weight("mediaan_factor", _FLOAT, struct.pack("<3f", *factor))
    if card.channels == "bgr":
        yield _weight("mediaan_channels", _INT64, struct.pack("<3q", 2, 1, 0))


def _weight(name: str, kind: int, content: bytes) -> bytes:
    """Three numbers."""
    facts = number(_TENSOR_DIM, 3) + number(_TENSOR_TYPE, kind)
    return message(_INITIALIZER, facts + message(_TENSOR_NAME, name.encode()) + message(_TENSOR_BYTES, content))


def _attribute(name: str, values: Sequence[int], kind: int) -> bytes:
    key = _ATTRIBUTE_INT if kind == _KIND_INT else _ATTRIBUTE_INTS
    content = b"".join(number(key, value) for value in values)
    return message(_NODE_ATTRIBUTE, message(_ATTRIBUTE_NAME, name.encode()) + content + number(_ATTRIBUTE_KIND, kind))


def _within(field: Field, wanted: int) -> list[Field]:
    return [one for one in fields(field.content) if one.number == wanted]


def _only(field: Field, wanted: int) -> Field:
    (found,) = _within(field, wanted)
    return found


def _text(field: Field, wanted: int) -> str:
    return b"".join(bytes(one.content) for one in _within(field, wanted)).decode()


def preprocess(frames: UInt8, card: ModelCard) -> npt.NDArray[np.generic]:
    """(N, H, W, 3) RGB frames of the right size in the model's channels, number type and layout."""
    if card.channels == "bgr":
        frames = frames[..., ::-1]
    x: npt.NDArray[np.generic] = frames
    if card.dtype == "float32":
        x = ((frames.astype(np.float32) / 255 - card.mean) / card.std * card.scale).astype(np.float32)
    if card.layout == "nchw":
        x = x.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(x)


def input_card(session: Session, card: ModelCard) -> ModelCard:
    """What the opened model takes: as its card says, unless it was opened so that it normalises frames itself."""
    return card.model_copy(update=FRAMES_INPUT_CARD) if session.get_inputs()[0].name == FRAMES_INPUT else card


def check_input(takes: InputSignature, card: ModelCard) -> None:
    """Refuse a model whose input is not what its card says."""
    sides = (card.height, card.width)
    says = (1, *sides, 3) if card.layout == "nhwc" else (1, 3, *sides)
    if takes.dtype == card.dtype and _shape_fits(takes.shape, says):
        return
    shape, said = (", ".join(str(n) if isinstance(n, int) else "any" for n in sizes) for sizes in (takes.shape, says))
    raise SetupError(
        f"model {card.name}: {card.path} takes {takes.dtype} of shape ({shape}), but its card says {card.dtype} "
        f"{card.layout}, that is ({said}); correct dtype, layout, or width and height (instead of pixels) there",
        code="bad_card",
    )


def _shape_fits(shape: tuple[int | str | None, ...], says: tuple[int | None, ...]) -> bool:
    """Whether every size that is a number is the one that is said; what is not a number takes any."""
    return len(shape) == len(says) and all(
        not isinstance(size, int) or size == said for size, said in zip(shape, says, strict=True)
    )
