"""How far the numbers of the sample ads move when only the arithmetic changes: `python tests/golden/tolerances.py`.

Each way of computing runs in a process of its own and is compared with the plain one. The tolerances of
`test_golden.py` and the table in docs/drift.md come from here. With `--data DIR` an int8 model is made as
models/training/quantise.py makes it, and compared too; with a GPU at hand, CUDA.
"""

from __future__ import annotations

import argparse
import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from golden_run import Golden, Shifts, golden_of, measure, numbers_of, shifts
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
CALIBRATED_ON = 8
MULTIPLYING = {"Conv", "ConvTranspose", "Gemm", "MatMul"}

Way = Callable[[Path], Golden]


def plain(folder: Path, *, device: str = "cpu", workers: int = 1) -> Golden:
    """As it is: one process, threads as the runtime likes."""
    return golden_of(measure(folder / "run", device=device, workers=workers))


def unoptimised(folder: Path) -> Golden:
    """Every node of a network by itself: no fusion, no other order of sums."""
    import onnxruntime as ort

    made = ort.InferenceSession

    def session(model: bytes | str, options: ort.SessionOptions, **more: object) -> ort.InferenceSession:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        return made(model, options, **more)

    ort.InferenceSession = session
    return plain(folder)


def in_ten_bits(folder: Path) -> Golden:
    """What our networks multiply is rounded as GPUs do in TF32, the default of the CUDA provider."""
    import onnxruntime as ort

    made = ort.InferenceSession

    def session(model: bytes | str, *rest: object, **more: object) -> ort.InferenceSession:
        return made(ten_bits(model) if isinstance(model, bytes) else model, *rest, **more)

    ort.InferenceSession = session
    return plain(folder)


def ten_bits(weights: bytes) -> bytes:
    """A network whose convolutions and products take numbers of ten bits of mantissa."""
    model = onnx.load_from_string(weights)
    nodes = []
    for node in model.graph.node:
        if node.op_type in MULTIPLYING:
            for place in (0, 1):
                value, short, rounded = node.input[place], f"{node.name}/{place}/short", f"{node.name}/{place}/rounded"
                nodes.append(helper.make_node("Cast", [value], [short], f"{short}/cast", to=TensorProto.FLOAT16))
                nodes.append(helper.make_node("Cast", [short], [rounded], f"{rounded}/cast", to=TensorProto.FLOAT))
                node.input[place] = rounded
        nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    serialised: bytes = model.SerializeToString()
    return serialised


def with_attention(folder: Path, *, model: Path) -> Golden:
    """Another attention model in the place of the one that ships, past every check that it is the one."""
    import mediaan.workflow  # noqa: F401  every module that reads weights
    from mediaan.saliency.onnx import weights
    from mediaan.saliency.onnx.registry import AttentionCard

    read = weights.read_weights

    def swapped(card: AttentionCard) -> bytes:
        return model.read_bytes() if card.name == "attention" else read(card)

    for module in list(sys.modules.values()):
        if getattr(module, "read_weights", None) is read:
            setattr(module, "read_weights", swapped)  # noqa: B010  mypy knows that modules lack it
    return plain(folder)


def int8(data: Path, target: Path) -> Path:
    """Made by the recipe, calibrated on fewer pictures: its histograms take 400 MB for each."""
    recipe = MODELS / "training" / "quantise.py"
    command = [sys.executable, recipe, MODELS / "attention.onnx", target, "--data", data, "--count", CALIBRATED_ON]
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    return target


def has_cuda() -> bool:
    from mediaan.errors import SetupError
    from mediaan.saliency import load_predictor

    try:
        return load_predictor(device="cuda").device == "cuda"
    except SetupError:
        return False


def ways(folder: Path, data: Path | None) -> dict[str, Way]:
    """Ways of computing, by name."""
    found: dict[str, Way] = {
        "again": plain,
        "two processes of one thread each": partial(plain, workers=2),
        "graph not optimised": unoptimised,
        "ten bits of mantissa (TF32)": in_ten_bits,
    }
    if data is not None:
        found["int8 attention"] = partial(with_attention, model=int8(data, folder / "int8.onnx"))
    if has_cuda():
        found["CUDA"] = partial(plain, device="cuda")
    return found


def in_own_process(way: Way, libraries: Path | None = None) -> Golden:
    """Models that are loaded stay so for as long as a process lives; it takes over where this one looks for modules."""
    before = sys.path.copy()
    if libraries is not None:
        sys.path.insert(0, str(libraries))
    try:
        return _spawned(way)
    finally:
        sys.path[:] = before


def _spawned(way: Way) -> Golden:
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        return pool.submit(way, Path(folder)).result()


def row(name: str, moved: Shifts) -> str:
    """A line of the table."""
    scores, areas = moved.scores, moved.area_scores
    sizes = (scores.value_new - scores.value_old).abs()
    bounds = np.abs(scores[["lo_new", "hi_new"]].to_numpy() - scores[["lo_old", "hi_old"]].to_numpy())
    seen = areas[areas.metric.isin(["attention", "percentage_seen"])]
    points = (seen.value_new - seen.value_old).abs()
    cells = [sizes.median(), sizes.quantile(0.95), sizes.max(), np.nanmax(bounds), points.quantile(0.95), points.max()]
    told = " | ".join(f"{cell:.3f}" for cell in cells)
    return f"| {name} | {told} | {moved.areas.alone} of {moved.areas.n_old} | {moved.cells / 100:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="Training data, to make an int8 model; models/training/README.md.")
    parser.add_argument(
        "--libraries", type=Path, help="Folder with other versions of libraries (pip install --target)."
    )
    parser.add_argument("--only", default="", help="Only ways of computing whose name holds this.")
    args = parser.parse_args()
    print("| | scores: median | 95 % | largest | interval | areas: 95 % | largest | alone | cell, % |")
    print("|---|---|---|---|---|---|---|---|---|")
    base = numbers_of(in_own_process(plain))
    with tempfile.TemporaryDirectory() as folder:
        for name, way in ways(Path(folder), args.data).items():
            if args.only in name:
                print(row(name, shifts(base, numbers_of(in_own_process(way)))), flush=True)
    if args.libraries is not None:
        golden = in_own_process(plain, args.libraries)
        named = ", ".join(f"{name} {golden['made_with'][name]}" for name in ("onnxruntime", "opencv", "pillow"))
        print(row(named, shifts(base, numbers_of(golden))))


if __name__ == "__main__":
    main()
