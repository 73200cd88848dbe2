"""From files of a training to what could ship, and whether it should: `python ship.py detector|attention FILE ...`.

Exports to ONNX and checks it against torch; calibrates; scores dev beside the model that ships; and says "ship" or "do
not ship" by rules that were written before any such model was trained. Held-out pictures are not looked at: that is
done once, with what is to ship.

Detector, on the modern designs of dev, average precision at IoU .5, both in one run: the mean of product and logo
rises by `LEAST_GAIN`, with an interval (90 %, pictures resampled) above 0; faces, persons and buttons lose at most
`MOST_LOSS` each; a picture takes at most `MOST_TIME` times as long; the file has at most `MOST_MB`. Its int8 form ships
instead of float16 if it takes at most `INT8_TIME` of the time and the mean of all types loses at most `INT8_LOSS`.

Attention, CC over the whole exposure, of a student that was trained without dev: on the ads of SalECI at least
`LEAST_CC`, and on each set that nobody was trained on at most `MOST_CC_LOSS` below what ships. What ships has seen dev
of the others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

sys.path += [str(Path(__file__).resolve().parents[1] / "objects"), str(Path(__file__).resolve().parents[1])]
from architecture import load
from examples import modern, size_for
from quantise import widen_weights
from score import LABELS, by_port, tallies
from score import modern as modern_truths
from tally import Tally
from to_onnx import calibrate, export, write_card

from mediaan.evaluation.saliency.suite import SuiteEvaluation, SuiteRow
from mediaan.vision.objects.detector import load_detector

TRAINING = Path(__file__).resolve().parents[1]
SHIPS = "objects"  # the detector that ships, by its name
LEAST_GAIN, MOST_LOSS, MOST_TIME, MOST_MB = 0.03, 0.02, 3.0, 15.0
LEAST_CC, MOST_CC_LOSS = 0.754, 0.005
"""Member a of today's recipe, trained without dev, has .746 on the ads of dev."""
UNSEEN = ("mit1003", "pascal_s", "fiwi", "faces_video")
"""Sets of dev that no model was trained on."""
INT8_TIME, INT8_LOSS = 0.8, 0.005
SOUGHT, KEPT = ("product", "logo"), ("face", "person", "button")
RESAMPLED = 2000
CALIBRATION_PICTURES = 16  # half a gigabyte of activations each


class Measured(NamedTuple):
    """A detector on dev: tallies by type, milliseconds a picture in one thread, reading it included, MB of its file."""

    tallies: dict[str, Tally]
    ms: float
    mb: float = 0.0

    def average_precision(self, types: Iterable[str], times: np.ndarray | None = None) -> float:
        """Mean over types."""
        return float(np.mean([self.tallies[kind].average_precision(times) or 0.0 for kind in types]))


class Change(NamedTuple):
    """A difference, and its interval."""

    value: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.value:+.3f} [{self.lo:+.3f}, {self.hi:+.3f}]"


def change(new: Measured, old: Measured, types: Sequence[str]) -> Change:
    """Difference of the mean average precision of some types; interval (90 %) over resampled pictures."""
    count = len(next(iter(new.tallies.values())).boxes)
    draws = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), RESAMPLED).astype(float)
    apart = [new.average_precision(types, times) - old.average_precision(types, times) for times in draws]
    return Change(new.average_precision(types) - old.average_precision(types), *np.quantile(apart, [0.05, 0.95]))


def measure(models: dict[str, Path], data: Path, repeats: int = 3) -> dict[str, Measured]:
    """What ships and detectors by their cards, on the modern designs of dev; times in turns, the least of each."""
    truths = modern_truths("dev", data / "ads" / "images")
    named: dict[str, str | Path] = {SHIPS: SHIPS, **models}
    detect = {name: by_port(load_detector(model, "cpu", threads=1)) for name, model in named.items()}
    scores = {name: tallies(run, truths) for name, run in detect.items()}
    ms = dict.fromkeys(named, np.inf)
    for _ in range(repeats):
        for name, run in detect.items():
            began = time.perf_counter()
            for path in truths:
                run(path)
            ms[name] = min(ms[name], 1000 * (time.perf_counter() - began) / len(truths))
    mb = {name: card.with_suffix(".onnx").stat().st_size / 1e6 for name, card in models.items()}
    return {name: Measured(scores[name], ms[name], mb.get(name, 0.0)) for name in named}


