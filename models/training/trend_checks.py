"""Are trends told from chance as often as they say? ``python models/training/trend_checks.py``.

Made-up media with a known course: how often a slope is told where there is none (10 % at most), how often the
intervals of means and slopes hold the truth (90 %), how often a slope of a realistic size is found. Beside the method
that is used, the two others that one might take: least squares over media with an error that is robust to unequal
spread, and Theil and Sen's median slope with a bootstrap over media. With ``--run RUN`` also the scores of a real run
under shuffled dates.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from mediaan.metrics.intervals import ALPHA
from mediaan.studies.statistics import t_quantile
from mediaan.studies.trend.result import PeriodKind, Trend
from mediaan.studies.trend.statistics import DatedScore, fit_line, measure_trend, period_levels
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
    uneven : bool
        Whether half the media are shown in the last quarter of the time, with half the spread.
    wave : float
        Correlation of a month's own with that of the month before.
    """

    name: str
    media: int = 192
    slope: float = 0.0
    season: float = 0.0
    campaign: int = 1
    uneven: bool = False
    wave: float = 0.0


WORLDS = (
    World("independent files"),
    World("few files", media=30),
    World("months with effects of their own", season=8),
    World("campaigns of six", campaign=6),
    World("uneven", uneven=True),
    World("waves of months", season=8, wave=0.6),
    World("6 points a year, 192 files", slope=6),
    World("6 points a year, 600 files", slope=6, media=600),
    World("12 points a year, 192 files", slope=12),
)


