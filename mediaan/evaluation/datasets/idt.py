"""Detect fixations in gaze samples by a dispersion threshold (I-DT).

Salvucci & Goldberg 2000, "Identifying fixations and saccades in eye-tracking protocols", ETRA: samples that stay within
a small window for long enough are one fixation. The thresholds are theirs in kind: about a degree of visual angle, and
a tenth of a second. A tracker's own classification is better where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.evaluation.datasets.stimulus import displayed_size
from mediaan.types.arrays import Float64

DISPERSION = 0.05
"""Largest (max x - min x) + (max y - min y) of a fixation's samples, as a share of the image's long side: about 2
degrees, the sum of one each way, where the image spans 40."""

MIN_DURATION_S = 0.1
"""Shortest fixation, s."""

MAX_GAP_S = 0.075
"""Samples that lie further apart in time belong to different fixations, s: between them gaze was lost."""


def detect_fixations(samples: pd.DataFrame, paths: Mapping[str, Path]) -> pd.DataFrame:
    """Merge gaze samples to fixations, viewer by viewer and image by image.

    `samples`: image, viewer, x, y (unit coordinates; NaN where gaze was lost), onset_s.
    `paths`: images by name; their aspect tells how far apart two places are.
    Returns: image, viewer, x, y, onset_s, duration_s: a row for each fixation.
    """
    valid = samples.dropna(subset=["x", "y", "onset_s"])
    parts = []
    for _, viewing in valid.groupby(["image", "viewer"], sort=False):
        image, viewer = viewing["image"].iloc[0], viewing["viewer"].iloc[0]
        width, height = displayed_size(paths[image]) if image in paths else (1, 1)
        ordered = viewing.sort_values("onset_s", kind="stable")
        x, y, t = (ordered[name].to_numpy(np.float64) for name in ("x", "y", "onset_s"))
        fixations = pd.DataFrame(
            list(idt_fixations(x, y, t, width / height)), columns=["x", "y", "onset_s", "duration_s"]
        )
        parts.append(fixations.assign(image=image, viewer=viewer))
    columns = ["image", "viewer", "x", "y", "onset_s", "duration_s"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def idt_fixations(
    x: Float64, y: Float64, t: Float64, aspect: float = 1.0
) -> Iterator[tuple[float, float, float, float]]:
    """Yield the fixations of one viewer on one image.

    `x`, `y` (n,) float64: unit coordinates.
    `t` (n,) float64: s, ascending.
    `aspect`: width over height of the image.
    Yields (float, float, float, float): mean x and y, onset and duration, s.

    >>> t = np.arange(60) / 100
    >>> left = t < 0.3
    >>> [round(v, 2) for f in idt_fixations(np.where(left, 0.2, 0.8), np.full(60, 0.5), t) for v in f]
    [0.2, 0.5, 0.0, 0.29, 0.8, 0.5, 0.3, 0.29]
    """
    across, down = x * min(1.0, aspect), y * min(1.0, 1 / aspect)  # shares of the long side
    begin, n = 0, len(t)
    while begin < n:
        end = _run_end(across, down, t, begin)
        if t[end - 1] - t[begin] >= MIN_DURATION_S:
            window = slice(begin, end)
            yield float(x[window].mean()), float(y[window].mean()), float(t[begin]), float(t[end - 1] - t[begin])
            begin = end
        else:
            begin += 1


def _run_end(x: Float64, y: Float64, t: Float64, begin: int) -> int:
    """Return the end of the longest run of samples from `begin` within the dispersion and without a gap."""
    low_x = high_x = x[begin]
    low_y = high_y = y[begin]
    end = begin + 1
    while end < len(t) and t[end] - t[end - 1] <= MAX_GAP_S:
        low_x, high_x = min(low_x, x[end]), max(high_x, x[end])
        low_y, high_y = min(low_y, y[end]), max(high_y, y[end])
        if high_x - low_x + high_y - low_y > DISPERSION:
            break
        end += 1
    return end
