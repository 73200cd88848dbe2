"""Make the golden run again, and say what moved: `python tests/golden/update.py`.

Numbers that moved without a reason are a defect, not a new golden run; CONTRIBUTING.md says when this may be run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from golden_run import (
    CPU,
    FILE,
    Golden,
    Shifts,
    as_text,
    deviations,
    golden_of,
    measure,
    numbers_of,
    read_golden,
    shifts,
)

from mediaan.studies.drift.statistics import MetricDrift, metric_drifts


def print_shifts(moved: Shifts) -> None:
    """A line for each metric that moved, and what came and went."""
    for one in (*metric_drifts(moved.scores), *metric_drifts(moved.area_scores)):
        if one.largest or one.n_lost or one.n_gained:
            print(_line(one))
    areas = moved.areas
    print(f"areas: {len(areas.pairs)} as before, {areas.n_old - len(areas.pairs)} gone, ", end="")
    print(f"{areas.n_new - len(areas.pairs)} new; a cell of a density moved by {moved.cells / 100:.2f} % at most")


def _line(one: MetricDrift) -> str:
    lost = f", {one.n_lost} lost, {one.n_gained} new" if one.n_lost or one.n_gained else ""
    if one.mean_shift is None:
        return f"{one.title}: none in both{lost}"
    return (
        f"{one.title}: mean {one.mean_shift:+.3f}, 95 % within {one.p95_size:.3f}, "
        f"largest {one.largest:+.3f} ({one.largest_medium}){lost}"
    )


def objection(old: Golden, new: Golden) -> str | None:
    """Why a new golden run may not be written: numbers moved, and the revision says that they did not."""
    if old["made_with"].get("scores_id") != new["made_with"]["scores_id"]:
        return None
    found = deviations(shifts(numbers_of(old), numbers_of(new)), CPU)
    if not found:
        return None
    return (
        f"not written: {len(found)} numbers moved under the same revision; raise REVISION in "
        "mediaan/analysis/revision.py, and run this again and then make norms. Where norms and older runs may still be "
        "compared with these numbers, say why: --same-revision REASON"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="Only say what moved.")
    parser.add_argument("--same-revision", default="", metavar="REASON", help="Why moved numbers need no new revision.")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        golden = golden_of(measure(Path(folder) / "run"))
    refused = None
    if FILE.exists():
        old = read_golden()
        print_shifts(shifts(numbers_of(old), numbers_of(golden)))
        refused = objection(old, golden)
    if refused and not args.same_revision:
        sys.exit(refused)
    if refused:
        golden["made_with"]["same_revision"] = args.same_revision
    if not args.dry_run:
        FILE.write_text(as_text(golden), encoding="utf-8")
        print(f"wrote {FILE}")


if __name__ == "__main__":
    main()
