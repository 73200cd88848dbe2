"""Fit what tells the roles and blocks of lines of text: the networks behind mediaan/aoi/detection/text_layout.py.

    python models/training/text_layout.py --data DATA --feeds FEEDS --cache LINES.pkl

Reads the text of every labelled picture (`labels/modern_*.json`, modern designs; `labels/train_*.json`, print ads,
whose offers count as body text; FEEDS, invented posts from `feed_cards.py`), gives each line the role and the area that
holds it, fits, writes mediaan/aoi/detection/text_layout.npz, and prints the confusion on pictures that were not fitted
on. What detected objects add is fitted to dev, with networks that did not learn from it; those that ship do. Fit with
--without-dev before `branding.py` is fitted or anything is chosen on dev. `gpu/layout.py` judges recipes by folds.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor, nn

from mediaan.aoi.detection.line_features import PAIR_FEATURES, line_features, pair_features
from mediaan.aoi.detection.text_blocks import LINE_ROLES, typeset_line
from mediaan.aoi.detection.text_layout import _OBJECT_ROLES, forward, fuse_object_evidence, object_evidence, read_model
from mediaan.media import resize, view_size
from mediaan.types.aoi import Box, TextLine
from mediaan.vision.objects.detector import load_detector
from mediaan.vision.text.reader import TextReader

HERE = Path(__file__).parent
LABELS = HERE / "labels"
WEIGHTS = HERE.parents[1] / "mediaan" / "aoi" / "detection" / "text_layout.npz"
INSIDE = 0.6  # share of a line inside an area from which on it is part of it
UNKNOWN_OFFERS = ("body_text", "offer", "platform")  # one in print ads, where nobody told them apart
RARE = {"none": 0.5}  # weight of a class, otherwise 1
BATCH, WARM, DECAY, NOISE = 12, 0.15, 0.05, 0.1
NEAR, FAR_WEIGHT = 2.5, 0.03  # type sizes between two lines up to which a pair has full weight
LEAST_SD = 0.05
FEED_WEIGHT = 0.3  # of an invented post beside a real design
HEADS, PAIR_UNITS, LINK_UNITS, LINK_HIDDEN = 4, 24, 24, 32


class Recipe(NamedTuple):
    """One network of the ensemble, and how it is fitted."""

    layers: int
    units: int
    drop: float
    epochs: int
    rate: float
    seed: int


# networks with and without attention err differently, so that their mean is better
RECIPES = (
    Recipe(layers=0, units=64, drop=0.5, epochs=80, rate=4e-3, seed=0),
    Recipe(layers=0, units=64, drop=0.5, epochs=80, rate=4e-3, seed=1),
    Recipe(layers=2, units=48, drop=0.3, epochs=40, rate=2e-3, seed=2),
    Recipe(layers=2, units=64, drop=0.4, epochs=60, rate=2e-3, seed=3),
)


class OutOfTimeError(Exception):
    """The time limit came before the networks were fitted."""


class Page(NamedTuple):
    """The lines of one picture.

    `texts` are what they say; `roles` holds the index of each line's role, -1 where nobody can say; `links` 1 where two
    lines are of one area, 0 where they are not, -1 where nobody can say; `objects` is the evidence of objects around
    them; `weight` is that of the page among others.
    """

    name: str
    texts: tuple[str, ...]
    lines: np.ndarray
    pairs: np.ndarray
    roles: np.ndarray
    links: np.ndarray
    objects: np.ndarray
    print_ad: bool
    weight: float = 1.0


def area_of(box: Box, areas: list[dict], undecided: list[dict]) -> tuple[int, int]:
    """Role of a line by the smallest text area that holds it, -1 if that is in doubt; and that area, -1 without one."""

    def role(area: dict) -> str | None:
        if area["type"] == "other":
            label = area.get("label", "")
            return label if label in ("offer", "platform") else "branding" if label.startswith("other mark") else None
        return area["type"] if area["type"] in LINE_ROLES else None

    def holds(area: dict) -> bool:
        return Box(*area["box"]).intersection(box) >= INSIDE * box.area

    decided = [i for i, area in enumerate(areas) if role(area) and holds(area)]
    if decided:
        smallest = min(decided, key=lambda i: Box(*areas[i]["box"]).area)
        return LINE_ROLES.index(role(areas[smallest])), smallest  # type: ignore[arg-type]
    doubtful = any((role(area) or area["type"] == "other") and holds(area) for area in undecided)
    return (-1 if doubtful else LINE_ROLES.index("none")), -1


def links_of(roles: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """Whether each two lines are of one area; unknown of two without one, and where a role is in doubt."""
    links = np.where((areas[:, None] == areas) & (areas >= 0), 1.0, 0.0)
    links[(areas[:, None] < 0) & (areas < 0)] = -1
    links[roles < 0], links[:, roles < 0] = -1, -1
    np.fill_diagonal(links, -1)
    return links


def posts(feeds: Path) -> Iterator[tuple[str, Path, list[dict], list[dict], str, bool]]:
    """Invented posts, as `pictures` gives the others."""
    undecided = json.loads((feeds / "undecided.json").read_text())
    for name, areas in json.loads((feeds / "areas.json").read_text()).items():
        yield name, feeds / "images" / name, areas, undecided[name], "feeds", False


def pictures(data: Path) -> Iterator[tuple[str, Path, list[dict], list[dict], str, bool]]:
    """Name, file, areas, undecided areas, side, and whether it is a print ad."""
    undecided = json.loads((LABELS / "modern_undecided.json").read_text())
    for side in ("train", "dev", "check"):
        for name, areas in json.loads((LABELS / f"modern_{side}.json").read_text()).items():
            yield name, data / "ads" / "images" / name, areas, undecided.get(name, []), side, False
    for file, side in (("train_1", "train"), ("train_2", "train"), ("check", "check")):
        for name, areas in json.loads((LABELS / f"{file}.json").read_text()).items():
            if areas is not None:
                yield name, data / "complexity" / "images" / name, areas, [], side, True


def read_pages(
    data: Path, feeds: Path | None, cache: Path, sides: Sequence[str] = ("train", "dev", "check", "feeds")
) -> dict[str, list[Page]]:
    """Pages by side; what the text reader says is kept in `cache`."""
    read: dict[str, tuple[TextLine, ...]] = pickle.loads(cache.read_bytes()) if cache.exists() else {}
    reader, pages = None, {side: [] for side in sides}
    detector = load_detector(threads=1)
    for name, path, areas, undecided, side, print_ad in (*pictures(data), *(posts(feeds) if feeds else ())):
        if side not in sides:
            continue
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        if name not in read:
            reader = reader or TextReader(threads=1)
            read[name] = reader.read(rgb)
        lines = [typeset_line(rgb, line) for line in read[name]]
        if lines:
            areas_of_lines = np.array([area_of(line.box, areas, undecided) for line in lines])
            frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
            seen = detector.detect(np.asarray(frame, np.uint8)[None])[0] if side in ("dev", "check") else ()
            page = Page(
                name, tuple(line.text for line in lines),
                line_features(rgb, lines), pair_features(rgb, lines),
                areas_of_lines[:, 0], links_of(areas_of_lines[:, 0], areas_of_lines[:, 1]),
                np.stack([object_evidence(line.box, seen) for line in lines]), print_ad,
                FEED_WEIGHT if side == "feeds" else 1.0,
            )  # fmt: skip
            pages[side].append(page)
    cache.write_bytes(pickle.dumps(read))
    return pages


class Layer(nn.Module):
    """Attention between lines, weighed by what is known of each pair."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.norm_in, self.norm_out = nn.LayerNorm(units), nn.LayerNorm(units)
        self.qkv, self.bias, self.out = (
            nn.Linear(units, 3 * units),
            nn.Linear(PAIR_UNITS, HEADS),
            nn.Linear(units, units),
        )
        self.expand, self.shrink = nn.Linear(units, 2 * units), nn.Linear(2 * units, units)

    def forward(self, h: Tensor, e: Tensor, there: Tensor, drop: nn.Module) -> Tensor:
        batch, count, units = h.shape
        q, k, v = self.qkv(self.norm_in(h)).view(batch, count, 3, HEADS, units // HEADS).permute(2, 0, 3, 1, 4)
        logits = q @ k.transpose(-1, -2) / (units // HEADS) ** 0.5 + self.bias(e).permute(0, 3, 1, 2)
        shares = logits.masked_fill(~there[:, None, None, :], -1e4).softmax(-1)
        h = h + drop(self.out((shares @ v).permute(0, 2, 1, 3).reshape(batch, count, units)))
        return h + drop(self.shrink(F.relu(self.expand(self.norm_out(h)))))


class Network(nn.Module):
    """Standardised values of lines and pairs to logits of roles and of links."""

    def __init__(self, line_values: int, recipe: Recipe) -> None:
        super().__init__()
        units = recipe.units
        self.lines, self.pairs = nn.Linear(line_values, units), nn.Linear(len(PAIR_FEATURES), PAIR_UNITS)
        self.layers = nn.ModuleList(Layer(units) for _ in range(recipe.layers))
        self.role, self.link_lines = nn.Linear(units, len(LINE_ROLES)), nn.Linear(units, LINK_UNITS)
        self.link_hidden = nn.Linear(PAIR_UNITS + 2 * LINK_UNITS, LINK_HIDDEN)
        self.link_out, self.link_direct = nn.Linear(LINK_HIDDEN, 1), nn.Linear(len(PAIR_FEATURES), 1)
        self.drop, self.drop_pairs = nn.Dropout(recipe.drop), nn.Dropout(0.1)

    def forward(self, x: Tensor, z: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
        h = self.drop(F.relu(self.lines(x)))
        e = self.drop_pairs(F.relu(self.pairs(z)))
        for layer in self.layers:
            h = layer(h, e, there, self.drop)
        u = self.link_lines(self.drop(h))
        pair = torch.cat([e, u[:, :, None] + u[:, None], (u[:, :, None] - u[:, None]).abs()], -1)
        link = self.link_out(self.drop_pairs(F.relu(self.link_hidden(pair)))) + self.link_direct(z)
        return self.role(h), link[..., 0]


class Scale(NamedTuple):
    """Mean and standard deviation of the values of lines and of pairs."""

    line_mean: np.ndarray
    line_scale: np.ndarray
    pair_mean: np.ndarray
    pair_scale: np.ndarray


def scale_of(pages: Sequence[Page]) -> Scale:
    lines = np.concatenate([page.lines for page in pages])
    pairs = np.concatenate([page.pairs.reshape(-1, len(PAIR_FEATURES)) for page in pages])
    return Scale(lines.mean(0), np.maximum(lines.std(0), LEAST_SD), pairs.mean(0), np.maximum(pairs.std(0), LEAST_SD))


def collate(pages: Sequence[Page], scale: Scale, rng: np.random.Generator | None = None) -> list[Tensor]:
    """Values of lines and of pairs, which lines there are, roles, links, and which pairs are near, padded.

    With `rng`, in half of the pictures some lines are left out, and noise is added.
    """
    kept = []
    for page in pages:
        some = np.arange(len(page.roles))
        if rng is not None and len(some) > 3 and rng.random() < 0.5:
            some = np.sort(rng.permutation(len(some))[: max(2, int(len(some) * rng.uniform(0.7, 1)))])
        kept.append(some)
    batch, count = len(pages), max(map(len, kept))
    x = np.zeros((batch, count, len(scale.line_mean)), np.float32)
    z = np.zeros((batch, count, count, len(PAIR_FEATURES)), np.float32)
    there, near = np.zeros((batch, count), bool), np.zeros((batch, count, count), bool)
    roles, links = np.full((batch, count), -1), np.full((batch, count, count), -1.0, np.float32)
    across, along = PAIR_FEATURES.index("gap_across"), PAIR_FEATURES.index("gap_along")
    for i, (page, some) in enumerate(zip(pages, kept, strict=True)):
        n, square = len(some), np.ix_(some, some)
        x[i, :n] = np.clip((page.lines[some] - scale.line_mean) / scale.line_scale, -4, 4)
        z[i, :n, :n] = (page.pairs[square] - scale.pair_mean) / scale.pair_scale
        there[i, :n], roles[i, :n], links[i, :n, :n] = True, page.roles[some], page.links[square]
        near[i, :n, :n] = (page.pairs[square][..., [across, along]] < NEAR).all(-1)
    if rng is not None:
        x += NOISE * rng.standard_normal(x.shape, np.float32)
    return [torch.from_numpy(values) for values in (x, z, there, roles, links, near)]


def loss(network: Network, pages: Sequence[Page], scale: Scale, rng: np.random.Generator) -> Tensor:
    """Cross entropy of roles and of links; a page of a hundred lines counts as ten of one."""
    x, z, there, roles, links, near = collate(pages, scale, rng)
    role, link = network(x, z, there)
    log_p = F.log_softmax(role, -1)
    of_role = log_p.gather(-1, roles.clamp_min(0)[..., None])[..., 0]
    pooled = torch.tensor([LINE_ROLES.index(name) for name in UNKNOWN_OFFERS])  # type: ignore[arg-type]
    unclear = torch.tensor([page.print_ad for page in pages])[:, None] & torch.isin(roles, pooled)
    per_page = there.sum(1).float() ** -0.5 * torch.tensor([page.weight for page in pages])
    rare = torch.tensor([RARE.get(name, 1.0) for name in LINE_ROLES])[roles.clamp_min(0)]
    weight = (roles >= 0) * per_page[:, None] * rare
    of_roles = -(weight * torch.where(unclear, log_p[..., pooled].logsumexp(-1), of_role)).sum() / weight.sum()
    pair_weight = (links >= 0) * torch.where(near, 1.0, FAR_WEIGHT) * per_page[:, None, None]
    entropy = F.binary_cross_entropy_with_logits(link, links.clamp_min(0), reduction="none")
    return of_roles + (pair_weight * entropy).sum() / pair_weight.sum().clamp_min(1e-6)


def fit(pages: Sequence[Page], recipe: Recipe, until: float = math.inf) -> tuple[Network, Scale]:
    """Fit one network by maximum likelihood; raise `OutOfTimeError` at `until`, by `time.monotonic`."""
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng(recipe.seed)
    scale = scale_of(pages)
    network = Network(pages[0].lines.shape[1], recipe)
    optimiser = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=DECAY)
    batches = -(-len(pages) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=recipe.epochs * batches, pct_start=WARM
    )
    for _ in range(recipe.epochs):
        # pages of like size together, never quite the same
        order = np.argsort([len(page.roles) * np.exp(rng.normal(0, 0.25)) for page in pages])
        for number in rng.permutation(batches):
            if time.monotonic() >= until:
                raise OutOfTimeError
            value = loss(network, [pages[i] for i in order[number * BATCH : (number + 1) * BATCH]], scale, rng)
            optimiser.zero_grad()
            value.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            schedule.step()
    return network.eval(), scale


def stored(network: Network, scale: Scale) -> dict[str, np.ndarray]:
    """The weights of a network as `mediaan.aoi.detection.text_layout` reads them; a matrix's last row is its bias."""

    def matrix(linear: nn.Linear) -> np.ndarray:
        return torch.cat([linear.weight.T, linear.bias[None]]).detach().numpy()

    def norm(module: nn.LayerNorm) -> np.ndarray:
        return torch.stack([module.weight, module.bias]).detach().numpy()

    values = scale._asdict()
    for name in ("lines", "pairs", "role", "link_lines", "link_hidden", "link_out", "link_direct"):
        values[name] = matrix(getattr(network, name))
    for number, layer in enumerate(network.layers):
        for name in ("qkv", "bias", "out", "expand", "shrink"):
            values[f"layer{number}.{name}"] = matrix(getattr(layer, name))
        for name in ("norm_in", "norm_out"):
            values[f"layer{number}.{name}"] = norm(getattr(layer, name))
    return values


def save(members: Sequence[tuple[Network, Scale]], objects: np.ndarray, page: Page) -> None:
    """Write the weights, and see that they say the same of a page."""
    values = {f"{i}.{name}": v for i, member in enumerate(members) for name, v in stored(*member).items()}
    np.savez_compressed(WEIGHTS, objects=objects, **{name: v.astype(np.float16) for name, v in values.items()})
    roles, links = forward(page.lines, page.pairs, read_model().members)
    expected = predict(members, page)
    assert np.abs(roles - expected[0]).max() < 0.02, "roles differ from those of the networks"
    assert np.abs(links - expected[1]).max() < 0.2, "links differ from those of the networks"


@torch.no_grad()
def predict(members: Sequence[tuple[Network, Scale]], page: Page) -> tuple[np.ndarray, np.ndarray]:
    """Mean probabilities of roles, and mean log odds of links."""
    roles, links = [], []
    for network, scale in members:
        role, link = network(*collate([page], scale)[:3])
        roles.append(role[0].softmax(-1).double().numpy())
        links.append(link[0].double().numpy())
    mean = np.mean(links, axis=0)
    return np.mean(roles, axis=0), (mean + mean.T) / 2


def weigh_objects(pages: Sequence[Page], roles: Sequence[np.ndarray]) -> np.ndarray:
    """Fit what detected objects add, on pages that neither the networks nor the detector were fitted to."""
    weights = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    y = torch.from_numpy(np.concatenate([page.roles for page in pages]))
    log_p = torch.from_numpy(np.concatenate(list(roles))).log()
    evidence = torch.from_numpy(np.concatenate([page.objects for page in pages]))
    columns = [LINE_ROLES.index(role) for role in _OBJECT_ROLES]
    optimiser = torch.optim.LBFGS([weights], max_iter=200)

    def entropy() -> Tensor:
        optimiser.zero_grad()
        odds = torch.zeros_like(log_p)
        odds[:, columns] = torch.where(evidence > 0, weights[:, 0] * evidence + weights[:, 1], 0.0)
        value = F.cross_entropy((log_p + odds)[y >= 0], y[y >= 0]) + 3e-3 * weights.square().sum()
        value.backward()
        return value

    optimiser.step(entropy)
    return weights.detach().numpy()


def show(title: str, pages: Sequence[Page], predictions: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Print the confusion of roles, and precision and recall of links that are more likely than not."""
    counts, links = np.zeros((len(LINE_ROLES),) * 2, int), np.zeros((2, 2), int)
    for page, (roles, odds) in zip(pages, predictions, strict=True):
        judged = page.roles >= 0
        np.add.at(counts, (page.roles[judged], roles.argmax(1)[judged]), 1)
        pairs = np.triu(page.links >= 0, 1)
        np.add.at(links, (page.links[pairs].astype(int), (odds[pairs] > 0).astype(int)), 1)
    right, recall, precision = (
        counts.trace() / counts.sum(),
        *(links[1, 1] / links.sum(axis=axis)[1] for axis in (1, 0)),
    )
    print(f"{title}: {right:.3f} of {counts.sum()} lines right; of pairs in one block {recall:.2f} found, and of those")
    print(f"said to be in one {precision:.2f} right")
    print(f"{'true / said':>16}" + "".join(f"{role[:8]:>10}" for role in LINE_ROLES) + "    recall precision")
    for i, role in enumerate(LINE_ROLES):
        recall, precision = counts[i, i] / max(1, counts[i].sum()), counts[i, i] / max(1, counts[:, i].sum())
        print(f"{role:>16}" + "".join(f"{n:10d}" for n in counts[i]) + f"    {recall:.2f}    {precision:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--feeds", type=Path, required=True, help="from feed_cards.py")
    parser.add_argument("--cache", type=Path, required=True, help="what the text reader says, kept from run to run")
    parser.add_argument("--without-dev", action="store_true", help="do not learn from dev, on which choices are made")
    args = parser.parse_args()
    torch.set_num_threads(1)
    pages = read_pages(args.data, args.feeds, args.cache)
    dev = [page for page in pages["dev"] if not page.print_ad]
    # posts show designs of dev, too
    unseen = {page.name for page in dev}
    training = [*pages["train"], *(page for page in pages["feeds"] if page.name.partition("_")[2] not in unseen)]
    members = [fit(training, recipe) for recipe in RECIPES]
    predicted = [predict(members, page) for page in dev]
    objects = weigh_objects(dev, [roles for roles, _ in predicted])
    show(
        "dev", dev, [(fuse_object_evidence(r, p.objects, objects), k) for p, (r, k) in zip(dev, predicted, strict=True)]
    )
    if not args.without_dev:
        members = [fit([*pages["train"], *dev, *pages["feeds"]], recipe) for recipe in RECIPES]
    save(members, objects, dev[0])
    print("log odds of button, logo, product:", objects.round(2).tolist())
    for title, side, print_ad in (
        ("dev", "dev", False),
        ("check", "check", False),
        ("check, print ads", "check", True),
    ):
        some = [page for page in pages[side] if page.print_ad == print_ad]
        fitted = []
        for page in some:
            roles, links = predict(members, page)
            fitted.append((fuse_object_evidence(roles, page.objects, objects), links))
        show(title, some, fitted)


if __name__ == "__main__":
    main()
