"""Are trends told from chance as often as they say? ``python models/training/trend_checks.py``.

Made-up media with a known course: how often a slope is told where there is none (10 % at most), how often the interval
of the slope holds the true one (90 %), how often a slope of a realistic size is found; beside least squares over media.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from mediaan.studies.statistics import t_quantile
from mediaan.studies.trend.dates import PeriodKind
from mediaan.studies.trend.statistics import DatedScore, fit_line, period_levels
from mediaan.types.metrics import Z90

START = date(2023, 1, 1)
DAYS = 730
SPREAD = 24.0  # standard deviation of scores among advertisements: 19 to 29 by score
ERROR = 9.0  # of a score's own error: intervals of about +-15 points, as most have


@dataclass(frozen=True)
class World:
    """How media come about.

    Attributes
    ----------
    name : str
    media : int
        In two years.
    slope : float
        Points a year.
    season : float
        Standard deviation of what a month has of its own, points.
    campaign : int
        Media that are shown on one day and share half their variance.
    wave : float
        Correlation of a month's own with that of the month before.
    """

    name: str
    media: int = 192
    slope: float = 0.0
    season: float = 0.0
    campaign: int = 1
    wave: float = 0.0


WORLDS = (
    World("independent files"),
    World("campaigns of six", campaign=6),
    World("waves of months", season=8, wave=0.6),
    World("6 points a year, 192 files", slope=6),
    World("6 points a year, 600 files", slope=6, media=600),
    World("12 points a year, 192 files", slope=12),
)


def draw(world: World, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Days and predicted scores."""
    groups = world.media // world.campaign
    days = np.repeat(rng.integers(DAYS, size=groups), world.campaign)
    shared = np.repeat(rng.normal(size=groups), world.campaign)
    of_days = rng.normal(size=days.size)
    noise = of_days if world.campaign == 1 else (shared + of_days) / np.sqrt(2)
    months = np.empty(25)
    months[0] = rng.normal()
    for i in range(1, 25):
        months[i] = world.wave * months[i - 1] + np.sqrt(1 - world.wave**2) * rng.normal()
    scores = 55 + world.slope * days / 365.25 + SPREAD * noise + world.season * months[days * 24 // DAYS]
    return days, scores


Method = Callable[[np.ndarray, np.ndarray], tuple[float, float, float] | None]
"""Slope per year with its 90 % interval."""


def ours(kind: PeriodKind) -> Method:
    def fit(days: np.ndarray, scores: np.ndarray) -> tuple[float, float, float] | None:
        levels = period_levels(showings(days, scores), kind)
        columns = (
            [level.at.toordinal() for level in levels],
            *([getattr(level, name) for level in levels] for name in COLUMNS),
        )
        line = fit_line(*(np.array(column, np.float64) for column in columns))
        if isinstance(line, str):
            return None
        return tuple(365.25 * end for end in (line.slope, line.slope - line.reach, line.slope + line.reach))  # type: ignore[return-value]

    return fit


COLUMNS = ("mean", "spread", "error")


def showings(days: np.ndarray, scores: np.ndarray) -> list[DatedScore]:
    reach = Z90 * ERROR
    return [
        DatedScore(float(score), float(score) - reach, float(score) + reach, day=START + timedelta(days=int(day)))
        for day, score in zip(days, scores, strict=True)
    ]


def least_squares(days: np.ndarray, scores: np.ndarray) -> tuple[float, float, float]:
    """Over media, with the HC3 error of MacKinnon & White (1985)."""
    x = (days - days.mean()) / 365.25
    squares = (x**2).sum()
    slope = (x * scores).sum() / squares
    rest = scores - scores.mean() - slope * x
    leverage = 1 / x.size + x**2 / squares
    error = np.sqrt(((x * rest / (1 - leverage)) ** 2).sum()) / squares
    reach = t_quantile(0.95, x.size - 2) * error
    return slope, slope - reach, slope + reach


METHODS: dict[str, Method] = {
    "line through months": ours("month"),
    "line through quarters": ours("quarter"),
    "least squares over files": least_squares,
}


def told(method: Method, world: World, repeats: int, seed: int = 7) -> tuple[float, float, float]:
    """Share of slopes told from 0, share of intervals that hold the true one, mean half width in points a year."""
    rng = np.random.default_rng(seed)
    rows = np.array([fit for _ in range(repeats) if (fit := method(*draw(world, rng)))])
    away = ((rows[:, 1] > 0) | (rows[:, 2] < 0)).mean()
    held = ((rows[:, 1] <= world.slope) & (world.slope <= rows[:, 2])).mean()
    return float(away), float(held), float((rows[:, 2] - rows[:, 1]).mean() / 2)


def cells(world: World, repeats: int) -> Iterator[str]:
    for method in METHODS.values():
        away, held, half = told(method, world, repeats)
        yield f"{100 * away:.0f} / {100 * held:.0f}, ±{half:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    options = parser.parse_args()
    print(f"| slope found / interval holds the true one, % | {' | '.join(METHODS)} |\n|---|{'---|' * len(METHODS)}")
    for world in WORLDS:
        print(f"| {world.name} | {' | '.join(cells(world, options.repeats))} |")


if __name__ == "__main__":
    main()
