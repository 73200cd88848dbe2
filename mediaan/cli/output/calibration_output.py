"""Write a calibration as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mediaan.cli.output.table import table_lines
from mediaan.config.calibration import describe_calibration
from mediaan.evaluation.calibration.fit import METRICS
from mediaan.types.eye_tracking import Calibration, Interval

_WINDOWS = {"total": "whole exposure", "start": "first two seconds", "end": "last two seconds"}


def calibration_as_text(calibration: Calibration, notes: Sequence[str], out: Path) -> str:
    """Say what was fitted, what it gains, what it means, and where it was written."""
    heading = (
        f"{calibration.model} on {calibration.source}: {calibration.pictures} images, {calibration.viewers} viewers, "
        f"{calibration.fixations:,} fixations"
    )
    blocks = [[heading]]
    fitted = [("fitted", "", "value [90 %]")]
    for window, title in _WINDOWS.items():
        gains = [
            (METRICS[e.metric], f"{e.before:.3f}", f"{e.after:.3f}", f"{e.gain:+.3f} [{e.lo:+.3f}, {e.hi:+.3f}]")
            for e in calibration.evidence
            if e.window == window
        ]
        if gains:
            taken = "" if window != "total" or not calibration.total.changes_nothing else "; not used"
            head = (f"images left out, {title}{taken}", "before", "after", "gain [95 %]")
            blocks.append(table_lines([head, *gains]))
        own = {"total": calibration.total, "start": calibration.start, "end": calibration.end}[window]
        if own is not None:
            fitted += [
                (title, "sharpness", _estimate(own.sharpness, own.sharpness_interval)),
                (title, "spread", _estimate(own.spread, own.spread_interval)),
                (title, "centre", _estimate(own.centre, own.centre_interval)),
            ]
    pace = calibration.pace
    fitted += [
        ("pace", "rate", _estimate(pace.rate, pace.rate_interval)),
        ("pace", "agreement", _estimate(pace.agreement, pace.agreement_interval)),
    ]
    if pace.gaze is not None:
        fitted.append(("pace", "gaze", _estimate(pace.gaze, pace.gaze_interval)))
    footnotes = [
        "Higher is better, except for KLD. Changes that do not clearly help on images left out are not made.",
        *(f"Note: {note}." for note in notes),
        f"Written: {out}",
    ]
    blocks += [table_lines(fitted), describe_calibration(calibration), footnotes]
    return "\n\n".join("\n".join(block) for block in blocks)


def _estimate(value: float, interval: Interval | None) -> str:
    return f"{value:.3f}" + ("" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]")