def draw(world: World, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Days and predicted scores."""
    groups = world.media // world.campaign
    days = rng.integers(DAYS, size=groups)
    if world.uneven:
        late = rng.random(groups) < 0.5
        days = np.where(late, DAYS * 3 // 4 + days // 4, days)
    days = np.repeat(days, world.campaign)
    spread = np.where(days > DAYS * 3 // 4, SPREAD / 2, SPREAD) if world.uneven else np.full(days.size, SPREAD)
    shared = np.repeat(rng.normal(size=groups), world.campaign)
    own = rng.normal(size=days.size)
    noise = own if world.campaign == 1 else (shared + own) / np.sqrt(2)
    months = np.empty(25)
    months[0] = rng.normal()
    for i in range(1, 25):
        months[i] = world.wave * months[i - 1] + np.sqrt(1 - world.wave**2) * rng.normal()
    scores = 55 + world.slope * days / 365.25 + spread * noise + world.season * months[days * 24 // DAYS]
    return days, scores


Method = Callable[[np.ndarray, np.ndarray], tuple[float, float, float] | None]
"""Slope per year with its 90 % interval."""


def ours(kind: PeriodKind, error: float = ERROR) -> Method:
    def fit(days: np.ndarray, scores: np.ndarray) -> tuple[float, float, float] | None:
        found = period_levels(showings(days, scores, error), kind)
        columns = ([one.at.toordinal() for one in found], *([getattr(one, name) for one in found] for name in COLUMNS))
        line = fit_line(*(np.array(column, np.float64) for column in columns))
        if isinstance(line, str):
            return None
        return tuple(365.25 * end for end in (line.slope, line.slope - line.reach, line.slope + line.reach))  # type: ignore[return-value]

    return fit


KINDS: tuple[PeriodKind, ...] = ("month", "quarter")
COLUMNS = ("mean", "spread", "error")


def showings(days: np.ndarray, scores: np.ndarray, error: float = ERROR) -> list[DatedScore]:
    reach = Z90 * error
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


PAIRS = 20_000  # of the pairs of media, for speed


def theil_sen(days: np.ndarray, scores: np.ndarray, resamples: int = 100) -> tuple[float, float, float]:
    """Median of the slopes of pairs of media, percentile bootstrap over media."""
    rng = np.random.default_rng(0)

    def slope(picks: np.ndarray) -> float:
        i, j = rng.integers(picks.size, size=(2, PAIRS))
        run = (days[picks][j] - days[picks][i]) / 365.25
        rise = scores[picks][j] - scores[picks][i]
        return float(np.median(rise[run != 0] / run[run != 0]))

    drawn = [slope(rng.integers(days.size, size=days.size)) for _ in range(resamples)]
    low, high = np.quantile(drawn, (0.05, 0.95))
    return slope(np.arange(days.size)), float(low), float(high)


METHODS: dict[str, Method] = {
    "line through months": ours("month"),
    "line through quarters": ours("quarter"),
    "least squares over files": least_squares,
    "Theil-Sen, bootstrap": theil_sen,
}


def told(method: Method, world: World, repeats: int, seed: int = 7) -> tuple[float, float, float]:
    """Share of slopes told from 0, share of intervals that hold the true one, mean half width in points a year."""
    rng = np.random.default_rng(seed)
    found = [fit for _ in range(repeats) if (fit := method(*draw(world, rng)))]
    rows = np.array(found)
    away = ((rows[:, 1] > 0) | (rows[:, 2] < 0)).mean()
    held = ((rows[:, 1] <= world.slope) & (world.slope <= rows[:, 2])).mean()
    return float(away), float(held), float((rows[:, 2] - rows[:, 1]).mean() / 2)


def steps(world: World, kind: PeriodKind, repeats: int, seed: int = 6) -> float:
    """How often a change is told from one year to the other."""
    rng, split = np.random.default_rng(seed), START + timedelta(days=DAYS // 2)
    empty = Trend(None, None, "focus", "Focus", "total", "score", (), 0, "year")
    found = (measure_trend(empty, showings(*draw(world, rng)), kind, split=split) for _ in range(repeats))
    return float(np.mean([one.p is not None and one.p < ALPHA for one in found]))


def means(world: World, repeats: int, seed: int = 8) -> Iterator[tuple[int, bool, float]]:
    """Media of a month, whether the mean's interval holds the level of such media, and half its width."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        for level in period_levels(showings(*draw(world, rng)), "month"):
            low, high = level.interval() or (-np.inf, np.inf)
            yield level.n, low <= 55 <= high, (high - low) / 2


def shuffled(run: Path, repeats: int) -> Iterator[tuple[str, float]]:
    """How often a slope is told in real scores with dates that mean nothing."""
    import pandas as pd

    table = pd.read_parquet(run / "tables" / "metrics.parquet")
    rng = np.random.default_rng(9)
    for metric, rows in table[table["metric_time"] == "total"].groupby("metric"):
        scores = rows["value"].dropna().to_numpy(np.float64)
        fits = [ours("quarter", 0.0)(rng.integers(DAYS, size=scores.size), scores) for _ in range(repeats)]
        yield str(metric), float(np.mean([fit[1] > 0 or fit[2] < 0 for fit in fits if fit]))


def cells(world: World, repeats: int) -> Iterator[str]:
    for method in METHODS.values():
        away, held, half = told(method, world, repeats // 5 if method is theil_sen else repeats)
        yield f"{100 * away:.0f} / {100 * held:.0f}, ±{half:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--run", type=Path, help="a run over real media")
    options = parser.parse_args()
    print(f"| slope found / interval holds the true one, % | {' | '.join(METHODS)} |\n|---|{'---|' * len(METHODS)}")
    for world in WORLDS:
        print(f"| {world.name} | {' | '.join(cells(world, options.repeats))} |")
    print("\n| change found where there is none | months | quarters |\n|---|---|---|")
    for world in WORLDS[:6]:
        told_of = " | ".join(f"{100 * steps(world, kind, options.repeats):.0f} %" for kind in KINDS)
        print(f"| {world.name} | {told_of} |")
    print("\n| simulated files | files in the month | interval of the mean holds the level | half width |")
    print("|---|---|---|---|")
    for world in (WORLDS[0], WORLDS[1], WORLDS[4]):
        rows = np.array(list(means(world, options.repeats // 5)))
        for low, high in ((1, 1), (2, 2), (3, 5), (6, 12), (13, 99)):
            some = rows[(rows[:, 0] >= low) & (rows[:, 0] <= high)]
            if len(some) >= 100:
                spoken = f"{low}" if low == high else f"{low} to {high}" if high < 99 else f"{low} or more"
                print(f"| {world.name} | {spoken} | {100 * some[:, 1].mean():.1f} % | {some[:, 2].mean():.1f} |")
    if options.run:
        print("\n| score | slope found under shuffled dates |\n|---|---|")
        for metric, away in shuffled(options.run, options.repeats):
            print(f"| {metric} | {100 * away:.1f} % |")


if __name__ == "__main__":
    main()
