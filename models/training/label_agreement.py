"""How far two drawings of the areas of the same designs agree: an estimate of the ceiling of a detector.

    python models/training/label_agreement.py

`labels/modern_dev_second.json` was drawn without sight of `labels/modern_dev.json`, by the same rules, and with the
bounds of detected lines of text at hand. It is scored against the first as `mediaan aois evaluate` scores detections,
with 90 % intervals from resampled images.
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

from mediaan.evaluation.aoi.scores import OFFER, OTHER_MARK, PLATFORM, Rate, match_areas, role_of, score_type
from mediaan.types.aoi import Aoi, Box, Candidate

LABELS = Path(__file__).parent / "labels"
ROLES = (
    "headline_text", "body_text", "call_to_action", OFFER, PLATFORM, "branding", "product", "face", "person",
)  # fmt: skip


def drawn(areas: list[dict]) -> tuple[Aoi, ...]:
    """Areas of a label file."""
    return tuple(
        Aoi(aoi_id=UUID(int=i), type=area["type"], label=area["label"], box=Box(*area["box"]), confidence=None,
            method="drawn")
        for i, area in enumerate(areas)
    )  # fmt: skip


def main() -> None:
    first, second, undecided = (
        json.loads((LABELS / f"modern_{name}.json").read_text(encoding="utf-8"))
        for name in ("dev", "dev_second", "undecided")
    )
    print(f"{len(first)} designs\n| role | first | second | precision | recall | F1 |\n|---|---|---|---|---|---|")
    for role in ROLES:
        matches = []
        for image, areas in first.items():
            again = [Candidate(aoi.type, aoi.label, aoi.box, 1.0, "drawn") for aoi in drawn(second[image])]
            doubtful = drawn(undecided.get(image, []))
            if role == "branding":  # logos of other companies count neither way, as in the evaluation
                others = [{**a, "type": "branding"} for a in areas if role_of(drawn([a])[0]) == OTHER_MARK]
                doubtful += drawn(others)
            matches.append(match_areas(image, role, drawn(areas), again, undecided=doubtful))
        scores = score_type(matches, "second", role)
        rates = " | ".join(map(shown, (scores.precision, scores.recall, scores.f1)))
        print(f"| {role} | {scores.n_drawn} | {scores.n_found} | {rates} |")


def shown(rate: Rate) -> str:
    return "–" if rate.value is None else f"{rate.value:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]"


if __name__ == "__main__":
    main()
