"""Read weight files, verified before anything looks inside, and cut parts out of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mediaan.errors import SetupError
from mediaan.saliency.onnx.cards import ModelCard
from mediaan.saliency.onnx.protobuf import Field, fields, message


def read_weights(card: ModelCard) -> bytes:
    """Bytes of the card's weight file.

    Raises
    ------
    SetupError
        The file is missing, or its sha256 is not the card's: it is damaged or was exchanged.
    """
    try:
        data = card.path.read_bytes()
    except OSError as error:
        raise SetupError(f"model {card.name}: {card.path} cannot be read: {error}", code="model_missing") from error
    found = hashlib.sha256(data).hexdigest()
    if found != card.sha256:
        raise SetupError(
            f"model {card.name}: {card.path} has sha256 {found}, its card says {card.sha256}; "
            "the file is damaged or was exchanged: fetch it again, or correct the card if you changed it on purpose",
            code="model_corrupt",
        )
    return data


_GRAPH = 7  # of ModelProto
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _VALUE_INFO = 1, 5, 11, 12, 13  # of GraphProto
_NODE_INPUT, _NODE_OUTPUT, _NODE_ATTRIBUTE = 1, 2, 5  # of NodeProto
_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS = 6, 11  # of AttributeProto
_TENSOR_NAME, _VALUE_NAME = 8, 1  # of TensorProto and ValueInfoProto
_FLOAT_TENSOR = b"\x12\x04\x0a\x02\x08\x01"  # ValueInfoProto.type = tensor of FLOAT, shape not said


def extract_subgraph(model: bytes, *tensors: str) -> bytes:
    """Reduce a model to the nodes, weights and inputs that lead to some tensors, which become its only outputs.

    Parameters
    ----------
    model : bytes
        An ONNX file.
    *tensors : str
        Names of float32 tensors that nodes of it compute.

    Returns
    -------
    bytes
        An ONNX file with the same opsets; its outputs have no stated shape.

    Raises
    ------
    SetupError
        The file is no ONNX model, nothing in it computes one of `tensors`, or a node on the way holds a graph of its
        own (If, Loop, Scan), whose needs are not stated by its inputs.
    """
    try:
        parts = list(fields(memoryview(model)))
        if not any(part.number == _GRAPH for part in parts):
            raise IndexError("it holds no graph")
        return b"".join(_with_graph(part, tensors) if part.number == _GRAPH else part.whole for part in parts)
    except (IndexError, UnicodeDecodeError) as error:
        raise SetupError(f"this is not an ONNX model: {error}", code="model_corrupt") from error


def _with_graph(part: Field, tensors: Sequence[str]) -> bytes:
    graph = _reduced(list(fields(part.content)), tensors)
    return message(_GRAPH, graph)


def _reduced(graph: Sequence[Field], tensors: Sequence[str]) -> bytes:
    """The graph without what `tensors` do not need."""
    nodes, wanted = _nodes_towards(graph, tensors)
    kept = [field.whole for field in graph if _stays(field, nodes, wanted)]
    names = (message(_VALUE_NAME, tensor.encode()) for tensor in tensors)
    return b"".join([*kept, *(message(_OUTPUT, name + _FLOAT_TENSOR) for name in names)])


def _stays(field: Field, nodes: set[int], wanted: set[str]) -> bool:
    if field.number == _NODE:
        return id(field) in nodes
    if field.number in (_OUTPUT, _VALUE_INFO):
        return False
    if field.number == _INITIALIZER:
        return wanted.issuperset(_names(field.content, _TENSOR_NAME))
    if field.number == _INPUT:
        return wanted.issuperset(_names(field.content, _VALUE_NAME))
    return True


def _nodes_towards(graph: Sequence[Field], tensors: Sequence[str]) -> tuple[set[int], set[str]]:
    """Nodes (by id) that `tensors` need, and the names of all tensors on the way; nodes are stored in running order."""
    wanted, kept, missing = set(tensors), set[int](), set(tensors)
    for node in reversed([field for field in graph if field.number == _NODE]):
        made = wanted.intersection(_names(node.content, _NODE_OUTPUT))
        if made:
            _refuse_inner_graphs(node)
            wanted.update(_names(node.content, _NODE_INPUT))
            kept.add(id(node))
            missing -= made
    if missing:
        raise SetupError(
            f"no node of the model computes a tensor called {min(missing)!r}; correct its card",
            code="bad_card",
        )
    return kept, wanted


def _refuse_inner_graphs(node: Field) -> None:
    for attribute in fields(node.content):
        inner = attribute.number == _NODE_ATTRIBUTE and any(
            part.number in (_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS) for part in fields(attribute.content)
        )
        if inner:
            raise SetupError(
                "the model cannot be reduced to an inner tensor: a node on the way holds a graph of its own (If, Loop "
                "or Scan); leave video_output and features out of its card",
                code="bad_card",
            )


def _names(content: memoryview, number: int) -> list[str]:
    return [bytes(field.content).decode() for field in fields(content) if field.number == number]
