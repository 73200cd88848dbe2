"""Losses over densities (KLD + CC - NSS, weighted), shares of areas, lines of text, objects, and domains."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

_EPS = 1e-8
_LEAST, _ENOUGH = 1e-4, 0.05  # of summed shares: kept from zero, and what a ratio is worth something from
FADES = 0.85


def attention_loss(log_p: Tensor, target: Tensor, counts: Tensor, weight: Tensor, *, cc: float, nss: float) -> Tensor:
    """Mean over pictures of sum over windows of weight x (KLD + cc (1 - CC) - nss NSS).

    Parameters
    ----------
    log_p : (N, 3, h, w)
        Log-densities.
    target : (N, 3, h, w), each sums to 1
    counts : (N, 3, h, w), fixations per cell, all zero where there are none
    weight : (N, 3)
    """
    log_p = log_p.flatten(2)
    p, t, c = log_p.exp(), target.flatten(2), counts.flatten(2)
    kld = (t * ((t + _EPS).log() - log_p)).sum(2)
    p_centred, t_centred = p - p.mean(2, keepdim=True), t - t.mean(2, keepdim=True)
    spread = p_centred.square().sum(2).clamp_min(1e-16).sqrt()
    corr = (p_centred * t_centred).sum(2) / (spread * t_centred.square().sum(2).clamp_min(1e-16).sqrt())
    z = p_centred / (spread / p.shape[2] ** 0.5).unsqueeze(2)
    landed = (z * c).sum(2) / c.sum(2).clamp_min(1.0)
    return (weight * (kld + cc * (1 - corr) - nss * landed)).sum(1).mean()


def share_loss(density: Tensor, areas: Tensor, shares: Tensor, known: Tensor, sums: Tensor) -> tuple[Tensor, Tensor]:
    """Sum over kinds of areas of the squared log ratio of what is predicted for them to what people give them.

    A ratio is that of sums over this batch and earlier ones, each of which counts `FADES` times the one after it:
    within one picture it is mostly noise.

    Parameters
    ----------
    density : (N, h, w), each sums to 1
    areas : (N, K, h, w), how much of each cell lies in areas of the kind
    shares : (N, K), of people's fixations
    known : (N, K), 1 where a picture has areas of the kind, else 0
    sums : (2, K), as returned with the batch before; zeros at first
    """
    predicted = torch.einsum("nkhw,nhw->nk", areas, density)
    sums = sums + torch.stack([(predicted * known).sum(0), (shares * known).sum(0)])
    ratio = ((sums[0] + _LEAST) / (sums[1] + _LEAST)).log()
    enough = sums[1] > _ENOUGH
    return (enough * ratio.square()).sum(), FADES * sums.detach()


def text_loss(logits: Tensor, text: Tensor) -> Tensor:
    """Cross-entropy of (N, 1, h, w) logits with (N, h, w) labels 1, 0 or -1 (not known), nats per known cell."""
    labelled = (text >= 0).float()
    entropy = F.binary_cross_entropy_with_logits(logits[:, 0], text.clamp_min(0), reduction="none")
    return (entropy * labelled).sum() / labelled.sum().clamp_min(1.0)


def object_loss(logits: Tensor, objects: Tensor) -> Tensor:
    """Cross-entropy of (N, K, h, w) logits with labels 1, 0 or -1 (not known) of that shape, nats per known cell."""
    labelled = (objects >= 0).float()
    entropy = F.binary_cross_entropy_with_logits(logits, objects.clamp_min(0), reduction="none")
    return (entropy * labelled).sum() / labelled.sum().clamp_min(1.0)


def domain_loss(logits: Tensor, domain: Tensor) -> Tensor:
    """Cross-entropy of (N, D) logits with (N, D) shares, nats."""
    return -(domain * logits.log_softmax(1)).sum(1).mean()


def correlation(p: Tensor, t: Tensor) -> Tensor:
    """Pearson correlation over the last two axes."""
    p, t = p.flatten(-2), t.flatten(-2)
    p, t = p - p.mean(-1, keepdim=True), t - t.mean(-1, keepdim=True)
    return (p * t).sum(-1) / (p.norm(dim=-1) * t.norm(dim=-1)).clamp_min(1e-12)


def nss(p: Tensor, counts: Tensor) -> Tensor:
    """Normalised scanpath saliency over the last two axes."""
    p, c = p.flatten(-2), counts.flatten(-2)
    z = (p - p.mean(-1, keepdim=True)) / p.std(-1, keepdim=True, unbiased=False).clamp_min(1e-12)
    return (z * c).sum(-1) / c.sum(-1)


def kld(p: Tensor, t: Tensor) -> Tensor:
    """Kullback-Leibler divergence of `p` from `t` over the last two axes, nats."""
    p, t = p.flatten(-2), t.flatten(-2)
    return (t * torch.log(t / (p + _EPS) + _EPS)).sum(-1)
