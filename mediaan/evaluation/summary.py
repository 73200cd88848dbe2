"""One metric over a set: the model between what centre bias and what other people reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.ceiling import Ceiling

Values = Mapping[str, float | None]


class Scored(Protocol):
    """What one picture or one clip came to; see `PictureScores`."""

    @property
    def model(self) -> Values:
        """The predictor."""
        ...

    @property
    def centre(self) -> Values:
        """The centre bias of the others."""
        ...

    @property
    def prior(self) -> Values:
        """The fixed centre prior."""
        ...

    @property
    def ceiling(self) -> Ceiling:
        """What people reach."""
        ...


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over all pictures, or all clips; None where it is undefined.

    Attributes
    ----------
    metric : str
        Key of `METRICS`.
    n : int
        Pictures or clips in the means.
    model, lo, hi : float or None
        Mean of the predictor and its 95 % bootstrap interval over them.
    centre, prior : float or None
        Means of the two baselines.
    one_vs_others, split_half : float or None
        Means of people against people.
    ceiling : float or None
        What the share is measured against: one viewer against the others; for CC √(2r / (1 + r)), r the split-half CC.
    share : float or None
        (model - centre) / (ceiling - centre): share of the explainable range. None where no ceiling is known.
    """

    metric: str
    n: int
    model: float | None
    lo: float | None
    hi: float | None
    centre: float | None
    prior: float | None
    one_vs_others: float | None
    split_half: float | None
    ceiling: float | None
    share: float | None


def best_mixture(scores: Sequence[Scored]) -> int | None:
    """Index into `MIXTURES` of the largest mean gain of people over the centre bias."""
    gains = [score.ceiling.gains for score in scores if score.ceiling.gains is not None]
    return int(np.mean(gains, axis=0).argmax()) if gains else None


def summarise(metric: str, scores: Sequence[Scored], mixture: int | None) -> MetricSummary:
    """Means of one metric; `mixture` is what `best_mixture` found."""
    model, centre = mean_defined(s.model[metric] for s in scores), mean_defined(s.centre[metric] for s in scores)
    people = [one_vs_others(s.ceiling, metric, mixture) for s in scores]
    one = mean_defined(people)
    ceiling = mean_defined(s.ceiling.attainable_cc for s in scores) if metric == "cc" else one
    lo, hi = bootstrap_interval(defined(s.model[metric] for s in scores)) or (None, None)
    return MetricSummary(
        metric=metric,
        n=len(defined(s.model[metric] for s in scores)),
        model=model,
        lo=lo,
        hi=hi,
        centre=centre,
        prior=mean_defined(s.prior[metric] for s in scores),
        one_vs_others=one,
        split_half=mean_defined(split_half(s.ceiling, metric) for s in scores),
        ceiling=ceiling,
        share=_share(model, centre, ceiling),
    )


def one_vs_others(ceiling: Ceiling, metric: str, mixture: int | None) -> float | None:
    """One viewer against the others on one picture; None where the comparison means nothing for the metric."""
    if metric == "information_gain":
        return None if ceiling.gains is None or mixture is None else float(ceiling.gains[mixture])
    return {"nss": ceiling.nss, "auc_judd": ceiling.auc_judd, "shuffled_auc": ceiling.shuffled_auc}.get(metric)


def split_half(ceiling: Ceiling, metric: str) -> float | None:
    """Two halves of the viewers on one picture; None where the comparison means nothing for the metric."""
    return {"cc": ceiling.split_cc, "sim": ceiling.split_sim}.get(metric)


def _share(model: float | None, centre: float | None, ceiling: float | None) -> float | None:
    """None, too, where people are no better than the centre bias: then there is nothing to explain."""
    if model is None or centre is None or ceiling is None or ceiling <= centre:
        return None
    return (model - centre) / (ceiling - centre)


def defined(values: Iterable[float | None]) -> list[float]:
    """Without what is undefined."""
    return [value for value in values if value is not None]


def mean_defined(values: Iterable[float | None]) -> float | None:
    """Mean of what is defined."""
    known = defined(values)
    return float(np.mean(known)) if known else None
