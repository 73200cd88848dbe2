"""Teach the decoder of the model that ships how people divide attention among kinds of areas in advertisements.

    python models/training/teach_areas.py OUT.onnx --data DATA --areas FILE

Only the decoder changes; encoder, domain head and readouts stay bit for bit. It learns from half of the advertisements
of SalECI that are not held out, by a hash of their names: the loss of `train.py`, with people and the model as it was
in equal parts as the target, and `share_loss` by kind of area (`area_shares.py`). On photographs, pages and designs it
is held to what the model said before. Prints shares on the other half, before and after, and the CC of sets of dev.

The encoder, and the decoder before, have learned from both halves, so that the CC of the other half is too high: what
counts is its change.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnx
import pandas as pd
import torch
import torch.nn.functional as F
from area_shares import DRAWN, HERE, KINDS, SET, Areas, found_texts, print_table, shares_of
from corpus import FOLDERS
from designs import HIDDEN, ROOT, TOTAL, VIEW, Readout, as_text, picture, read_viewed, session_of, write
from export import LEAST_SHARE
from losses import attention_loss, correlation, kld, nss, share_loss
from network import AttentionNet
from onnx import numpy_helper
from torch import Tensor

from mediaan.aoi.region import coverage
from mediaan.media.views import resize_to_view
from mediaan.saliency.density import fixation_counts, fixation_density
from mediaan.types.aoi import Box

AnyExample = TypeVar("AnyExample", bound="Example")
TEXTS = [KINDS.index(kind) for kind in ("headline", "body text", "price")]
JUDGED = ("gdi", "fiwi", "mit1003", "pascal_s")
HELD = {"osie": 12, "crowd": 12, "scene": 12, "web": 60, "ads": 200, "complexity": 60}
"""How many pictures of each set the decoder is held on, at most: the first by a hash of their names."""
ADS, OTHERS = 12, 12  # pictures in a batch
RATE, DECAY, WARM = 3e-4, 1e-2, 0.05
AVERAGED = 0.97


@dataclass(frozen=True)
class Example:
    """One picture: features of both looks, (c, h, w) float16, shares of domains (1, D), and densities as they were.

    `first` and `both`, (3, h, w), are those of the first look and of the mean of both.
    """

    looks: tuple[list[Tensor], list[Tensor]]
    share: Tensor
    first: Tensor
    both: Tensor


@dataclass(frozen=True)
class Ad(Example):
    """An advertisement: where people looked, (h, w), and its areas by kind, other last.

    `areas` (K, h, w) in [0, 1], `shares` (K,) of the fixations, `known` (K,) 1 where the kind was sought and is there.
    """

    name: str
    target: Tensor
    counts: Tensor
    areas: Tensor
    shares: Tensor
    known: Tensor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path, default=ROOT / "models/attention.onnx")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--areas", type=Path, help="file that keeps the texts that were found")
    parser.add_argument("--sought", type=int, default=10_000, help="look for texts in the first so many ads only")
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--weight", type=float, default=6.7, help="of the shares by kind of area; 0: none")
    parser.add_argument("--held", type=float, default=4, help="weight of what the model said before of other pictures")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_flush_denormal(True)
    model = args.model.read_bytes()
    before = Before(model)
    ads = list(read_ads(before, args.data, args.areas, args.sought))
    held = [before.example(path) for path in pictures_to_hold(args.data)]
    learned, other = ([ad for ad in ads if by_hash(ad.name) % 2 == half] for half in (0, 1))
    net = copy.deepcopy(before.net)
    teach(net, learned, held, args)
    parameters = {f"net.decoder.{name}": value.detach().numpy() for name, value in net.decoder.named_parameters()}
    write(model, parameters, args.out)
    for title, judged in {"Before": before.net, "After": net}.items():
        print(f"\n{title}: ", end="")
        print_shares(judged, other)
    for title, file in {"before": model, "after": args.out.read_bytes()}.items():
        readout = Readout(file)
        scores = defaultdict(list)
        for viewed in read_viewed(file, args.data, HERE / "split", JUDGED):
            scores[viewed.set].append(readout.scores(viewed, readout.shipped))
        print(f"CC {title}:", ", ".join(f"{name} {as_text(np.array(rows))}" for name, rows in scores.items()))


def by_hash(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def network_of(model: bytes) -> AttentionNet:
    """Read the network out of an exported file; what is unused at run time is not in it and stays as it was made."""
    stored = {
        tensor.name.removesuffix("_half").removeprefix("net."): numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in onnx.ModelProto.FromString(model).graph.initializer
    }
    # Export folded a few numbers of the readout into its constants.
    folded = [array for name, array in stored.items() if name.startswith("onnx::")]
    (spread,) = (array for array in folded if array.shape == (5, 2))
    stored["readout.log_sigma"] = -spread
    stored["readout.mean"] = np.stack([array.ravel() for array in folded if array.shape == (5, 1, 1)], 1)
    stored["readout.log_weight"], stored["readout.strength"] = (
        next(array[0] for array in folded if array.shape == shape) for shape in ((1, 3, 5), (1, 3))
    )
    net = AttentionNet()
    wanted = net.state_dict()
    net.load_state_dict(
        {name: torch.from_numpy(stored[name].copy()) for name in wanted if name in stored}, strict=False
    )
    return net.eval().requires_grad_(False)


class Before:
    """The model as it was: what its encoder makes of a picture, and its densities."""

    def __init__(self, model: bytes) -> None:
        self.net = network_of(model)
        nodes = onnx.ModelProto.FromString(model).graph.node
        first, second = zip(*(readers(nodes, f"net.decoder.lateral.{level}.weight") for level in range(4)), strict=True)
        self.session = session_of(model, *first, *second, HIDDEN)

    @torch.no_grad()
    def example(self, path: Path) -> Example:
        """Look at one picture."""
        outputs = self.session.run(None, {"rgb": resize_to_view(picture(path), VIEW)[None]})
        features = [torch.from_numpy(output[0]).half() for output in outputs[:-1]]
        share = self.net.domain[2](torch.from_numpy(outputs[-1])).softmax(1) + LEAST_SHARE
        looks, nothing = (features[:4], features[4:]), torch.empty(0)
        bare = Example(looks, share / share.sum(1, keepdim=True), nothing, nothing)
        first, both = both_looks(self.net, [bare])
        return replace(bare, first=first[0], both=both[0])


def readers(nodes: Iterable[onnx.NodeProto], weight: str) -> list[str]:
    """What is convolved with a weight, look by look."""
    return [node.input[0] for node in nodes if weight in node.input[1:2]]


def both_looks(net: AttentionNet, examples: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Densities (N, 3, h, w) of the first look and of the mean of both, as `export.Exported` says them."""
    share = torch.cat([each.share for each in examples])
    first, mirrored = (
        net.decoder(
            [torch.stack(level).float() for level in zip(*(each.looks[look] for each in examples), strict=True)]
        )[0]
        for look in (0, 1)
    )
    density = net.readout.density(first, share)
    second = F.interpolate(net.readout.density(mirrored.flip(3), share), size=density.shape[2:], mode="bilinear")
    return density, (density + second / second.sum((2, 3), keepdim=True)) / 2


