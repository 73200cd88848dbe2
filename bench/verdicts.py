"""How the verdicts of a mixed set of ads spread: ``python -m bench.verdicts DATA/ads/images --out RUN``.

A hundred modern designs that advertise, drawn at random from those that were labelled by eye (models/training/labels),
with their brand named where it is known, and for the purpose that they show: conversion where they have a call to
action, brand building otherwise. Prints how many work, need attention and are undecided, and what came of each check.
A run that is there is used again; its checks are made again.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import tempfile
from pathlib import Path

import mediaan as mn
from mediaan.run import is_run

LABELS = Path(__file__).resolve().parents[1] / "models" / "training" / "labels"
KINDS = {
    *("banner", "email", "flyer", "landing", "movie_poster"),
    *("ooh", "packaging", "poster", "social_creative", "social_feed"),
}
COUNT, SEED = 100, 21


def chosen() -> list[dict[str, str]]:
    """Rows of the designs that are drawn, with the purpose that each shows."""
    with (LABELS / "modern.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in KINDS]
    random.Random(SEED).shuffle(rows)
    asking: set[str] = set()
    for side in ("train", "dev", "check"):
        drawn = json.loads((LABELS / f"modern_{side}.json").read_text(encoding="utf-8"))
        asking |= {name for name, areas in drawn.items() if any(one["type"] == "call_to_action" for one in areas)}
    return [row | {"purpose": "conversion" if row["image"] in asking else "brand_building"} for row in rows[:COUNT]]


def analysed(rows: list[dict[str, str]], pictures: Path, out: Path) -> mn.Run:
    """Analyse the designs into a run, or make the checks of one that is there again."""
    if is_run(out):
        mn.rate_run(out)
        return mn.read_run(out)
    aliases: dict[str, set[str]] = {}
    for row in rows:
        if row["brand"]:
            aliases.setdefault(row["brand"], set()).update(filter(None, row["aliases"].split("|")))
    media = [
        {"match": f"**/{row['image']}", "purpose": row["purpose"]} | ({"brand": row["brand"]} if row["brand"] else {})
        for row in rows
    ]
    brands = [{"name": name, "aliases": sorted(others)} for name, others in sorted(aliases.items())]
    with tempfile.TemporaryDirectory() as folder:
        objectives = Path(folder) / "objectives.yaml"
        objectives.write_text(json.dumps({"media": media, "brands": brands}), encoding="utf-8")  # YAML holds JSON
        return mn.analyze_folder(
            [pictures / row["image"] for row in rows], out, recipe=mn.Recipe(objectives=objectives)
        )


def main() -> None:
    """Analyse and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path, help="folder with the designs")
    parser.add_argument("--out", type=Path, required=True, help="run directory")
    arguments = parser.parse_args()
    rows = chosen()
    run = analysed(rows, arguments.pictures, arguments.out)
    purposes = {row["image"]: row["purpose"] for row in rows}
    verdicts = run.verdicts.assign(purpose=[purposes[path.rsplit("/", 1)[-1]] for path in run.verdicts["path"]])
    print(verdicts["verdict"].value_counts().to_string())
    print(verdicts.groupby(["purpose", "verdict"]).size().unstack(fill_value=0).to_string())
    print(run.checks.groupby(["name", "required", "status"]).size().unstack(fill_value=0).to_string())


if __name__ == "__main__":
    main()
