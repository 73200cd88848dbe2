"""How verdicts spread, and how often an opinion by eye is the same.

    python -m bench.verdicts DATA/ads/images --out RUN

180 modern ads that were drawn at random, with the brand named where it can be read and the purpose that they show.
Users know their brand, so ads in which none can be read are analysed with an invented one: it is known to be nowhere.
AI annotators said of each, before the verdict was made, whether it works, needs attention, or could be called either
(models/training/labels/verdicts.csv). The limits of checks were chosen with two sides, dev and check, which one
annotator saw. The 60 ads of the side apart were seen by two, who did not know of each other, and were scored once the
limits were chosen. A run that is there is used again; its checks are made again.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from pathlib import Path

import pandas as pd

import mediaan as mn

NOWHERE = "Northwind"
"""Name of the brand of ads that show none."""

LABELS = Path(__file__).resolve().parents[1] / "models" / "training" / "labels" / "verdicts.csv"


def analysed(rows: list[dict[str, str]], pictures: Path, out: Path) -> mn.Run:
    """Analyse the ads into a run, or make the checks of one that is there again."""
    if (out / "run.json").is_file():
        mn.rate_run(out)
        return mn.read_run(out)
    media = [
        {"match": f"**/{row['image']}", "purpose": row["purpose"], "brand": row["brand"] or NOWHERE} for row in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        objectives = Path(folder) / "objectives.yaml"
        objectives.write_text(json.dumps({"media": media}), encoding="utf-8")  # YAML holds JSON
        return mn.analyze_folder(
            [pictures / row["image"] for row in rows], out, recipe=mn.Recipe(objectives=objectives)
        )


def main() -> None:
    """Analyse and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path, help="folder with the ads")
    parser.add_argument("--out", type=Path, required=True, help="run directory")
    arguments = parser.parse_args()
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    run = analysed(rows, arguments.pictures, arguments.out)
    labels = pd.DataFrame(rows).set_index("image")
    verdicts = run.verdicts.assign(image=[path.rsplit("/", 1)[-1] for path in run.verdicts["path"]]).set_index("image")
    table = labels.join(verdicts["verdict"].rename("verdict_made"))
    print(table.groupby(["side", "verdict", "verdict_made"]).size().unstack(fill_value=0).to_string())
    for side, ads in table.groupby("side"):
        second = ads["second"].where(ads["second"] != "", ads["verdict"])
        decided = ads[(ads["verdict"] == second) & (ads["verdict"] != "either")]
        same = (decided["verdict"] == decided["verdict_made"]).sum()
        print(f"{side}: the same in {same} of the {len(decided)} that all annotators decide, and decide alike")
        either = (ads["verdict"] == "either") | (second == "either")
        signed = either | (ads["verdict_made"] == ads["verdict"]) | (ads["verdict_made"] == second)
        print(f"{side}: {signed.sum()} of {len(ads)} would be signed by an annotator")
    print(run.checks.groupby(["name", "status"]).size().unstack(fill_value=0).to_string())
    checks = run.checks.merge(run.media[["medium_id", "path"]], on="medium_id")
    checks["verdict"] = [labels["verdict"][path.rsplit("/", 1)[-1]] for path in checks["path"]]
    print(checks.groupby(["name", "verdict", "status"]).size().unstack(fill_value=0).to_string())


if __name__ == "__main__":
    main()
