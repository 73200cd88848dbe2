"""The progress bar in a terminal of its own, and silence where there is none."""

from __future__ import annotations

from mediaan.analysis import AnalysisProgress
from mediaan.cli.progress import share_done


def test_the_share_of_a_medium() -> None:
    assert share_done(AnalysisProgress("a.mp4", 30.0, 120.0)) == 0.25
    assert share_done(AnalysisProgress("a.mp4", 130.0, 120.0)) == 1.0
    assert share_done(AnalysisProgress("a.mp4", 30.0, None)) == 0.0
