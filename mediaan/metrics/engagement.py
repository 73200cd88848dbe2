"""Engagement: a proxy of arousal and visual appeal."""

from __future__ import annotations

from mediaan.metrics.composite import Composite, Term
from mediaan.metrics.drivers import Drivers
from mediaan.metrics.ranked import composite_score
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
    caption="A proxy of arousal: vivid, warm and contrasted colours, faces, and attention that gathers early. "
    "There is no human ground truth behind it; use it to compare like with like.",
    reference="Valdez & Mehrabian (1994), J. Exp. Psychol. Gen. 123, 394-409; Wilms & Oberfeld (2018), Psychol. Res. "
    "82, 896-914; Bakhshi, Shamma & Gilbert (2014), CHI '14, 965-974.",
)

MODEL = Composite(
    (
        (
            Term(
                "colourfulness", "more", 0.22,
                "Colourful pages appeal at first sight, up to a point: Reinecke et al. (2013), CHI '13, 2049-2058.",
            ),
            Term(
                "vividness", "more", 0.15,
                "Saturated, bright colours raise arousal most: Valdez & Mehrabian (1994), J. Exp. Psychol. Gen. 123.",
            ),
            Term(
                "warmth", "more", 0.1,
                "Red arouses more than blue at one chroma: Wilms & Oberfeld (2018), Psychol. Res. 82, 896-914.",
            ),
            Term(
                "luminance_sd", "more", 0.13,
                "Photographs of higher contrast are liked better: Tinio, Leder & Strasser (2011), Psychol. Aesthet. "
                "Creat. Arts 5, 165-176.",
            ),
            Term(
                "face_presence", "more", 0.15,
                "Photos with faces draw 38 % more likes and 32 % more comments: Bakhshi, Shamma & Gilbert (2014), "
                "CHI '14, 965-974.",
            ),
            Term(
                "person_presence", "more", 0.1,
                "People hold gaze: Judd et al. (2009), ICCV, 2106-2113; Cerf, Frady & Koch (2009), J. Vision 9(12):10.",
            ),
            Term(
                "early_concentration", "more", 0.15,
                "Interesting things draw gaze at once: Elazary & Itti (2008), J. Vision 8(3):3.",
            ),
        ),
    )
)  # fmt: skip


def engagement(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score engagement, 0-100, a proxy; undefined where the model predicts no first two seconds."""
    if "start" not in densities.maps:
        reason = "The model predicts no start window."
        return Score(ENGAGEMENT.name, "total", None, None, None, ENGAGEMENT.basis, ENGAGEMENT.unit, reason)
    return composite_score(ENGAGEMENT, MODEL, drivers, densities, scales)
