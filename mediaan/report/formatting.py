"""Format numbers, and draw histograms as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from markupsafe import Markup

from mediaan.report.data.rankings import ScoreDistribution
from mediaan.types.metrics import MetricSpec

_WIDTH, _HEIGHT = 200.0, 48.0


def position(value: float, spec: MetricSpec) -> float:
    """Place of a value on the metric's range, %; outside values sit on the border.

    >>> position(25, MetricSpec("t", "T", "s", 0, 50, "higher", "measured", "", ""))
    50.0
    """
    share = (value - spec.low) / (spec.high - spec.low)
    return round(100 * min(max(share, 0.0), 1.0), 2)


def digits(value: float, decimals: int) -> str:
    """Round half away from zero, as the page's script does, so that table and detail agree.

    >>> digits(72.5, 0), digits(0.126, 2)
    ('73', '0.13')
    """
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def histogram(spread: ScoreDistribution, spec: MetricSpec) -> Markup:
    """Draw a histogram over the metric's whole range, with the middle half shaded and the median as a line.

    Returns
    -------
    Markup
        An `svg` element that stretches to its box; classes `half`, `bins` and `median` are coloured by the style sheet.
    """
    bars = _bars(spread.counts)
    q1, median, q3 = (position(q, spec) / 100 * _WIDTH for q in (spread.q1, spread.median, spread.q3))
    return Markup(
        '<svg class="histogram" viewBox="0 0 {w:.0f} {h:.0f}" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="half" x="{q1:.1f}" y="0" width="{half:.1f}" height="{h:.0f}"/>'
        '<path class="bins" d="{bars}"/>'
        '<path class="median" d="M{median:.1f} 0V{h:.0f}"/></svg>'
    ).format(w=_WIDTH, h=_HEIGHT, q1=q1, half=max(q3 - q1, 0.8), bars=bars, median=median)


def _bars(counts: Sequence[int]) -> str:
    tallest, step = max(counts), _WIDTH / len(counts)
    boxes = [(i * step + 0.6, max(2.0, count / tallest * (_HEIGHT - 4))) for i, count in enumerate(counts) if count]
    return "".join(f"M{x:.1f} {_HEIGHT:.0f}v-{tall:.1f}h{step - 1.2:.1f}V{_HEIGHT:.0f}z" for x, tall in boxes)
