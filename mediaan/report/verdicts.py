"""Which media do what is recommended of them: a rule over their ranges and rules, counted for all media of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.overview import Overview
from mediaan.report.remarks import MIN_MEDIA
from mediaan.report.scan import scan
from mediaan.report.summaries import Standing
from mediaan.report.tally import surely_placed
from mediaan.types.metrics import MetricSpec

Verdict = Literal["works", "attention", "open", "unknown"]
VERDICTS: tuple[Verdict, ...] = ("works", "attention", "open", "unknown")

_COUNTS = ("rules_failed", "scores", "met", "met_surely", "missed", "proxies", "proxies_met", "proxies_missed")
_SURELY_OUT = ("below", "above")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict rests on: counts for one medium.

    Attributes
    ----------
    rules_failed : int
        Those that only warn apart.
    scores : int
        Measured and learned scores of the whole with a recommended range. Windows tell of focus again and do not count.
    met, met_surely : int
        Of these with the value, and with the whole interval, within the range.
    missed : int
        Of these with the whole interval outside; in a run without intervals, with a value that is not even close.
    proxies, proxies_met, proxies_missed : int
        The same for proxies, which order media and decide nothing.
    """

    rules_failed: int = 0
    scores: int = 0
    met: int = 0
    met_surely: int = 0
    missed: int = 0
    proxies: int = 0
    proxies_met: int = 0
    proxies_missed: int = 0

    @property
    def verdict(self) -> Verdict:
        """What can be said of the medium.

        Examples
        --------
        >>> Evidence(scores=3, met=2).verdict, Evidence(scores=3, met=2, missed=1).verdict
        ('works', 'attention')
        >>> Evidence(scores=3, met=1).verdict, Evidence(rules_failed=1).verdict, Evidence(proxies=3).verdict
        ('open', 'attention', 'unknown')
        """
        if self.rules_failed or self.missed:
            return "attention"
        if not self.scores:
            return "unknown"
        return "works" if 2 * self.met > self.scores else "open"

    @property
    def best_first(self) -> tuple[int, ...]:
        """Orders media that work; level ones compare as equal."""
        return (-self.met_surely, -self.met, self.proxies_missed, -self.proxies_met)

    @property
    def worst_first(self) -> tuple[int, ...]:
        """Orders media that need attention; level ones compare as equal."""
        return (-self.rules_failed, -self.missed, self.met, -self.proxies_missed)


@dataclass(frozen=True)
class Verdicts:
    """Verdicts of a run.

    Attributes
    ----------
    of : mapping of str to Evidence
        By medium that is shown.
    counts : mapping of Verdict to int
        Of all media of the run; of those that are shown where `within_run`.
    sums : Evidence
        Of all that are counted.
    failing : int
        Media that fail a rule, of those that are counted.
    within_run : bool
        Nothing was compared with a population: 'works' then means ahead of, 'attention' behind most of the run.
    """

    of: Mapping[str, Evidence]
    counts: Mapping[Verdict, int]
    sums: Evidence
    failing: int = 0
    within_run: bool = False

    @property
    def known(self) -> int:
        """Media with a verdict."""
        return sum(n for verdict, n in self.counts.items() if verdict != "unknown")

    def verdict(self, medium_id: str | None) -> Verdict:
        """Of a medium that is shown."""
        return self.of.get(medium_id or "", Evidence()).verdict


def read_verdicts(run_dir: Path, specs: Sequence[MetricSpec], overview: Overview, shown: Sequence[str]) -> Verdicts:
    """Judge all media of a run, in memory that grows by some 100 bytes a medium.

    Parameters
    ----------
    run_dir : Path
    specs : sequence of MetricSpec
    overview : Overview
        Of all media; in a run without intervals, values decide.
    shown : sequence of str
        Ids of media whose evidence is wanted.
    """
    evidence = _evidence(run_dir, specs, overview)
    of = {row["medium_id"]: _of_row(row) for row in evidence.filter(_is_in(evidence, shown)).to_pylist()}
    counts: Counter[Verdict] = Counter()
    alike = evidence.group_by(list(_COUNTS), use_threads=False).aggregate([([], "count_all")])
    for row in alike.to_pylist():
        counts[_of_row(row).verdict] += row["count_all"]
    counts["unknown"] += max(overview.done - counts.total(), 0)
    sums = {name: pc.sum(evidence[name]).as_py() or 0 for name in _COUNTS}
    return Verdicts(of, counts, _of_row(sums), pc.sum(pc.greater(evidence["rules_failed"], 0)).as_py() or 0)


Ranks = Sequence[tuple[MetricSpec, Standing]]


def verdicts_within(ranks: Mapping[str, Ranks], failed: Mapping[str, int]) -> Verdicts:
    """Judge media by their ranks in the run alone.

    A score is met where even the last rank that its interval leaves open is in the better half, and missed where even
    the first is in the other; of fewer than `MIN_MEDIA` media nothing is said, nor of scores without a better end.

    Parameters
    ----------
    ranks : mapping of str to sequence of (MetricSpec, Standing)
        By medium, those of `worth_ranking`.
    failed : mapping of str to int
        Rules that a medium fails.
    """
    of = {key: _within(found, failed.get(key, 0)) for key, found in ranks.items()}
    sums = {name: sum(getattr(evidence, name) for evidence in of.values()) for name in _COUNTS}
    failing = sum(evidence.rules_failed > 0 for evidence in of.values())
    return Verdicts(of, Counter(one.verdict for one in of.values()), _of_row(sums), failing, within_run=True)


