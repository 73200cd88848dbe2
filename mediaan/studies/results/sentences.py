"""Say in words what goes with the results of ads; nothing here says that one brings about the other."""

from __future__ import annotations

from collections.abc import Iterator

from mediaan.judge.benchmark.ranges import format_rounded
from mediaan.studies.results.result import Association, LeftOut, Results


def prediction_sentence(left_out: LeftOut) -> str:
    """Say whether all measures together predict results that were left out.

    >>> prediction_sentence(LeftOut(0.05, -0.1, 0.2, kpi="ctr", n=80, p=0.31, folds="ads at random, in 10 parts"))
    'No: all measures together do not predict the ctr of ads that were left out.'
    """
    if not left_out.predicts:
        return f"No: all measures together do not predict the {left_out.kpi} of ads that were left out."
    strength = "weakly" if left_out.value < 0.3 else "moderately" if left_out.value < 0.5 else "well"
    return f"Yes, {strength}: all measures together predict the {left_out.kpi} of ads that were left out."


def claims_sentence(results: Results, kpi: str) -> str:
    """Say how many measures go with a KPI."""
    tried = sum(each.kpi == kpi for each in results.associations)
    claims = sum(each.kpi == kpi for each in results.claims)
    if not claims:
        return f"None of {tried} measures clearly goes with it."
    return f"{claims} of {tried} measures clearly {'goes' if claims == 1 else 'go'} with it."


def claim_words(association: Association) -> str:
    """Say which way a measure goes with better results; of one that does not clearly, that.

    >>> of = {"kpi": "ctr", "measure": "focus", "title": "Focus", "unit": "score", "n": 80}
    >>> claim_words(Association(-0.4, -0.5, -0.2, p=0.001, q=0.01, **of))
    'less with better results'
    """
    if not association.claimed:
        return "not clear"
    return f"{'more' if association.value > 0 else 'less'} with better results"


def target_words(association: Association) -> str:
    """Write a target with its interval; empty where there is none."""
    target = association.target
    if target is None:
        return ""
    value, lo, hi = (format_rounded(end or 0.0, association.unit) for end in (target.value, target.lo, target.hi))
    unit = {"score": "", "count": "", "ratio": "", "": ""}.get(association.unit, f" {association.unit}")
    return f"{'at least' if target.minimum else 'at most'} {value}{unit} [{lo}, {hi}]"


def join_lines(results: Results, most: int | None = None) -> Iterator[str]:
    """Name what found no partner, `most` of each kind."""
    rows = [f"{name} ({reason})" for name, reason in results.rows_without_ad]
    for noun, without, names in (("row", "an ad", rows), ("ad", "a row", [*results.ads_without_row])):
        if names:
            shown = names[:most]
            more = f", and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
            count = f"{len(names)} {noun}{'' if len(names) == 1 else 's'}"
            yield f"{count} without {without}: {', '.join(shown)}{more}"
