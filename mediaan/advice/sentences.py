"""What is said of an edit that helps: the element, what to do with it, and what that is predicted to bring."""

from __future__ import annotations

from mediaan.advice.candidates import EditCandidate
from mediaan.advice.naming import named, noun
from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.types.aoi import Aoi


def sentence(candidate: EditCandidate, before: float, gain: float, lo: float, hi: float) -> str:
    """One sentence.

    Parameters
    ----------
    candidate : EditCandidate
    before : float
        Share of viewers who see the element now, %.
    gain, lo, hi : float
        Predicted change with its 90 % interval, points.
    """
    first = candidate.edits[0]
    shares = _shares(candidate, before, gain, lo, hi)
    name = named(candidate.of.aoi)
    if candidate.of is not candidate.gains:
        rival, weak = candidate.of, candidate.gains
        return (
            f"{name[0].upper()}{name[1:]} draws {rival.attention:.0f} % of attention and {named(weak.aoi)} "
            f"{weak.attention:.0f} %: make the {noun(rival.aoi)} {100 - 100 * (first.factor or 1):.0f} % smaller, and "
            f"{shares}"
        )
    if first.action == "move":
        return f"Move {name} into the empty space {candidate.place}: {shares}"
    if first.action == "contrast":
        return f"Give {name} more contrast with its ground{_ratio(candidate.of.aoi)}: {shares}"
    return f"Enlarge {name} by {100 * (first.factor or 1) - 100:.0f} %{_towards(candidate)}: {shares}"


def _ratio(aoi: Aoi) -> str:
    """What the contrast of its letters is now, where that is low."""
    ratio = aoi.text.contrast_ratio if aoi.text else None
    return f" (its letters have {ratio:.1f} : 1 now)" if ratio is not None and ratio < MIN_CONTRAST else ""


def _towards(candidate: EditCandidate) -> str:
    """In which direction something grows that does not grow about its centre."""
    shifts = [edit.to for edit in candidate.edits if edit.to is not None]
    if not shifts:
        return ""
    x, y = (now - before for now, before in zip(shifts[0], candidate.of.aoi.box.centre, strict=True))
    down, across = ("downwards" if y > 0 else "upwards"), ("to the right" if x > 0 else "to the left")
    least = 0.25 * max(abs(x), abs(y))
    return ", " + " and ".join(word for word, way in ((down, y), (across, x)) if abs(way) > least)


def _shares(candidate: EditCandidate, before: float, gain: float, lo: float, hi: float) -> str:
    seer = "of viewers would see it" if candidate.of is candidate.gains else "of viewers would see the "
    seer = seer if candidate.of is candidate.gains else seer + noun(candidate.gains.aoi)
    return f"{before + gain:.0f} % {seer} instead of {before:.0f} % (+{lo:.0f} to +{hi:.0f} points)."
