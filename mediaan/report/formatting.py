"""Format numbers as the page shows them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from mediaan.types.metrics import MetricSpec


def digits(value: float, decimals: int) -> str:
    """Round half away from zero, as the page's script does, so that table and detail agree.

    >>> digits(72.5, 0), digits(0.126, 2)
    ('73', '0.13')
    """
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def plus_minus(moves: float | None, decimals: int) -> str:
    """Format how far a number moves; empty where that is not known, or too small to be written.

    >>> plus_minus(12.4, 0), plus_minus(0.26, 1), plus_minus(0.2, 0), plus_minus(None, 0)
    ('± 12', '± 0.3', '', '')
    """
    text = "0" if moves is None else digits(moves, decimals)
    return f"± {text}" if float(text) else ""


def format_number(value: float | None, unit: str, *, signed: bool = False) -> str:
    """Format a number for a table, – for none.

    >>> format_number(0.126, "s"), format_number(3.0, "score", signed=True), format_number(-0.04, "%", signed=True)
    ('0.13', '+3.0', '0.0')
    >>> format_number(None, "%")
    '–'
    """
    if value is None:
        return "–"
    decimals = 2 if unit in ("s", "ratio") else 1
    rounded = round(value, decimals) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.{decimals}f}"


def duration(seconds: float) -> str:
    """Format the length of a medium, as the page's script does.

    >>> duration(0.44), duration(59.6), duration(3725)
    ('0.4 s', '1:00', '1:02:05')
    """
    if seconds < 1:
        return f"{digits(seconds, 1)} s"
    minutes, rest = divmod(int(digits(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def position(value: float, spec: MetricSpec) -> float:
    """Return the position of a value on the metric's range, %; outside values sit on the border.

    >>> position(25, MetricSpec("t", "T", "s", 0, 50, "higher", "measured", "", ""))
    50.0
    """
    share = (value - spec.low) / (spec.high - spec.low)
    return round(100 * min(max(share, 0.0), 1.0), 2)
