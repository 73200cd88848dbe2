"""Teach the attention model that ships what a design is: `designs.py OUT.onnx --data DATA --cache FOLDER`.

Two things of the file change, and nothing else. The last layer of the domain head is fitted again on the pictures that
the network learned from, so that fewer designs are read out as ads: multinomial logistic regression on the 64 numbers
before it, held near the weights that it had; the rows of photographs stay, which were calibrated on the photographs of
other laboratories (`readouts.py`). And the readout of designs (sharpness and centre prior) is chosen on
`gaze/dev/gdi`, by where people clicked to see a blurred design sharp. What others marked there as important is only
reported: marks are made at leisure and ask for a flatter density, with which focus ranks pages and ads worse.

Prints the head by folds of near-duplicates, the readout by folds of designs, and the CC of each set of dev.
With `--curve` it only prints what flatter designs are worth; OUT is not written.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnxruntime as ort
import pandas as pd
from corpus import FOLDERS, category_and_domain, clusters, kinds_of_ads, perceptual_hash
from network import DOMAINS, KINDS
from onnx import TensorProto, helper, numpy_helper
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from scipy.stats import spearmanr

from mediaan.media.views import resize_to_view
from mediaan.metrics.scores.concentration import concentration
from mediaan.saliency.density import fixation_density
from mediaan.saliency.onnx.weights import extract_subgraph
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.media import ViewSpec

ROOT = Path(__file__).parents[2]
VIEW = ViewSpec("attention", pixels=196_608, multiple=32, upscale=True)
HIDDEN = "/domain/domain.1/Relu_output_0"  # (n, 64), what the last layer of the domain head sees
LOGITS = ("/Cast_3_output_0", "/Slice_7_output_0")  # of the two looks, (n, 3, h, w), before any readout
WEIGHT, BIAS = "net.domain.2.weight", "net.domain.2.bias"
SHARPNESS, STRENGTH = "net.readout.log_sharpness", "net.readout.domain_strength"
CHANGED = (WEIGHT, BIAS, SHARPNESS, STRENGTH)
"""Tensors of the file that may change."""

DESIGN, TOTAL = DOMAINS.index("design"), 2
FITTED = np.array([[domain not in KINDS["photo"]] for domain in DOMAINS])  # rows of the last layer
MEMBER = np.array([[domain in names for names in KINDS.values()] for domain in DOMAINS], float)  # (domains, kinds)
FOLDS = 5
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1)
ENOUGH = 1.01  # the largest penalty is taken whose cross-entropy is at most so many times the least
SHARPER = np.arange(-0.6, 0.21, 0.05)  # what is added to the logarithm of the sharpness of designs
CURVE = np.arange(0.4, 1.11, 0.1)  # by what --curve multiplies the sharpness of designs, or raises their density to
STRONGER = np.arange(-0.3, 0.21, 0.05)  # and to the strength of their centre prior
VIEWED = {
    "gdi": "gaze/dev/gdi", "fiwi": "gaze/dev/fiwi", "mit1003": "gaze/dev/mit1003", "pascal_s": "gaze/dev/pascal_s",
    "saleci": "gaze/saleci", "osie": "gaze/osie", "crowd": "gaze/crowd", "scene": "gaze/scene",
}  # fmt: skip
"""Sets of dev; of those that were trained on, the pictures of `split/dev`."""

Parameters = dict[str, np.ndarray]


@dataclass(frozen=True)
class Taught:
    """Pictures that the network learned from: what the last layer sees, (n, 64), shares of domains, (n, D), and names.

    `fold` is the same for near-duplicates.
    """

    hidden: Float64
    domain: Float64
    names: list[str]
    fold: np.ndarray

    @property
    def weight(self) -> Float64:
        """Weight of each picture, so that each domain has the same."""
        weight = (self.domain / self.domain.sum(0)).sum(1)
        return np.asarray(weight / weight.sum(), np.float64)


@dataclass(frozen=True)
class Viewed:
    """A picture of dev: what the network says of it before any readout, and where people looked or what they marked."""

    set: str
    hidden: Float32
    logits: tuple[Float32, Float32]
    targets: tuple[Float32, ...]


def session_of(model: bytes, *tensors: str) -> ort.InferenceSession:
    return ort.InferenceSession(extract_subgraph(model, *tensors), providers=["CPUExecutionProvider"])


def picture(path: Path) -> UInt8:
    return np.asarray(cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB), np.uint8)


def read_taught(model: bytes, data: Path, split: Path) -> Taught:
    """All pictures of the training sets but the held-out ones."""
    session, kinds = session_of(model, HIDDEN), kinds_of_ads(data)
    hidden, domains, names, hashes = [], [], [], []
    for name, folder in FOLDERS.items():
        held_out = set((split / f"held_out/{name}.txt").read_text().split())
        for path in sorted((data / folder / "images").iterdir()):
            if path.stem in held_out:
                continue
            rgb = picture(path)
            hidden.append(session.run(None, {"rgb": resize_to_view(rgb, VIEW)[None]})[0][0])
            category, domain = category_and_domain(name, path.stem, kinds)
            domains.append(domain)
            names.append(f"{name}/{category}")
            hashes.append(perceptual_hash(rgb))
    return Taught(np.array(hidden, np.float64), np.array(domains, np.float64), names, folds(clusters(hashes)))


def folds(labels: Sequence[int]) -> np.ndarray:
    """Return a fold for each label, by its hash."""
    return np.array([int(hashlib.sha256(f"fold {label}".encode()).hexdigest(), 16) % FOLDS for label in labels])


def read_viewed(model: bytes, data: Path, split: Path, sets: Sequence[str] = tuple(VIEWED)) -> Iterator[Viewed]:
    """Pictures of `sets`; those of gdi have two targets, what people marked as important and their clicks."""
    session = session_of(model, HIDDEN, *LOGITS)
    for name in sets:
        folder = VIEWED[name]
        dev = split / f"dev/{name}.txt"
        wanted = set(dev.read_text().split()) if dev.exists() else None
        for stem, rows in pd.read_parquet(data / folder / "fixations.parquet").groupby("image"):
            if wanted is not None and stem not in wanted:
                continue
            rgb = picture(next((data / folder / "images").glob(f"{stem}.*")))
            hidden, first, second = session.run(None, {"rgb": resize_to_view(rgb, VIEW)[None]})
            below = np.nextafter(1, 0)
            target = fixation_density(rows["x"].clip(0, below), rows["y"].clip(0, below), first.shape[2:])
            marked = data / folder / "importance" / f"{stem}.png"
            importance = [cv2.imread(str(marked), cv2.IMREAD_GRAYSCALE).astype(np.float32)] if marked.exists() else []
            yield Viewed(name, hidden, (first, second), (*importance, target))


def fit_head(taught: Taught, start: Parameters, penalty: float, rows: np.ndarray | None = None) -> Parameters:
    """Fit the last layer to pictures, `penalty` times the squared distance from the weights that it had."""
    rows = np.ones(len(taught.hidden), bool) if rows is None else rows
    seen = np.column_stack([taught.hidden[rows], np.ones(rows.sum())])
    domain, weight = taught.domain[rows], taught.weight[rows, None] / taught.weight[rows].sum()
    begun = np.column_stack([start[WEIGHT], start[BIAS]]).astype(np.float64)

    def loss(flat: Float64) -> tuple[float, Float64]:
        layer = flat.reshape(begun.shape)
        log_share = log_softmax(seen @ layer.T, axis=1)
        away = layer - begun
        gradient = (weight * (np.exp(log_share) - domain)).T @ seen + 2 * penalty * away
        return float(-(weight * domain * log_share).sum() + penalty * (away**2).sum()), (FITTED * gradient).ravel()

    layer = minimize(loss, begun.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 150}).x.reshape(begun.shape)
    return {**start, WEIGHT: layer[:, :-1].astype(np.float32), BIAS: layer[:, -1].astype(np.float32)}


def kinds_seen(parameters: Parameters, hidden: np.ndarray) -> Float64:
    """Shares of the kinds in pictures, (n, kinds)."""
    return np.asarray(softmax(hidden @ parameters[WEIGHT].T + parameters[BIAS], axis=1) @ MEMBER, np.float64)


def entropy(parameters: Parameters, taught: Taught, rows: np.ndarray) -> float:
    """Cross-entropy of some pictures, nats."""
    log_share = log_softmax(taught.hidden[rows] @ parameters[WEIGHT].T + parameters[BIAS], axis=1)
    weight = taught.weight[rows]
    return float(-(weight[:, None] * taught.domain[rows] * log_share).sum() / weight.sum())


class Readout:
    """The readout alone: densities and domains from what the network says, with `CHANGED` as inputs."""

    def __init__(self, model: bytes) -> None:
        proto = onnx.ModelProto.FromString(model)
        graph = proto.graph
        stored = {tensor.name: tensor for tensor in graph.initializer}
        self.shipped: Parameters = {name: numpy_helper.to_array(stored[name]).copy() for name in CHANGED}
        given = {HIDDEN, *LOGITS, "domain_weight", *CHANGED}
        needed, nodes = {"density"}, []
        for node in reversed(graph.node):
            if needed.intersection(node.output) and not given.intersection(node.output):
                nodes.append(node)
                needed.update(node.input)
        shapes: dict[str, list[int | None]] = {name: list(array.shape) for name, array in self.shipped.items()}
        shapes |= {HIDDEN: [None, 64], "domain_weight": [1, len(KINDS)]}
        shapes |= {name: [None, 3, None, None] for name in LOGITS}
        alone = helper.make_graph(
            nodes[::-1], "readout",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()],
            [helper.make_tensor_value_info("density", TensorProto.FLOAT, None)],
            [tensor for name, tensor in stored.items() if name in needed - given],
        )  # fmt: skip
        cut = helper.make_model(alone, opset_imports=proto.opset_import, ir_version=proto.ir_version)
        self.session = ort.InferenceSession(cut.SerializeToString(), providers=["CPUExecutionProvider"])

    def density(self, viewed: Viewed, parameters: Parameters, domain: str | None = None) -> Float32:
        """Density of the whole exposure, of the domain that is seen or of one that is stated."""
        weight = np.array([[domain in (None, name) for name in KINDS]], np.float32)
        feed = {HIDDEN: viewed.hidden, "domain_weight": weight}
        feed |= dict(zip(LOGITS, viewed.logits, strict=True))
        return np.asarray(self.session.run(None, {**feed, **parameters})[0][0, TOTAL])

    def scores(self, viewed: Viewed, parameters: Parameters, domain: str | None = None) -> list[float]:
        """CC of that density with each target."""
        density = self.density(viewed, parameters, domain)
        return [correlation(density, target) for target in viewed.targets]


def correlation(density: Float32, target: Float32) -> float:
    """CC on the grid of the target."""
    shown = cv2.resize(density, target.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return float(np.corrcoef(shown.ravel(), target.ravel())[0, 1])


def changed(parameters: Parameters, sharper: float, stronger: float) -> Parameters:
    """Change the readout of designs."""
    both = {SHARPNESS: parameters[SHARPNESS].copy(), STRENGTH: parameters[STRENGTH].copy()}
    both[SHARPNESS][DESIGN] += sharper
    both[STRENGTH][DESIGN] += stronger
    return {**parameters, **both}


def write(model: bytes, parameters: Parameters, out: Path) -> None:
    """Write the model with these parameters; whatever else is in it stays as it is."""
    proto = onnx.ModelProto.FromString(model)
    for tensor in proto.graph.initializer:
        name = tensor.name.removesuffix("_half")  # large ones, see export.halve_weights
        if name in parameters:
            values = parameters[name].astype(numpy_helper.to_array(tensor).dtype)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    onnx.checker.check_model(proto, full_check=True)
    onnx.save(proto, out)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB, sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}")


def choose_head(taught: Taught, shipped: Parameters) -> Parameters:
    """Fit the last layer with a penalty that is chosen by folds, and print what it makes of pictures left out."""
    errors, everything = {}, np.ones(len(taught.names), bool)
    kinds: dict[float, Float64] = {}
    for penalty in PENALTIES:
        left_out = np.zeros((len(taught.names), len(KINDS)))
        parts = []
        for fold in range(FOLDS):
            out = taught.fold == fold
            head = fit_head(taught, shipped, penalty, ~out)
            parts.append(entropy(head, taught, out))
            left_out[out] = kinds_seen(head, taught.hidden[out])
        errors[penalty], kinds[penalty] = float(np.mean(parts)), left_out
    penalty = max(penalty for penalty, error in errors.items() if error <= ENOUGH * min(errors.values()))
    print(f"cross-entropy, nats: shipped {entropy(shipped, taught, everything):.3f}; left out, by penalty: ", end="")
    print(", ".join(f"{penalty:g} {error:.3f}" for penalty, error in errors.items()), f"; {penalty:g} is taken")
    print_kinds(taught, kinds_seen(shipped, taught.hidden), kinds[penalty])
    return fit_head(taught, shipped, penalty, everything)


def print_kinds(taught: Taught, before: Float64, after: Float64) -> None:
    """Print how often each kind of picture is read out as what it is, before and after."""
    names, mass = list(KINDS), taught.domain @ MEMBER
    truth = np.where(mass.max(1) == 1, mass.argmax(1), -1)
    for kind, name in enumerate(names):
        rows = truth == kind
        shares = [float((shown[rows].argmax(1) == kind).mean()) for shown in (before, after)]
        print(f"{name:8s} {rows.sum():5d} pictures, read out as that: {shares[0]:.3f} before, {shares[1]:.3f} after")


def choose_readout(readout: Readout, viewed: Sequence[Viewed], head: Parameters) -> Parameters:
    """Choose sharpness and prior of designs by the CC with clicks; prints folds.

    The domain is seen, and stated: the readout must fit a picture that is surely a design, too.
    """
    designs = [each for each in viewed if each.set == "gdi"]
    grid = [(0.0, 0.0), *product(SHARPER.round(2), STRONGER.round(2))]
    scores = np.array(
        [
            [
                readout.scores(each, parameters) + readout.scores(each, parameters, "design")
                for parameters in [changed(head, *both)]
                for each in designs
            ]
            for both in grid
        ]
    )
    clicks = scores[:, :, 1::2]  # after each CC with what was marked
    fold = np.arange(len(designs)) % FOLDS
    left_out = np.zeros(scores.shape[1:])
    for part in range(FOLDS):
        best = int(clicks[:, fold != part].mean((1, 2)).argmax())
        left_out[fold == part] = scores[best, fold == part]
        print(f"without fold {part}: sharper {grid[best][0]:+.2f}, prior stronger {grid[best][1]:+.2f}")
    sharper, stronger = grid[int(clicks.mean((1, 2)).argmax())]
    print(f"CC with importance / clicks, and with design stated: {as_text(scores[0])} with the head alone, ", end="")
    print(f"{as_text(left_out)} left out")
    print(f"taken: sharper {sharper:+.2f}, prior stronger {stronger:+.2f}")
    return changed(head, sharper, stronger)


def as_text(scores: Float64) -> str:
    """Means over pictures, (n, targets)."""
    return " / ".join(f"{value:.3f}" for value in scores.mean(0))


def print_curve(readout: Readout, viewed: Sequence[Viewed]) -> None:
    """Print what flatter designs are worth: CC with marks and clicks, and how focus of pages goes with the viewers'.

    Flatter by the sharpness of designs, or by a power of the density, 1 where a picture is no design. What a choice by
    marks or by clicks leaves of the other is that of a choice made without each design in turn.
    """
    designs = [each for each in viewed if each.set == "gdi"]
    pages = [each for each in viewed if each.set == "fiwi"]
    people = [concentration(each.targets[-1]) for each in pages]
    print("| flatter by | times | importance, clicks | focus of pages |\n|---|---|---|---|")
    for by in ("sharpness", "power"):
        scores = []
        for much in CURVE:
            row = [
                [correlation(flattened(readout, each, by, much), target) for target in each.targets] for each in designs
            ]
            scores.append(row)
            importance, clicks = np.mean(row, 0)
            focus = [concentration(flattened(readout, each, by, much)) for each in pages]
            agreement = spearmanr(focus, people)[0]
            print(f"| {by} | {much:.1f} | {importance:.3f}, {clicks:.3f} | {agreement:.3f} |")
        every = np.array(scores)  # (CURVE, designs, targets)
        others = every.sum(1, keepdims=True) - every
        for target, name in enumerate(("importance", "clicks")):
            best = others[:, :, target].argmax(0)
            importance, clicks = every[best, np.arange(len(designs))].mean(0)
            chosen = CURVE[best]
            print(f"| {by}, by {name} | {chosen.min():.1f} to {chosen.max():.1f} | {importance:.3f}, {clicks:.3f} | |")


def flattened(readout: Readout, viewed: Viewed, by: str, much: float) -> Float32:
    """Density of a picture with a flatter readout of designs."""
    if by == "sharpness":
        return readout.density(viewed, changed(readout.shipped, float(np.log(much)), 0.0))
    share = kinds_seen(readout.shipped, viewed.hidden)[0, list(KINDS).index("design")]
    density = readout.density(viewed, readout.shipped) ** (1 - (1 - much) * share)
    return np.asarray(density / density.sum(), np.float32)


def print_sets(readout: Readout, viewed: Sequence[Viewed], steps: dict[str, Parameters]) -> None:
    """Print the mean CC of each set, by what changed; of gdi also with the domain stated."""
    for name, domain in [*((name, None) for name in VIEWED), ("gdi", "design")]:
        chosen = [each for each in viewed if each.set == name]
        cells = [
            f"{step} {as_text(np.array([readout.scores(each, parameters, domain) for each in chosen]))}"
            for step, parameters in steps.items()
        ]
        print(f"{name:9s} {domain or '':7s} {len(chosen):4d}  " + "   ".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path, default=ROOT / "models/attention.onnx")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="file that keeps what the head sees of the training pictures (.npz)")
    parser.add_argument("--curve", action="store_true", help="only print what flatter designs are worth")
    arguments = parser.parse_args()
    model, split = arguments.model.read_bytes(), Path(__file__).parent / "split"
    if arguments.curve:
        print_curve(Readout(model), [*read_viewed(model, arguments.data, split, ["gdi", "fiwi"])])
        return
    taught = cached(arguments.cache, model, arguments.data, split)
    viewed = list(read_viewed(model, arguments.data, split))
    readout = Readout(model)
    head = choose_head(taught, readout.shipped)
    both = choose_readout(readout, viewed, head)
    print_sets(readout, viewed, {"shipped": readout.shipped, "head": head, "head and readout": both})
    write(model, both, arguments.out)


def cached(path: Path | None, model: bytes, data: Path, split: Path) -> Taught:
    """Read the training pictures, or what is kept of them."""
    if path is not None and path.exists():
        with np.load(path) as kept:
            return Taught(kept["hidden"], kept["domain"], kept["names"].tolist(), kept["fold"])
    taught = read_taught(model, data, split)
    if path is not None:
        np.savez(path, hidden=taught.hidden, domain=taught.domain, names=taught.names, fold=taught.fold)
    return taught


if __name__ == "__main__":
    main()
