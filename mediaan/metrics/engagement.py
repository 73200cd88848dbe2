"""Engagement: a proxy of arousal and visual appeal."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.focus import concentration
from mediaan.metrics.ranked import ranked_score
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score

ENGAGEMENT = MetricSpec(
    name="engagement",
    title="Engagement",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="proxy",
    caption="A proxy of arousal: vivid, warm and contrasted colours, and attention that gathers early. "
    "There is no human ground truth behind it; use it to compare like with like.",
    reference="Valdez & Mehrabian (1994), J. Exp. Psychol. Gen. 123, 394-409; Wilms & Oberfeld (2018), Psychol. Res. "
    "82, 896-914; Reinecke et al. (2013), CHI '13, 2049-2058.",
)


def raw_engagement(drivers: Drivers, densities: Densities, scales: Scales) -> float:
    """Return raw engagement, 0-1.

    A weighted mean of ranks: colourfulness (.30), global contrast (.20), vividness (.15), warmth (.15), and how
    concentrated attention is in the first two seconds (.20).
    """
    return (
        0.30 * scales.rank("colourfulness", drivers.colourfulness)
        + 0.20 * scales.rank("luminance_sd", drivers.luminance_sd)
        + 0.15 * scales.rank("vividness", drivers.vividness)
        + 0.15 * scales.rank("warmth", drivers.warmth)
        + 0.20 * scales.focus.score(concentration(densities["start"])) / 100
    )


def engagement(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score engagement, 0-100, a proxy; undefined where the model predicts no first two seconds."""
    if "start" not in densities.maps:
        reason = "The model predicts no start window."
        return Score(ENGAGEMENT.name, "total", None, None, None, ENGAGEMENT.basis, ENGAGEMENT.unit, reason)
    return ranked_score(ENGAGEMENT, raw_engagement(drivers, densities, scales), scales)
