"""What viewers of pictures did: how far they agreed on where to look, how long and how often they fixated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from mediaan.evaluation.datasets.image_set import read_gaze_set
from mediaan.evaluation.datasets.stimulus import Stimulus
from mediaan.evaluation.saliency.metrics import auc_judd
from mediaan.saliency.density import fixation_cells, fixation_density
from mediaan.types.arrays import Float64

SETS = ("osie", "crowd", "scene")
TITLES = {
    "agreement": "viewers' agreement on where to look",
    "duration_s": "mean duration of a fixation",
    "number": "fixations per second and viewer",
}
DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Viewing:
    """What the viewers of one picture did.

    Attributes
    ----------
    agreement : float
        AUC (Judd) of the density of all others for the fixations of one, mean over viewers, .5-1: inter-observer
        congruency, Le Meur, Baccino & Roumy (2011), ACM Multimedia.
    duration_s : float
        Mean duration of a fixation, s.
    number : float
        Fixations per second of viewing, mean over viewers.
    """

    agreement: float
    duration_s: float
    number: float


def viewing(paths: list[Path], data: Path) -> dict[Path, Viewing]:
    """Those of the pictures that people were shown."""
    views: dict[Path, Viewing] = {}
    for name in SETS:
        wanted = {path.stem: path for path in paths if path.parent.parent.name == name}
        fixations = pd.read_parquet(data / "gaze" / name / "fixations.parquet")
        for picture in read_gaze_set(data / "gaze" / name, names=set(wanted)).stimuli:
            if picture.name in wanted:
                rows = fixations[fixations["image"] == picture.name]
                views[wanted[picture.name]] = Viewing(agreement(picture), *pace(rows))
    return views


def agreement(picture: Stimulus) -> float:
    gaze = picture.gaze
    assert gaze is not None
    values = []
    for viewer in np.unique(gaze.viewer):
        of_viewer = gaze.viewer == viewer
        others = fixation_density(gaze.x[~of_viewer], gaze.y[~of_viewer], picture.shape)
        values.append(auc_judd(others, fixation_cells(gaze.x[of_viewer], gaze.y[of_viewer], picture.shape)))
    return float(np.mean([value for value in values if value is not None]))


def pace(rows: pd.DataFrame) -> tuple[float, float]:
    """Mean duration of a fixation, s, and fixations per second between the first onset and the last end."""
    viewers = rows.groupby("viewer")
    last = rows["onset_s"] + rows["duration_s"]
    span = last.groupby(rows["viewer"]).max() - viewers["onset_s"].min()
    return float(rows["duration_s"].mean()), float((viewers.size() / span).mean())


def correlation(values: Float64, truth: Float64, groups: Float64) -> str:
    """Spearman correlation within groups, averaged by size, with its interval over pictures that are drawn again."""
    fine = ~(np.isnan(values) | np.isnan(truth))
    groups_of_pairs = [(values[fine & (groups == g)], truth[fine & (groups == g)]) for g in np.unique(groups[fine])]
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(DRAWS):
        again = [rng.integers(len(first), size=len(first)) for first, _ in groups_of_pairs]
        drawn.append(_mean([(first[i], other[i]) for (first, other), i in zip(groups_of_pairs, again, strict=True)]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{_mean(groups_of_pairs):+.2f} [{low:+.2f}, {high:+.2f}]"


def _mean(pairs: list[tuple[Float64, Float64]]) -> float:
    rho = [np.corrcoef(rankdata(first), rankdata(other))[0, 1] for first, other in pairs]
    return float(np.average(rho, weights=[len(first) for first, _ in pairs]))