def worth_ranking(spec: MetricSpec, standing: Standing) -> bool:
    """Whether a rank says something good or bad: among enough media, of a score that has a better end."""
    return standing.of >= MIN_MEDIA and spec.direction != "middle"


def _within(found: Ranks, rules_failed: int) -> Evidence:
    firm = [one for spec, one in found if spec.basis != "proxy"]
    proxies = [one for spec, one in found if spec.basis == "proxy"]
    return Evidence(
        rules_failed=rules_failed,
        scores=len(firm),
        met=sum(map(surely_ahead, firm)),
        met_surely=sum(map(surely_ahead, firm)),
        missed=sum(map(surely_behind, firm)),
        proxies=len(proxies),
        proxies_met=sum(map(surely_ahead, proxies)),
        proxies_missed=sum(map(surely_behind, proxies)),
    )


def surely_ahead(standing: Standing) -> bool:
    """Whether even the last rank that the interval leaves open is in the better half."""
    return standing.last <= standing.of / 2


def surely_behind(standing: Standing) -> bool:
    """Whether even the first rank that the interval leaves open is in the other half."""
    return standing.first > standing.of / 2


def _of_row(row: Mapping[str, Any]) -> Evidence:
    return Evidence(**{name: int(row[name]) for name in _COUNTS})


def _is_in(table: pa.Table, ids: Sequence[str]) -> pa.ChunkedArray:
    return pc.is_in(table["medium_id"], value_set=pa.array(ids, pa.string()))


_RANGES = ("medium_id", "aoi_id", "metric", "metric_time", "position", "lo", "hi", "lower", "upper", "target")
_SCHEMA = pa.schema([("medium_id", pa.string()), *((name, pa.int32()) for name in _COUNTS)])


def _evidence(run_dir: Path, specs: Sequence[MetricSpec], overview: Overview) -> pa.Table:
    """One row a medium that has a recommended range or fails a rule."""
    whole, sure = [spec for spec in specs if overview.times.get(spec.name) == "total"], overview.intervals
    firm = pa.array([spec.name for spec in whole if spec.basis != "proxy"], pa.string())
    proxies = pa.array([spec.name for spec in whole if spec.basis == "proxy"], pa.string())
    parts = [_summed(_counted(batch, firm, proxies, sure=sure)) for batch in scan(run_dir, "benchmark_ranges", _RANGES)]
    return _summed(pa.concat_tables([_SCHEMA.empty_table(), *parts, _rules_failed(run_dir)]))


def _counted(batch: pa.RecordBatch, firm: pa.Array, proxies: pa.Array, *, sure: bool) -> pa.Table:
    """A row for each range that counts."""
    whole = pc.and_(pc.is_null(batch["aoi_id"]), pc.equal(batch["metric_time"], "total"))
    rows = pa.table(batch.filter(pc.and_(whole, pc.is_valid(batch["position"]))))
    place = pa.chunked_array([pa.array(surely_placed(rows), pa.string())])
    within = pc.equal(rows["position"], "within")
    surely_within = pc.fill_null(pc.equal(place, "within"), fill_value=False)
    missed = pc.is_in(place if sure else rows["position"], value_set=pa.array(_SURELY_OUT))
    is_firm, is_proxy = pc.is_in(rows["metric"], value_set=firm), pc.is_in(rows["metric"], value_set=proxies)
    columns = {
        "scores": is_firm,
        "met": pc.and_(is_firm, within),
        "met_surely": pc.and_(is_firm, surely_within),
        "missed": pc.and_(is_firm, missed),
        "proxies": is_proxy,
        "proxies_met": pc.and_(is_proxy, within),
        "proxies_missed": pc.and_(is_proxy, missed),
        "rules_failed": pc.and_(is_firm, pc.invert(is_firm)),
    }
    return pa.table({"medium_id": rows["medium_id"]} | {name: columns[name].cast(pa.int32()) for name in _COUNTS})


def _summed(rows: pa.Table) -> pa.Table:
    summed = rows.group_by("medium_id", use_threads=False).aggregate([(name, "sum") for name in _COUNTS])
    columns = [summed["medium_id"], *(summed[f"{name}_sum"].cast(pa.int32()) for name in _COUNTS)]
    return pa.table(columns, schema=_SCHEMA)


_RULES = ["medium_id", "rule", "name"]


def _rules_failed(run_dir: Path) -> pa.Table:
    """How many rules each medium fails; copies of a file can fail the same one twice."""
    failed = pa.concat_tables([_NO_FAILURES, *_failures(run_dir)]).group_by(_RULES, use_threads=False).aggregate([])
    counted = failed.group_by("medium_id", use_threads=False).aggregate([([], "count_all")])
    zeros = pa.chunked_array([pa.array([0] * counted.num_rows, pa.int32())])
    columns = dict.fromkeys(_COUNTS, zeros) | {"rules_failed": counted["count_all"].cast(pa.int32())}
    return pa.table({"medium_id": counted["medium_id"]} | columns, schema=_SCHEMA)


_NO_FAILURES = pa.schema([(name, pa.string()) for name in _RULES]).empty_table()


def _failures(run_dir: Path) -> Iterator[pa.Table]:
    for batch in scan(run_dir, "rule_results", (*_RULES, "severity", "status")):
        is_error = pc.and_(pc.equal(batch["status"], "failed"), pc.equal(batch["severity"], "error"))
        failed = batch.filter(pc.and_(is_error, pc.is_valid(batch["medium_id"])))
        yield pa.table(failed.select(_RULES)).cast(_NO_FAILURES.schema)
