"""An area that was found in one advertisement and not in another: how probably do more people see it there?

    python models/training/presence_checks.py RUN

RUN is an analysis of the designs in `labels/modern_dev.json` and `modern_check.json`, with areas and no brand named.
Of all pairs of designs, of which an area of a type was found in the one and none in the other: in how many of them has
the first truly one and the second not? Half counts where both or neither do. These are the figures of
the `one_sided_probability` of `mediaan.types.area_types.AREA_TYPES`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.types.area_types import AREA_TYPES, area_types_needed

LABELS = ("modern_dev.json", "modern_check.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    run = parser.parse_args().run
    drawn = {}
    for name in LABELS:
        drawn |= json.loads((Path(__file__).parent / "labels" / name).read_text(encoding="utf-8"))
    media, areas = (pd.read_parquet(run / "tables" / f"{name}.parquet") for name in ("media", "aois"))
    ids = {path.rsplit("/", 1)[-1]: medium for path, medium in zip(media.path, media.medium_id, strict=True)}
    images = [image for image in drawn if image in ids]
    print(f"{len(images)} of {len(drawn)} labelled designs are in the run")
    for kind in area_types_needed(None):
        stated = AREA_TYPES[kind].one_sided_probability
        having = set(areas.medium_id[areas.type == kind])
        predicted = np.array([ids[image] in having for image in images])
        truly = np.array([any(box["type"] == kind for box in drawn[image]) for image in images], dtype=float)
        apart = truly[predicted][:, None] - truly[~predicted][None, :]
        share = np.mean(apart > 0) + np.mean(apart == 0) / 2
        print(f"{kind}: found in {predicted.sum()}, truly ahead {share:.3f} (stated {stated:.2f})")


if __name__ == "__main__":
    main()