class Pictures(CalibrationDataReader):  # type: ignore[misc]
    """Designs that were trained on, one by one, at one size."""

    def __init__(self, data: Path, area: int, count: int) -> None:
        chosen = modern(LABELS, data / "ads" / "images", ("train",))
        height, width = size_for(4, 3, area)
        self.feed = (
            {"rgb": cv2.cvtColor(cv2.resize(cv2.imread(str(e.path)), (width, height)), cv2.COLOR_BGR2RGB)[None]}
            for e in chosen[:: max(1, len(chosen) // count)]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feed, None)


def quantise(model: Path, out: Path, pictures: CalibrationDataReader) -> None:
    """Static int8 of the convolutions but for the last of each head, per channel, QDQ."""
    with tempfile.TemporaryDirectory() as folder:
        widened, prepared = Path(folder) / "widened.onnx", Path(folder) / "prepared.onnx"
        graph = onnx.load(model)
        widen_weights(graph.graph)
        onnx.save(graph, widened)
        quant_pre_process(str(widened), str(prepared), skip_symbolic_shape=True)
        last = ("/score/", "/sides/", "/on_pack/")
        convolutions = [node.name for node in onnx.load(prepared).graph.node if node.op_type == "Conv"]
        quantize_static(
            str(prepared), str(out), pictures, quant_format=QuantFormat.QDQ, per_channel=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, op_types_to_quantize=["Conv"],
            nodes_to_exclude=[name for name in convolutions if any(part in name for part in last)],
            calibrate_method=CalibrationMethod.Percentile, extra_options={"CalibPercentile": 99.99},
        )  # fmt: skip


def ship_detector(args: argparse.Namespace) -> bool:
    """Files of `detector.py`, runs that began from one another, to `objects.onnx` and a verdict."""
    args.out.mkdir(parents=True, exist_ok=True)
    net = load(*args.files)
    models: dict[str, Path] = {}
    for area in args.areas:
        half, int8 = args.out / f"objects_{area}.onnx", args.out / f"objects_{area}_int8.onnx"
        export(net, half)
        quantise(half, int8, Pictures(args.data, area, CALIBRATION_PICTURES))
        for file in (half, int8):
            write_card(file, net.config, {}, area)
            card = file.with_suffix(".toml")
            write_card(file, net.config, calibrate(card, args.data), area)
            models[file.stem] = card
    measured = measure(models, args.data)
    types = list(measured[SHIPS].tallies)
    print(f"| modern designs of dev | ms | {' | '.join(types)} |\n|---|---|{'---|' * len(types)}")
    for name, m in measured.items():
        print(f"| {name} | {m.ms:.0f} | {' | '.join(f'{m.average_precision([kind]):.3f}' for kind in types)} |")
    verdicts = []
    for name in models:
        reasons = reasons_against(measured[name], measured[SHIPS])
        if name.endswith("_int8"):
            reasons += reasons_against_int8(measured[name], measured[name.removesuffix("_int8")], types)
        print(f"{name}: {'ship' if not reasons else 'do not ship: ' + '; '.join(reasons)}")
        verdicts.append(not reasons)
    return any(verdicts)


def reasons_against(new: Measured, old: Measured) -> list[str]:
    """Why a detector should not ship; empty if it should."""
    gain = change(new, old, SOUGHT)
    reasons = []
    if gain.value < LEAST_GAIN or gain.lo <= 0:
        reasons.append(f"{' and '.join(SOUGHT)} change by {gain}, wanted {LEAST_GAIN:+} and an interval above 0")
    for kind in KEPT:
        loss = old.average_precision([kind]) - new.average_precision([kind])
        if loss > MOST_LOSS:
            reasons.append(f"{kind} loses {loss:.3f}, at most {MOST_LOSS}")
    if new.mb > MOST_MB:
        reasons.append(f"its file has {new.mb:.1f} MB, at most {MOST_MB:g}")
    if new.ms > MOST_TIME * old.ms:
        reasons.append(f"takes {new.ms / old.ms:.1f} x as long, at most {MOST_TIME}")
    return reasons


def reasons_against_int8(int8: Measured, half: Measured, types: Sequence[str]) -> list[str]:
    """Why int8 should not ship instead of float16."""
    loss = half.average_precision(types) - int8.average_precision(types)
    reasons = [f"int8 loses {loss:.3f}, at most {INT8_LOSS}"] if loss > INT8_LOSS else []
    if int8.ms > INT8_TIME * half.ms:
        reasons.append(f"int8 takes {int8.ms / half.ms:.2f} of the time, at most {INT8_TIME}")
    return reasons


def ship_attention(args: argparse.Namespace) -> bool:
    """`student.pt` of `attention.py` to `attention.onnx` and a verdict."""
    args.out.mkdir(parents=True, exist_ok=True)
    (student,) = args.files
    figures = args.out / "dev.json"

    def run(script: str, *options: object) -> None:
        subprocess.run([sys.executable, str(TRAINING / script), *map(str, options)], check=True)

    run("readouts.py", student, args.out / "calibrated.pt", "--data", args.data)
    run("accuracy.py", "card", args.out / "calibrated.pt", args.out, "--name", "attention", "--twice")
    compared = ("--model", args.out / "attention.toml", "--against", "attention", "--json", figures)
    limit = ("--limit", args.limit) if args.limit else ()
    run("accuracy.py", "score", "dev", "--data", args.data, "--cache", args.out / "people", *compared, *limit)
    reasons = reasons_against_attention(SuiteEvaluation.from_dict(json.loads(figures.read_text())).sets)
    print("ship" if not reasons else f"do not ship: {'; '.join(reasons)}")
    return not reasons


def reasons_against_attention(rows: Iterable[SuiteRow]) -> list[str]:
    """Why an attention model should not ship; empty if it should."""
    reasons = []
    for row in (row for row in rows if row.window == "total"):
        cc, difference = row.metrics["cc"].model, row.differences["cc"]
        if row.name == "saleci" and (cc is None or cc < LEAST_CC):
            reasons.append(f"CC on saleci is {cc:.3f}, at least {LEAST_CC}")
        if row.name in UNSEEN and difference is not None and difference.mean < -MOST_CC_LOSS:
            reasons.append(f"CC on {row.name} falls by {-difference.mean:.3f}, at most {MOST_CC_LOSS}")
    return reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("detector", "attention"))
    parser.add_argument("files", type=Path, nargs="+", help="what came back: weights.pt, or student.pt")
    parser.add_argument("--data", type=Path, required=True, help="the whole data folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--areas", type=int, nargs="+", default=[196_608, 294_912], help="detector: px² to try")
    parser.add_argument("--limit", type=int, help="attention: only so many pictures of each set, to try this out")
    args = parser.parse_args()
    ships = {"detector": ship_detector, "attention": ship_attention}[args.what](args)
    raise SystemExit(0 if ships else 1)


if __name__ == "__main__":
    main()
