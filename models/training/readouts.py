"""Calibrate the readouts on sets that nobody trains on: `readouts.py CHECKPOINT OUT.pt --data DATA`.

A few numbers of a finished network are fitted to eye tracking of web pages and of two other laboratories' photographs,
which may choose and calibrate but not teach (their pictures have no licence): how surely the domains are told apart
(one temperature and one bias each), so that photographs of an unknown laboratory are read out as a mixture of those
that are known; and the readout of pages (sharpness, centre prior, blur). The network itself stays as it is.

Prints what is gained on pictures left out of the fit (five folds).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from batches import SIGMA
from export import load, smaller
from losses import correlation, kld, nss
from network import DOMAINS, STRIDE, AttentionNet
from precision import device_and_precision
from torch import Tensor, nn

from mediaan.media import view_size
from mediaan.saliency.density import fixation_counts, fixation_density
from mediaan.types.media import ViewSpec

VIEW = ViewSpec("attention", pixels=196_608, multiple=32, upscale=True)
SETS = {"fiwi": "gaze/dev/fiwi", "mit1003": "gaze/dev/mit1003", "pascal_s": "gaze/dev/pascal_s"}
KEPT = {"osie": "gaze/osie", "crowd": "gaze/crowd", "scene": "gaze/scene", "saleci": "gaze/saleci"}
"""Sets whose dev pictures must not lose by it; the larger their weight, the less they may."""

FOLDS, STEPS, RATE = 5, 150, 0.03
PAGE = DOMAINS.index("page")
TOTAL = 2  # index of the window


@dataclass(frozen=True)
class Example:
    """One picture: what the network says before any readout, and where people looked, on its grid."""

    set: str
    looks: tuple[Tensor, Tensor]  # (1, 3, h, w) each, upright; see export.Exported
    domain: Tensor  # (1, D)
    target: Tensor  # (h, w)
    counts: Tensor  # (h, w)


class Calibration(nn.Module):
    """What may change: temperature and biases of the domains, and the readout of pages."""

    def __init__(self, net: AttentionNet) -> None:
        super().__init__()
        self.log_temperature = nn.Parameter(torch.zeros(()))
        self.bias = nn.Parameter(torch.zeros(len(DOMAINS)))
        readout = net.readout
        self.page = nn.ParameterDict(
            {name: nn.Parameter(getattr(readout, name)[PAGE].detach().clone()) for name in PAGE_PARAMETERS}
        )

    def density(self, net: AttentionNet, example: Example) -> Tensor:
        share = (example.domain / self.log_temperature.exp() + self.bias).softmax(1)
        state = {}
        for name in PAGE_PARAMETERS:
            rows = getattr(net.readout, name).detach()
            mask = torch.zeros(len(DOMAINS), *[1] * (rows.ndim - 1))
            mask[PAGE] = 1
            state[name] = rows * (1 - mask) + self.page[name] * mask
        first, second = (torch.func.functional_call(net.readout, state, (look, share)).exp() for look in example.looks)
        second = F.interpolate(second, size=first.shape[2:], mode="bilinear")
        return ((first + second / second.sum((2, 3), keepdim=True)) / 2)[0, TOTAL]


PAGE_PARAMETERS = ("log_sharpness", "domain_strength", "domain_weight", "blur")


@torch.no_grad()
def examples(net: AttentionNet, data: Path, split: Path) -> Iterator[Example]:
    """All pictures of `SETS`, and the dev pictures of `KEPT`."""
    _, precision = device_and_precision()
    for name, folder in {**SETS, **KEPT}.items():
        groups = dict(iter(pd.read_parquet(data / folder / "fixations.parquet").groupby("image")))
        wanted = set((split / f"dev/{name}.txt").read_text().split()) if name in KEPT else None
        for path in sorted((data / folder / "images").iterdir()):
            if path.stem not in groups or (wanted is not None and path.stem not in wanted):
                continue
            rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
            w, h = view_size(rgb.shape[1], rgb.shape[0], VIEW)
            shown = cv2.resize(rgb, (w, h), interpolation=cv2.INTER_AREA if w < rgb.shape[1] else cv2.INTER_LINEAR)
            x = torch.from_numpy(shown)[None].permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last)
            small = F.interpolate(x.flip(3), size=(smaller(h), smaller(w)), mode="bilinear")
            with torch.autocast("cpu", precision or torch.bfloat16, enabled=precision is not None):
                logit, _, domain = net.features(x)
                mirrored, _, _ = net.features(small)
            rows = groups[path.stem]
            where = (rows["x"].clip(0, 0.99999), rows["y"].clip(0, 0.99999), (h // STRIDE, w // STRIDE))
            target, counts = fixation_density(*where, sigma=SIGMA), fixation_counts(*where)
            looks = (logit, mirrored.flip(3))
            yield Example(name, looks, domain, torch.from_numpy(target), torch.from_numpy(counts).float())


def loss(calibration: Calibration, net: AttentionNet, chosen: list[Example]) -> Tensor:
    """Each set counts the same: 1 - CC + KLD / 4."""
    terms: dict[str, list[Tensor]] = {}
    for example in chosen:
        density = calibration.density(net, example)
        value = 1 - correlation(density, example.target) + 0.25 * kld(density, example.target)
        terms.setdefault(example.set, []).append(value)
    return torch.stack([torch.stack(values).mean() for values in terms.values()]).mean()


def fit(net: AttentionNet, chosen: list[Example], seed: int = 0) -> Calibration:
    calibration, rng = Calibration(net), np.random.default_rng(seed)
    optimiser = torch.optim.Adam(calibration.parameters(), RATE)
    by_set = {name: [e for e in chosen if e.set == name] for name in {e.set for e in chosen}}
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - step / STEPS)
        batch = [members[i] for members in by_set.values() for i in rng.integers(len(members), size=6)]
        value = loss(calibration, net, batch) + 1e-3 * calibration.bias.square().sum()
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
    return calibration


@torch.no_grad()
def table(calibration: Calibration, net: AttentionNet, chosen: list[Example]) -> dict[str, list[tuple[float, float]]]:
    """CC and NSS of each picture by set."""
    by_domain: dict[str, list[tuple[float, float]]] = {}
    for example in chosen:
        density = calibration.density(net, example)
        scores = (float(correlation(density, example.target)), float(nss(density, example.counts)))
        by_domain.setdefault(example.set, []).append(scores)
    return by_domain


def show(title: str, scores: dict[str, list[tuple[float, float]]]) -> None:
    cells = [f"{name} {np.mean(rows, 0)[0]:.3f} / {np.mean(rows, 0)[1]:.2f}" for name, rows in scores.items()]
    print(f"{title:22s} " + "  ".join(cells), flush=True)


def apply(calibration: Calibration, net: AttentionNet) -> None:
    """Write the fitted numbers into the network."""
    with torch.no_grad():
        last = net.domain[-1]
        last.weight /= calibration.log_temperature.exp()
        last.bias.copy_(last.bias / calibration.log_temperature.exp() + calibration.bias)
        for name in PAGE_PARAMETERS:
            getattr(net.readout, name)[PAGE] = calibration.page[name]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--no-folds", action="store_true", help="fit only")
    args = parser.parse_args()
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    net = load(args.checkpoint).to(memory_format=torch.channels_last).eval()
    chosen = list(examples(net, args.data, Path(__file__).parent / "split"))
    show("before", table(Calibration(net), net, chosen))
    if not args.no_folds:
        left_out: dict[str, list[tuple[float, float]]] = {}
        for fold in range(FOLDS):
            inside = [e for i, e in enumerate(chosen) if i % FOLDS != fold]
            calibration = fit(net, inside)
            for name, rows in table(calibration, net, chosen[fold::FOLDS]).items():
                left_out.setdefault(name, []).extend(rows)
        show("left out of the fit", left_out)
    calibration = fit(net, chosen)
    show("fitted", table(calibration, net, chosen))
    print(f"temperature {calibration.log_temperature.exp():.2f}, bias {calibration.bias.detach().numpy().round(2)}")
    apply(calibration, net)
    state = torch.load(args.checkpoint, map_location="cpu", weights_only=True)
    torch.save({"encoder": state["encoder"], "average": net.state_dict()}, args.out)


if __name__ == "__main__":
    main()
