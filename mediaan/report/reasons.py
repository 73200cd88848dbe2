"""What speaks for and against a medium, in plain words: failed rules, and its checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mediaan.checks.spec import check_specs
from mediaan.report.contents import Row

Kind = Literal["rule", "check"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a verdict.

    Attributes
    ----------
    kind : {'rule', 'check'}
    key : str
        What media that have the same reason share.
    short : str
        The reason without its numbers, as many media share it.
    text : str
        With them.
    sure : bool
        Whether the interval leaves nothing else open.
    required : bool
        Whether the purpose requires it.
    todo : str or None
        What to change, or what would settle it.
    aoi_id : str or None
        The area that it is about.
    """

    kind: Kind
    key: str
    short: str
    text: str
    sure: bool = True
    required: bool = False
    todo: str | None = None
    aoi_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reasons:
    """All reasons of one medium; what is required comes first.

    Attributes
    ----------
    against : sequence of Reason
        Failed rules, then failed checks.
    in_favour : sequence of Reason
        Checks that passed.
    undecided : sequence of Reason
        Checks that are too close to call or not known.
    """

    against: Sequence[Reason] = ()
    in_favour: Sequence[Reason] = ()
    undecided: Sequence[Reason] = ()


def reasons_of(checks: Sequence[Row], rules: Sequence[Row]) -> Reasons:
    """Sort the checks and rule results of one medium into reasons.

    Parameters
    ----------
    checks, rules : sequence of rows
        Of the tables `checks` and `rule_results`.
    """
    flaws = {spec.name: spec.flaw for spec in check_specs()}
    by_status: dict[str, list[Reason]] = {}
    for check in sorted(checks, key=lambda check: not check["required"]):
        failed = check["status"] == "failed"
        reason = Reason(
            kind="check",
            key=check["name"],
            short=str(flaws.get(check["name"], check["title"]) if failed else check["title"]),
            text=check["text"],
            sure=check["sure"],
            required=check["required"],
            todo=check["todo"] or check["settle"],
            aoi_id=check["aoi_id"],
        )
        by_status.setdefault(check["status"], []).append(reason)
    broken = [row for row in rules if row["status"] == "failed" and row["severity"] == "error"]
    failed_rules = [
        Reason(
            "rule", f"rule {row['name']}", f"Fails the rule “{row['name']}”", row["message"], row["sure"] is not False
        )
        for row in broken
    ]
    return Reasons(
        against=[*failed_rules, *by_status.get("failed", ())],
        in_favour=by_status.get("passed", []),
        undecided=[*by_status.get("unknown", ()), *by_status.get("close", ())],
    )
