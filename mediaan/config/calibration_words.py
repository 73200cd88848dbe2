"""What a calibration says, in words that need no statistics."""

from __future__ import annotations

from mediaan.types.calibration import Adjustment, Calibration

_WINDOWS = {"start": "In the first two seconds", "end": "In the last two seconds"}


def in_words(calibration: Calibration) -> list[str]:
    """A calibration as sentences, one for each thing that was found."""
    sentences = _density(calibration.total)
    for window, opening in _WINDOWS.items():
        own = {"start": calibration.start, "end": calibration.end}[window]
        sentences += [f"{opening}: {_begin(sentence)}" for sentence in _density(own)] if own else []
    sentences += _pace(calibration)
    if calibration.total.changes_nothing:
        sentences.insert(0, _nothing(calibration))
    return sentences


def _density(adjustment: Adjustment) -> list[str]:
    sentences = []
    if adjustment.sharpness > 1:
        sentences.append(
            f"Your viewers agree on fewer places than the model expects (sharpness {adjustment.sharpness:.2f})."
        )
    if adjustment.sharpness < 1:
        sentences.append(
            f"Your viewers look at more of the picture than the model expects (sharpness {adjustment.sharpness:.2f})."
        )
    if adjustment.spread:
        sentences.append(
            f"Their gaze scatters around what draws it, or was measured so, by another "
            f"{100 * adjustment.spread:.1f} % of the longer side (spread)."
        )
    if adjustment.centre:
        sentences.append(
            f"{100 * adjustment.centre:.0f} % of their fixations go near the middle whatever is there, beyond what the "
            "model expects (centre)."
        )
    return sentences


def _pace(calibration: Calibration) -> list[str]:
    pace, sentences = calibration.pace, []
    if pace.rate != 1 or pace.agreement != 1:
        sentences.append(
            f"For who sees an area: fixations come {pace.rate:.2f} times as often as usual (rate), and keep to the "
            f"places that draw most by {pace.agreement:.2f} times the usual power (agreement)."
        )
    if pace.gaze is not None:
        sentences.append(f"They spend {100 * pace.gaze:.0f} % of the time in fixations on the picture.")
    return sentences


def _nothing(calibration: Calibration) -> str:
    return (
        "Where your viewers look is left as the model says: no change of it surely helps on pictures left out of the "
        f"fit ({calibration.pictures} pictures; more may show one)."
    )


def _begin(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