def pictures_to_hold(data: Path) -> Iterator[Path]:
    for name, count in HELD.items():
        held_out = set((HERE / f"split/held_out/{name}.txt").read_text(encoding="utf-8").split())
        paths = (data / FOLDERS[name] / "images").iterdir()
        known = [path for path in paths if path.stem not in held_out and kind_of_design(name, path)]
        yield from sorted(known, key=lambda path: by_hash(path.stem))[:count]


def kind_of_design(name: str, path: Path) -> bool:
    """Of `complexity`, advertisements and charts alone are designs."""
    return name != "complexity" or path.stem.rpartition("_")[0] in ("advertisement", "visualizations")


def read_ads(before: Before, data: Path, kept: Path | None, sought: int) -> Iterator[Ad]:
    images = data / "gaze" / SET / "images"
    labels = json.loads((HERE / f"labels/{SET}.json").read_text(encoding="utf-8"))
    held_out = set((HERE / f"split/held_out/{SET}.txt").read_text(encoding="utf-8").split())
    names = sorted((name for name in labels if Path(name).stem not in held_out), key=by_hash)
    texts = found_texts([images / name for name in names[:sought]], kept)
    table = pd.read_parquet(data / "gaze" / SET / "fixations.parquet")
    by_image = dict(iter(table.groupby("image")))
    for i, name in enumerate(names):
        areas: Areas = defaultdict(list)
        for item in labels[name]:
            if item["type"] in DRAWN:
                areas[DRAWN[item["type"]]].append(Box(*item["box"]))
        for kind, box in texts[name] if i < sought else ():
            areas[kind].append(box)
        seen, rows = before.example(images / name), by_image[Path(name).stem]
        density = seen.both[TOTAL].numpy()
        below = np.nextafter(1, 0)
        x, y = (rows[axis].clip(0, below).to_numpy() for axis in "xy")
        known = np.array([bool(areas.get(kind)) for kind in KINDS] + [True])
        known[[*TEXTS, -1]] &= i < sought
        yield Ad(
            seen.looks, seen.share, seen.first, seen.both, name,
            torch.from_numpy(fixation_density(x, y, density.shape)),
            torch.from_numpy(fixation_counts(x, y, density.shape)).float(),
            torch.from_numpy(maps_of(areas, density.shape)),
            torch.tensor(shares_of(areas, density, x, y)[0]), torch.from_numpy(known).float(),
        )  # fmt: skip


