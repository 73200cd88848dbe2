"""Batches: pictures warped to a bucket's size with augmentation, and target densities that move with them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from corpus import TIMED, Picture
from network import OBJECTS, STRIDE, WINDOWS

SIGMA = 0.025  # of the long side: one degree of visual angle or so, the field's convention for fixation blur
ASPECTS = (0.5, 0.5625, 0.667, 0.75, 1.0, 1.333, 1.5, 1.6, 1.778, 2.5)  # width / height
START_S, END_FROM_S = 2.0, 3.0
READ_FROM_THE_LEFT = ("web", "ads")


Box = tuple[float, float, float, float]  # x0, y0, x1, y1 in unit coordinates


@dataclass(frozen=True)
class Batch:
    """Pictures of one size and what is taught of them; arrays, or tensors of these shapes."""

    rgb: np.ndarray  # (N, H, W, 3) uint8
    target: np.ndarray  # (N, 3, h, w) float32, each sums to 1
    counts: np.ndarray  # (N, 3, h, w) float32, fixations per cell; zero for soft labels
    weight: np.ndarray  # (N, 3) float32, how much each window counts
    text: np.ndarray  # (N, h, w) float32, 1 where a line of text is, 0 where none is, -1 where nobody knows
    objects: np.ndarray  # (N, K, h / 2, w / 2) float32, likewise for each of `network.OBJECTS`
    domain: np.ndarray  # (N, D) float32, shares of the domains


def bucket(width: int, height: int, pixels: int) -> tuple[int, int]:
    """(height, width) in multiples of 32, of about `pixels` px, nearest in aspect."""
    aspect = min(ASPECTS, key=lambda a: abs(np.log(a * height / width)))
    h = max(64, round((pixels / aspect) ** 0.5 / 32) * 32)
    return h, max(64, round(h * aspect / 32) * 32)


def blur(counts: np.ndarray, sigma: float) -> np.ndarray:
    """Counts to a density that sums to 1; what leaves the picture is lost, as in the field's convention."""
    smooth = cv2.GaussianBlur(counts, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
    return smooth / max(float(smooth.sum(dtype=np.float64)), 1e-12)


def _histogram(xy: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    h, w = shape
    cells = (xy[:, 1] * h).astype(int).clip(0, h - 1) * w + (xy[:, 0] * w).astype(int).clip(0, w - 1)
    return np.bincount(cells, minlength=h * w).astype(np.float32).reshape(h, w)


def _crop(rng: np.random.Generator, picture: Picture, strength: float) -> Box:
    """A rectangle (x0, y0, x1, y1) in unit coordinates that keeps most of what is looked at."""
    whole = (0.0, 0.0, 1.0, 1.0)
    if rng.random() > strength:
        return whole
    sx, sy = 1 - 0.3 * rng.random(2) ** 1.5
    x0, y0 = rng.random() * (1 - sx), rng.random() * (1 - sy)
    box = (x0, y0, x0 + sx, y0 + sy)
    if picture.fixations is not None:
        x, y = picture.fixations[:, 0], picture.fixations[:, 1]
        if np.mean((x >= box[0]) & (x < box[2]) & (y >= box[1]) & (y < box[3])) < 0.7:
            return whole
    return box


def _colour(rng: np.random.Generator, rgb: np.ndarray) -> np.ndarray:
    gain, offset = 1 + 0.2 * (rng.random(3) - 0.5) * 0.5 + 0.3 * (rng.random() - 0.5), 30 * (rng.random() - 0.5)
    gamma = np.exp(0.5 * (rng.random() - 0.5))
    ramp = np.arange(256) / 255.0
    table = np.clip((ramp[:, None] ** gamma) * 255 * gain + offset, 0, 255).astype(np.uint8)
    rgb = cv2.LUT(rgb, table.reshape(1, 256, 3))
    saturation = rng.uniform(0.5, 1.3) if rng.random() < 0.9 else 0.0
    grey = cv2.cvtColor(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    return cv2.addWeighted(rgb, saturation, grey, 1 - saturation, 0)


def _part(maps: np.ndarray, box: Box, cells: tuple[int, int]) -> np.ndarray:
    """The part of (windows, h, w) densities that lies in `box`, on a grid of `cells`, each summing to 1 again."""
    h, w = maps.shape[1:]
    cut = maps[:, int(box[1] * h) : int(np.ceil(box[3] * h)), int(box[0] * w) : int(np.ceil(box[2] * w))]
    scaled = np.stack([cv2.resize(m.astype(np.float32), cells[::-1], interpolation=cv2.INTER_LINEAR) for m in cut])
    return scaled / np.maximum(scaled.sum((1, 2), keepdims=True), 1e-12)


def _from_fixations(picture: Picture, box: Box, cells: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Target, counts and weight by window of a picture that people looked at."""
    assert picture.fixations is not None
    counts, weight = np.zeros((len(WINDOWS), *cells), np.float32), np.zeros(len(WINDOWS), np.float32)
    moved = (picture.fixations[:, :2] - box[:2]) / (box[2] - box[0], box[3] - box[1])
    inside = ((moved >= 0) & (moved < 1)).all(1)
    moved, onset = moved[inside], picture.fixations[inside, 2]
    # sets viewed for 3 s have no 3-5 s; what they hold after 2 s is the nearest there is, at a lower weight
    long = picture.set == "crowd"
    late = onset >= (END_FROM_S if long else START_S)
    early = onset < START_S if picture.set in TIMED else np.zeros(len(onset), bool)
    for i, (take, share) in enumerate(((early, 0.5), (late, 0.5 if long else 0.2), (np.ones(len(onset), bool), 1.0))):
        if take.sum() >= 8:
            counts[i], weight[i] = _histogram(moved[take], cells), share
    height, width = picture.rgb.shape[:2]
    zoom = max((box[2] - box[0]) * width, (box[3] - box[1]) * height) / max(width, height)
    return np.stack([blur(c, SIGMA * max(cells) / zoom) for c in counts]), counts, weight


def _from_labels(
    picture: Picture, box: Box, cells: tuple[int, int], soft_weight: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Target, counts (none) and weight by window of a picture with a soft label only, or with none."""
    if picture.density is None:
        uniform = np.full((len(WINDOWS), *cells), 1 / (cells[0] * cells[1]), np.float32)
        return uniform, np.zeros_like(uniform), np.zeros(len(WINDOWS), np.float32)
    target = np.repeat(_part(picture.density[None], box, cells), len(WINDOWS), 0)
    weight = np.array((0.15, 0.15, 1.0), np.float32) * soft_weight
    return target, np.zeros_like(target), weight


def _text(picture: Picture, box: Box, cells: tuple[int, int]) -> np.ndarray:
    """Where lines of text are, (h, w): 1, 0, or -1 where it is not known."""
    if picture.lines is None or picture.doubtful is None:
        return np.full(cells, -1, np.float32)
    target = np.zeros(cells, np.float32)
    scale = np.array([cells[1] / (box[2] - box[0]), cells[0] / (box[3] - box[1])], np.float32)
    for quads, value in ((picture.doubtful, -1.0), (picture.lines, 1.0)):
        for quad in quads:
            corners = (quad - np.array(box[:2], np.float32)) * scale - 0.5
            cv2.fillConvexPoly(target, np.round(corners * 16).astype(np.int32), value, shift=4)
    return target


def _objects(picture: Picture, box: Box, cells: tuple[int, int]) -> np.ndarray:
    """Where objects are, (K, h, w): 1, 0, or -1 where it is not known."""
    if picture.objects is None:
        return np.full((len(OBJECTS), *cells), -1, np.float32)
    target = np.zeros((len(OBJECTS), *cells), np.float32)
    if picture.set == "complexity":  # nobody drew buttons in print ads
        target[OBJECTS.index("button")] = -1
    scale = np.array([cells[1] / (box[2] - box[0]), cells[0] / (box[3] - box[1])] * 2, np.float32)
    for row in picture.objects[np.argsort(picture.objects[:, 5])]:  # what is there over what is undecided
        x0, y0, x1, y1 = np.round((row[1:5] - np.array(box[:2] * 2, np.float32)) * scale).astype(int).clip(0)
        target[int(row[0]), y0:y1, x0:x1] = 1.0 if row[5] else -1.0
    return target


def example(
    picture: Picture,
    size: tuple[int, int],
    rng: np.random.Generator | None,
    *,
    crop: float,
    soft_weight: float,
    opinion: float = 0.0,
) -> tuple[np.ndarray, ...]:
    """One picture as (rgb, target, counts, weight, text, objects); `rng` None means as it is, without augmentation.

    `opinion` is the share that an ensemble's density has in the target, where there is one; it is the whole target of
    a picture that nobody looked at. Designs and pages are not mirrored: they are read from the left.
    """
    h, w = size
    cells = (h // STRIDE, w // STRIDE)
    box = _crop(rng, picture, crop) if rng else (0.0, 0.0, 1.0, 1.0)
    source_h, source_w = picture.rgb.shape[:2]
    rows = slice(int(box[1] * source_h), int(np.ceil(box[3] * source_h)))
    part = picture.rgb[rows, int(box[0] * source_w) : int(np.ceil(box[2] * source_w))]
    shrink = part.shape[0] * part.shape[1] > h * w
    rgb = cv2.resize(part, (w, h), interpolation=cv2.INTER_AREA if shrink else cv2.INTER_CUBIC)
    if picture.fixations is not None:
        target, counts, weight = _from_fixations(picture, box, cells)
    else:
        target, counts, weight = _from_labels(picture, box, cells, soft_weight)
    if picture.opinion is not None and opinion:
        share = opinion if picture.fixations is not None else 1.0
        target = (1 - share) * target + share * _part(picture.opinion, box, cells)
        weight = weight if picture.fixations is not None else np.array((0.3, 0.3, 1.0), np.float32) * soft_weight
    text, objects = _text(picture, box, cells), _objects(picture, box, (cells[0] // 2, cells[1] // 2))
    if rng is None:
        return rgb, target, counts, weight, text, objects
    if rng.random() < 0.5 and picture.set not in READ_FROM_THE_LEFT:
        rgb, target, counts, text = rgb[:, ::-1], target[:, :, ::-1], counts[:, :, ::-1], text[:, ::-1]
        objects = objects[:, :, ::-1]
    return _colour(rng, np.ascontiguousarray(rgb)), target, counts, weight, text, objects


def collate(pictures: list[Picture], size: tuple[int, int], rng: np.random.Generator | None, **options: float) -> Batch:
    parts = [example(p, size, rng, **options) for p in pictures]
    rgb, target, counts, weight, text, objects = (np.ascontiguousarray(np.stack(x)) for x in zip(*parts, strict=True))
    return Batch(rgb, target, counts, weight, text, objects, np.stack([p.domain for p in pictures]))


def epoch(
    pictures: list[Picture], seed: int, *, size: int, pixels: tuple[int, ...], soft_share: float, **options: float
) -> Iterator[Batch]:
    """All pictures with fixations once and a `soft_share` of the others, shuffled, in batches of one bucket each."""
    rng = np.random.default_rng(seed)
    groups: dict[float, list[Picture]] = {}
    for p in pictures:
        if p.fixations is not None or rng.random() < soft_share:
            jitter = np.exp(rng.normal(0, 0.06))
            h, w = bucket(int(p.rgb.shape[1] * jitter), p.rgb.shape[0], pixels[0])
            groups.setdefault(w / h, []).append(p)
    jobs = []
    for group in groups.values():
        order = rng.permutation(len(group))
        jobs += [[group[i] for i in order[k : k + size]] for k in range(0, len(group), size)]
    rng.shuffle(jobs)
    for job in jobs:
        middle = job[len(job) // 2].rgb.shape
        shape = bucket(middle[1], middle[0], int(rng.choice(pixels)))
        yield collate(job, shape, rng, **options)


def ahead(batches: Iterator[Batch], depth: int = 3) -> Iterator[Batch]:
    """The same batches, prepared in a background thread."""
    done = object()
    line: queue.Queue[object] = queue.Queue(depth)

    def work() -> None:
        for batch in batches:
            line.put(batch)
        line.put(done)

    threading.Thread(target=work, daemon=True).start()
    while (item := line.get()) is not done:
        assert isinstance(item, Batch)
        yield item
