"""Predict the layout of an image's text: what each line is for, and which lines form one block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from mediaan.aoi.detection.line_features import line_features, pair_features
from mediaan.aoi.detection.text_blocks import LINE_ROLES, LineRole, TextLayout, TypesetLine
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import Float32, Float64, UInt8

MOST_LINES = 300
"""So many lines are looked at together; of a page with more, those above and those below are judged apart."""

_OBJECT_ROLES: tuple[LineRole, ...] = ("call_to_action", "branding", "none")
"""What a button, a logo and a product around a line speak for."""

_LARGEST_BUTTON, _LARGEST_LOGO = 16.0, 9.0
"""Times the area of the line that a button or logo around it may have."""

_EPSILON = 1e-5  # of layer norms


class _Attention(NamedTuple):
    """Weights of one layer of attention between lines; the last row of a matrix is its bias."""

    norm_in: Float32  # (2, units): gain and bias
    qkv: Float32
    bias: Float32  # (pair units + 1, heads)
    out: Float32
    norm_out: Float32
    expand: Float32
    shrink: Float32


class _Member(NamedTuple):
    """One network of the ensemble."""

    line_mean: Float32
    line_scale: Float32
    pair_mean: Float32
    pair_scale: Float32
    lines: Float32
    pairs: Float32
    layers: tuple[_Attention, ...]
    role: Float32
    link_lines: Float32
    link_hidden: Float32
    link_out: Float32
    link_direct: Float32


class _Model(NamedTuple):
    members: tuple[_Member, ...]
    objects: Float64
    """(3, 2): log odds that a button, a logo and a product detected around a line add for the roles of
    `_OBJECT_ROLES`: times its confidence, and a constant."""


def predict_layout(rgb: UInt8, lines: Sequence[TypesetLine], detections: Sequence[Detection] = ()) -> TextLayout:
    """Predict roles and blocks of the lines of one image.

    `rgb` (H, W, 3) uint8.
    `lines`: all of the image: a line is judged among its neighbours.
    `detections`: buttons, logos and products around lines speak for roles.

    The mean of a few small networks in which lines attend to each other (Vaswani et al. 2017), the weight of each pair
    by how both stand and are set. Fitted by models/training/text_layout.py to advertisements on which people drew
    areas. What the object detector sees is not among the features: it was taught on the same images, and is weighed
    afterwards.
    """
    if not lines:
        return TextLayout(np.zeros((0, len(LINE_ROLES))), np.zeros((0, 0)))
    roles, links = np.zeros((len(lines), len(LINE_ROLES))), np.full((len(lines),) * 2, -10.0)
    order = np.argsort([line.box.y0 for line in lines], kind="stable")
    for part in np.array_split(order, -(-len(order) // MOST_LINES)):
        some = [lines[i] for i in part]
        prediction = forward(line_features(rgb, some), pair_features(rgb, some), read_model().members)
        roles[part], links[np.ix_(part, part)] = prediction
    evidence = np.stack([object_evidence(line.box, detections) for line in lines])
    return TextLayout(fuse_object_evidence(roles, evidence, read_model().objects), links)


def forward(line_values: Float64, pair_values: Float64, members: Sequence[_Member]) -> tuple[Float64, Float64]:
    """Compute roles and links, as in `TextLayout`, from what `line_features` and `pair_features` return."""
    roles, links = [], []
    for member in members:
        role, link = _forward_one(member, line_values, pair_values)
        roles.append(role)
        links.append(link)
    mean: Float64 = np.stack(links).mean(axis=0, dtype=np.float64)
    return np.stack(roles).mean(axis=0, dtype=np.float64), (mean + mean.T) / 2


def _forward_one(member: _Member, line_values: Float64, pair_values: Float64) -> tuple[Float32, Float32]:
    x = np.clip((line_values - member.line_mean) / member.line_scale, -4, 4).astype(np.float32)
    z = ((pair_values - member.pair_mean) / member.pair_scale).astype(np.float32)
    h = np.maximum(_affine(x, member.lines), 0)
    e = np.maximum(_affine(z, member.pairs), 0)
    count, units = h.shape
    for layer in member.layers:
        heads = layer.bias.shape[1]
        qkv = _affine(_layer_norm(h, layer.norm_in), layer.qkv).reshape(count, 3, heads, units // heads)
        q, k, v = qkv.transpose(1, 2, 0, 3)
        logits = q @ k.transpose(0, 2, 1) / np.sqrt(units // heads) + _affine(e, layer.bias).transpose(2, 0, 1)
        mixed = (_softmax(logits) @ v).transpose(1, 0, 2).reshape(count, units)
        h = h + _affine(mixed, layer.out)
        h = h + _affine(np.maximum(_affine(_layer_norm(h, layer.norm_out), layer.expand), 0), layer.shrink)
    u = _affine(h, member.link_lines)
    pair = np.concatenate([e, u[:, None] + u, np.abs(u[:, None] - u)], axis=2)
    hidden = np.maximum(_affine(pair, member.link_hidden), 0)
    link: Float32 = (_affine(hidden, member.link_out) + _affine(z, member.link_direct))[..., 0]
    return _softmax(_affine(h, member.role)), link


def _affine(x: Float32, weights: Float32) -> Float32:
    """Multiply by a matrix whose last row is the bias."""
    y: Float32 = x @ weights[:-1] + weights[-1]
    return y


def _layer_norm(x: Float32, gain_and_bias: Float32) -> Float32:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled: Float32 = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
    normed: Float32 = scaled * gain_and_bias[0] + gain_and_bias[1]
    return normed


def _softmax(logits: Float32) -> Float32:
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Float32 = odds / odds.sum(axis=-1, keepdims=True)
    return shares


def fuse_object_evidence(roles: Float64, evidence: Float64, weights: Float64) -> Float64:
    """Add the evidence (lines, 3) of objects around lines to their roles (lines, roles), by weights of the model."""
    roles = roles.copy()
    for column, role in enumerate(_OBJECT_ROLES):
        seen = evidence[:, column]
        odds = np.where(seen > 0, weights[column, 0] * seen + weights[column, 1], 0.0)
        roles[:, LINE_ROLES.index(role)] *= np.exp(odds)
    shares: Float64 = roles / np.maximum(roles.sum(axis=1, keepdims=True), 1e-12)
    return shares


def object_evidence(line: Box, detections: Sequence[Detection]) -> Float64:
    """Return the greatest confidences, 0-1, of a button, a logo and a product that hold a line; 0 without one."""
    values = np.zeros(3)
    for d in detections:
        inside = line.share_in(d.box)
        if inside == 0:
            continue
        ratio = d.box.area / max(line.area, 1e-9)
        if d.type == "button" and inside >= 0.7 and ratio <= _LARGEST_BUTTON:
            values[0] = max(values[0], d.confidence)
        elif d.type == "logo" and (d.box.iou(line) >= 0.5 or (inside >= 0.7 and ratio <= _LARGEST_LOGO)):
            values[1] = max(values[1], d.confidence)
        elif d.type == "product" and inside >= 0.8 and d.box.area <= 0.5:
            values[2] = max(values[2], d.confidence)
    return values


@cache
def read_model() -> _Model:
    """Read the networks that ship; once a process."""
    path = files("mediaan.aoi.detection").joinpath("text_layout.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
        stored = {name: values.astype(np.float32) for name, values in content.items()}
    members = []
    for number in range(sum(name.endswith(".role") for name in stored)):
        member = {name.partition(".")[2]: values for name, values in stored.items() if name.startswith(f"{number}.")}
        count = sum(name.endswith(".qkv") for name in member)
        layers = tuple(
            _Attention(**{name: member[f"layer{i}.{name}"] for name in _Attention._fields}) for i in range(count)
        )
        plain = {name: member[name] for name in _Member._fields if name != "layers"}
        members.append(_Member(**plain, layers=layers))
    return _Model(tuple(members), stored["objects"].astype(np.float64))