def maps_of(areas: Areas, shape: tuple[int, ...]) -> np.ndarray:
    """How much of each cell lies in any area of each of `KINDS`, and in none, (K, h, w) float32."""
    everywhere = [box for boxes in areas.values() for box in boxes]
    outside = np.ones((len(KINDS) + 1, *shape), np.float32)
    for i, boxes in enumerate((*(areas.get(kind, []) for kind in KINDS), everywhere)):
        for box in boxes:
            outside[i] *= 1 - coverage(box, None, (shape[0], shape[1]))
    return np.concatenate([1 - outside[:-1], outside[-1:]])


def teach(net: AttentionNet, ads: list[Ad], held: list[Example], args: argparse.Namespace) -> None:
    """Train the decoder in place; its weights at the end are a moving average."""
    rng = np.random.default_rng(0)
    taught = [p for name, p in net.decoder.named_parameters() if not name.startswith(("text.", "objects."))]
    average = [p.detach().clone() for p in taught]
    for parameter in taught:
        parameter.requires_grad_(True)
    optimiser = torch.optim.AdamW(taught, lr=RATE, weight_decay=DECAY)
    steps = max(1, round(args.epochs * len(ads) / ADS))
    of_ads, of_others = batches(ads, ADS, rng), batches(held, OTHERS, rng)
    sums = torch.zeros(2, len(KINDS) + 1)
    for step in range(steps):
        warm, left = (step + 1) / (steps * WARM + 1), 0.51 + 0.49 * float(np.cos(np.pi * step / steps))
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, warm) * left
        batch = next(of_ads)
        first, both = both_looks(net, batch)
        people, counts = torch.stack([ad.target for ad in batch]), torch.stack([ad.counts for ad in batch])
        was = torch.stack([ad.both for ad in batch])
        target = ((people + was[:, TOTAL]) / 2)[:, None]
        weight = torch.ones(len(batch), 1)
        loss = 0.3 * kld(both[:, :TOTAL], was[:, :TOTAL]).mean()
        for density, much in ((both, 1.0), (first, 0.15)):
            log_p = (density[:, TOTAL:] + 1e-12).log()
            loss = loss + much * attention_loss(log_p, target, counts[:, None], weight, cc=1.0, nss=0.1)
        areas, shares, known = (
            torch.stack([getattr(ad, name) for ad in batch]) for name in ("areas", "shares", "known")
        )
        of_areas, sums = share_loss(both[:, TOTAL], areas, shares, known, sums)
        loss = loss + args.weight * of_areas
        others = next(of_others)
        first, both = both_looks(net, others)
        loss = loss + args.held * (
            1.5 * kld(both, torch.stack([each.both for each in others])).mean()
            + 0.5 * kld(first, torch.stack([each.first for each in others])).mean()
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(taught, 5.0)
        optimiser.step()
        keep = min(AVERAGED, (1 + step) / (10 + step))
        for mean, parameter in zip(average, taught, strict=True):
            mean.lerp_(parameter.detach(), 1 - keep)
    for mean, parameter in zip(average, taught, strict=True):
        parameter.requires_grad_(False).copy_(mean)


def batches(examples: Sequence[AnyExample], size: int, rng: np.random.Generator) -> Iterator[list[AnyExample]]:
    """Batches of pictures of one shape, again and again, shuffled."""
    groups: dict[torch.Size, list[AnyExample]] = defaultdict(list)
    for each in examples:
        groups[each.both.shape].append(each)
    while True:
        jobs = []
        for group in groups.values():
            order = rng.permutation(len(group))
            jobs += [[group[i] for i in order[k : k + size]] for k in range(0, len(group), size)]
        rng.shuffle(jobs)
        yield from jobs


@torch.no_grad()
def print_shares(net: AttentionNet, ads: Sequence[Ad]) -> None:
    """Print CC and NSS of the ads, and shares by kind of area in those whose texts were sought."""
    scores, rows = [], []
    for ad in ads:
        density = both_looks(net, [ad])[1][0, TOTAL]
        scores.append((float(correlation(density, ad.target)), float(nss(density, ad.counts))))
        if ad.known[-1]:
            blurred, predicted = ((ad.areas * map_).sum((1, 2)).numpy() for map_ in (ad.target, density))
            rows.append((ad.shares.numpy(), blurred, predicted, ad.known.numpy() > 0))
    print("CC {:.4f}, NSS {:.3f} on {} ads; shares on".format(*np.mean(scores, 0), len(ads)), end=" ")
    print_table(*(np.array(column) for column in zip(*rows, strict=True)))


if __name__ == "__main__":
    main()
