"""Synthetic ads as labelled pictures: `python as_labels.py ADS OUT` writes OUT/areas.json and OUT/lines.json.

ADS is a folder that `ads.py` wrote. Both files are what `mediaan aois evaluate ADS/images FILE` takes, the second with
`--lines`. A mark is branding; a button has its call to action beside it and is left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

AS_AREA = {"logo": "branding"} | {
    kind: kind for kind in ("product", "face", "person", "headline_text", "body_text", "call_to_action")
}
LONGEST = 200  # characters of a label


def areas(row: dict[str, Any]) -> list[dict[str, Any]]:
    """What a row of boxes.jsonl calls things, as types of areas."""
    return [
        {"type": AS_AREA[b["type"]], "label": b.get("of", b.get("text", ""))[:LONGEST], "box": b["box"]}
        for b in row["boxes"]
        if b["type"] in AS_AREA
    ]


def lines(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Its lines of text."""
    return [{"type": "body_text", "label": line["text"][:LONGEST], "box": line["box"]} for line in row["lines"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ads", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    rows = [json.loads(line) for line in (args.ads / "boxes.jsonl").read_text().splitlines()]
    args.out.mkdir(parents=True, exist_ok=True)
    for name, convert in (("areas", areas), ("lines", lines)):
        labels = {row["image"]: convert(row) for row in rows}
        (args.out / f"{name}.json").write_text(json.dumps(labels, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
