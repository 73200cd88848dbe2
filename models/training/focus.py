"""Make mediaan/metrics/focus.json again, the populations and the interval behind the focus score.

    python models/training/focus.py ../shared/data

reads the advertisements of `complexity`, the web pages of `unlabelled/web` and the eye tracking of `gaze` there, and
what the attention model that ships says of them; takes two minutes on one core. To be run again whenever that model
changes; `models/training/focus_checks.py` then says how well focus does.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pandas as pd

from mediaan.analysis.models import load_models
from mediaan.media import open_image
from mediaan.metrics.borders import content_box
from mediaan.metrics.drivers import DRIVER_VIEW
from mediaan.metrics.scales import FocusScale, FocusScales, fit_focus_scale
from mediaan.metrics.scores.concentration import HotspotConcentration, concentration, hotspot_concentration
from mediaan.saliency.density import fixation_density
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import WINDOWS, Densities

ROOT = Path(__file__).parents[2]
SETS = ("osie", "crowd", "scene")
# Pictures with eye tracking that the model was not trained on, by domain: sets under `gaze`, and the sides of their
# split; None where a set takes no part in training at all. `dev` is used when it is asked for.
DOMAINS: dict[str, dict[str, tuple[str, ...] | None]] = {
    "photo": dict.fromkeys(SETS, ("held_out",)),
    "ad": {"saleci": ("held_out", "dev")},
    "page": {"dev/fiwi": None},
}
# Pictures of the population that are held as videos, s since they came on, samples a second, and how long gaze needs to
# arrive after that, s.
HELD, HELD_S, RATE, ARRIVED_S = 150, 3.0, 5.0, 0.6


class Seen(NamedTuple):
    """What the model says of a picture, and which part of it is not bars."""

    path: Path
    densities: Densities
    content: Box


class Viewed(NamedTuple):
    """A picture that the model was not trained on, and where people looked; windows as in `Densities`."""

    predicted: Seen
    human: Mapping[str, Float32]

    @property
    def set(self) -> str:
        return self.predicted.path.parts[-3]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "mediaan/metrics/focus.json")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    seen = [see(path) for path in population(arguments.data)]
    viewed = list(viewed_pictures(arguments.data / "gaze"))
    still = still_scale(seen, viewed)
    scales = FocusScales(still, moving_scale(seen, viewed, still))
    content = {"provenance": provenance(len(seen)), **asdict(scales)}
    arguments.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {arguments.out}")


def provenance(pictures: int) -> dict[str, object]:
    return {
        "command": "python models/training/focus.py DATA",
        "date": date.today().isoformat(),
        "model": "attention",
        "model_sha256": load_models("attention", "cpu").still.sha256,
        "population": "advertisements (Savoias) and first screens of web sites",
        "pictures": pictures,
        "pictures_held_as_videos": HELD,
    }


# ---- pictures ----------------------------------------------------------------------------------------------------


def population(data: Path) -> list[Path]:
    advertisements = sorted((data / "complexity/images").glob("advertisement_*.jpg"))
    return advertisements + sorted((data / "unlabelled/web/images").glob("*.jpg"))


def see(path: Path) -> Seen:
    model = load_models("attention", "cpu").still
    views = open_image(path, [model.view, DRIVER_VIEW]).chunks[0].views
    return Seen(path, model.predict(views[model.view.name])[0], content_box(views[DRIVER_VIEW.name][0]))


def viewed_pictures(gaze: Path, domain: str = "photo", *, dev: bool = False) -> Iterator[Viewed]:
    """Pictures of a domain; `dev` too is right where the model was trained without `--use-dev`."""
    for name, sides in DOMAINS[domain].items():
        fixations = dict(list(pd.read_parquet(gaze / name / "fixations.parquet").groupby("image")))
        images = sorted(fixations) if sides is None else listed(name, [s for s in sides if dev or s != "dev"])
        for image in images:
            seen = see(next((gaze / name / "images").glob(f"{image}.*")))
            yield Viewed(seen, human_densities(fixations[image], seen.densities["total"].shape))


def listed(name: str, sides: Iterable[str]) -> list[str]:
    """Pictures of a set on these sides of the split."""
    folder = Path(__file__).parent / "split"
    return [image for side in sides for image in (folder / side / f"{name}.txt").read_text(encoding="utf-8").split()]


def human_densities(fixations: pd.DataFrame, shape: tuple[int, ...]) -> dict[str, Float32]:
    """Of all viewers: the whole, the first two seconds, and the two seconds before the last fixation began.

    Where onsets are not known, the whole alone.
    """
    inside = fixations[fixations.x.between(0, 1, "left") & fixations.y.between(0, 1, "left")]
    parts = {"total": inside}
    if inside.onset_s.notna().all():
        last = inside.onset_s.max()
        parts["start"] = inside[inside.onset_s < 2]
        parts["end"] = inside[inside.onset_s >= min(last, max(2, last - 2))]
    return {name: fixation_density(part.x, part.y, (shape[0], shape[1])) for name, part in parts.items()}


def held_densities(path: Path) -> list[Float32]:
    """What the model says of the moments of a video that shows nothing but one picture, once gaze has arrived."""
    model = load_models("attention", "cpu").moving
    number = round(HELD_S * RATE)
    frame = open_image(path, [model.view]).chunks[0].views[model.view.name]
    t, weight_s = np.arange(number) / RATE, np.full(number, 1 / RATE)
    shot, fresh = np.zeros(number, np.int32), np.arange(number) == 0
    densities, _ = model.advance(model.start(), np.repeat(frame, number, axis=0), t, weight_s, shot, fresh)
    return densities[round(ARRIVED_S * RATE) :]


# ---- scales ------------------------------------------------------------------------------------------------------


def still_scale(seen: list[Seen], viewed: list[Viewed]) -> FocusScale:
    spots = [hotspot_concentration(look.densities[window], look.content) for look in seen for window in WINDOWS]
    model = np.array([concentration(v.predicted.densities["total"]) for v in viewed])
    raw = np.array([g.concentration for g in spots])
    return fit_focus_scale(raw, typical(spots), model, human_concentration(viewed))


def moving_scale(seen: list[Seen], viewed: list[Viewed], still: FocusScale) -> FocusScale:
    """Knots of pictures, moved and stretched so that held pictures have the mean and the spread of pictures."""
    chosen = [seen[i] for i in np.linspace(0, len(seen) - 1, HELD).astype(int)]
    moments = [
        [hotspot_concentration(density, look.content) for density in held_densities(look.path)] for look in chosen
    ]
    held = np.array([np.mean([m.concentration for m in frames]) for frames in moments])
    whole = np.array([concentration(look.densities["total"], look.content) for look in chosen])
    stretch = held.std() / whole.std()
    print(f"held pictures: concentration {held.mean():.4f}, sd {held.std():.4f};", end=" ")
    print(f"the same as pictures: {whole.mean():.4f}, sd {whole.std():.4f}")
    knots = held.mean() + stretch * (np.array(still.knots) - whole.mean())
    model = np.array([np.mean([concentration(d) for d in held_densities(v.predicted.path)]) for v in viewed])
    spread = fit_focus_scale(knots, (0.0, 0.0), model, human_concentration(viewed)).spread
    return FocusScale(
        tuple(float(f"{k:.6g}") for k in knots), spread, *typical([m for frames in moments for m in frames])
    )


def human_concentration(viewed: list[Viewed]) -> Float64:
    return np.array([concentration(v.human["total"]) for v in viewed])


def typical(spots: list[HotspotConcentration]) -> tuple[float, float]:
    """Medians of share and area."""
    share, area = (float(f"{np.median([getattr(g, name) for g in spots]):.4g}") for name in ("share", "area"))
    return share, area


if __name__ == "__main__":
    main()
