"""Read weight files, verified before anything looks inside, and cut sub-graphs out of them."""

from __future__ import annotations

import hashlib

from mediaan.errors import SetupError
from mediaan.saliency.onnx.cards import ModelCard


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
