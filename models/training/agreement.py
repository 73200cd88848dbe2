"""Say how well each score agrees with people: make mediaan/metrics/agreement.json again.

    python models/training/agreement.py ../shared/data ../shared/weights [--write]

Pictures that neither the score nor the attention model was fitted to, as in `compare_checks.py`: what the score says of
them, or of the areas in them, beside what people said or where they looked. The figure is Spearman's rank correlation
within each set of pictures, averaged by their size. Takes a quarter of an hour on one core; `--cache` and `--regions`
are those of `compare_checks.py` and save most of it. Of opinions, the figures are those of `opinions.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from compare_checks import Sample, demand_sample, focus_samples
from fixation_hazard import first_seen
from focus import DOMAINS, viewed_pictures
from focus_checks import raw_pairs
from hazard_fit import Fit, Shares, regions_table
from hazard_truth import AOI_LIKE, CLICKED, Looked, Regions, looked_at
from scales import cached, measure_all
from scipy.stats import spearmanr

import mediaan as mn
from mediaan.aoi.scoring.fixation_hazard import built_in_hazard_model
from mediaan.metrics.scores.concentration import concentration
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float64

TARGET = Path(mn.__file__).parent / "metrics" / "agreement.json"
RATED_ADS = 177
PICTURES = {
    "photo": "photographs",
    "ad": "product ads",
    "page": "web pages",
    "design": "graphic designs, clicks that uncover them",
}


@dataclass(frozen=True)
class Agreement:
    """One line of the file: `n` pictures, or areas in them; `domain` None where the pictures are of any."""

    metric: str
    domain: str | None
    compared: str
    n: int
    r: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path, help="folder with yunet_n_dynamic.onnx and yolox_nano.onnx")
    parser.add_argument("--cache", type=Path, help="file that keeps what was measured of the pictures")
    parser.add_argument("--regions", type=Path, help="file that keeps the regions found in the pictures")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    rows = [*agreements(arguments)]
    for row in rows:
        print(f"{row.metric}, {row.compared}: r {row.r:.2f} (n = {row.n})")
    if arguments.write:
        write(rows)


def agreements(arguments: argparse.Namespace) -> Iterator[Agreement]:
    """Compare every score that can be compared."""
    data, gaze = arguments.data, arguments.data / "gaze"
    measured = cached(arguments.cache, lambda: measure_all(data, dev=False))
    for sample in focus_samples(measured, data, dev=False):
        domain = sample.name.removeprefix("focus, ")
        if domain in DOMAINS:
            yield of_sample(sample, "focus", domain, f"{PICTURES[domain]}, gaze", sample.kind)
    photographs = [*viewed_pictures(gaze, "photo")]
    sets = np.array([picture.set for picture in photographs])
    for metric, window in {"focus_first_two": "start", "focus_last_two": "end"}.items():
        pairs = raw_pairs(photographs, concentration, window)
        yield Agreement(metric, "photo", f"{PICTURES['photo']}, gaze", *correlate(*pairs.T, sets))
    demanding = demand_sample(measured, data)
    yield of_sample(demanding, "cognitive_demand", None, "pictures of seven kinds, ratings", demanding.kind)
    ads = np.where(demanding.kind == "advertisement", "advertisement", "")
    yield of_sample(demanding, "cognitive_demand", "ad", "advertisements, ratings", ads)
    provenance = json.loads(TARGET.with_name("opinions.json").read_text("utf-8"))["provenance"]
    for name, figures in provenance["cross_validated"].items():  # what was chosen, was chosen without the ads
        yield Agreement(name, None, "web ads, opinions", RATED_ADS, figures["rho_nested"])
    regions = Regions(arguments.weights, arguments.regions)
    for domain in PICTURES:
        sets = CLICKED if domain == "design" else DOMAINS[domain]
        looked = ((picture, regions.of(picture)) for picture in looked_at(data, sets))
        pictures = [
            (picture, [region for region in regions_of_picture if region[0] in AOI_LIKE])
            for picture, regions_of_picture in looked
        ]
        yield from of_areas(
            [(picture, regions_of_picture) for picture, regions_of_picture in pictures if regions_of_picture], domain
        )


def of_areas(pictures: list[tuple[Looked, list[tuple[str, Box]]]], domain: str) -> Iterator[Agreement]:
    """Lines and blocks of text, faces and objects, all kinds of a set together, over the whole of the viewing time."""
    what = f"areas in {PICTURES[domain]}" + ("" if domain == "design" else ", gaze")
    table, model = regions_table(pictures), built_in_hazard_model().of_domain(domain)
    fit = Fit(
        table,
        Shares((picture.densities, [box for _, box in regions_of_picture]) for picture, regions_of_picture in pictures),
    )
    rows, sets = table.full.to_numpy(), table.set.to_numpy(str)

    def compared(metric: str, values: Float64, truth: Float64) -> Agreement:
        defined = rows & np.isfinite(values) & np.isfinite(truth)
        return Agreement(metric, domain, what, *correlate(values[defined], truth[defined], sets[defined]))

    share, looked, area = fit.shares.raw[table.region, 2], table.fixations.to_numpy(), table.area.to_numpy()
    yield compared("attention", share, looked)
    yield compared("relative_attention", share, looked)  # of a still image the same number
    yield compared("lift", share / area, looked / area)
    if np.isfinite(table.exposure).all():  # viewers who were pooled have attention alone
        yield compared("percentage_seen", fit.seen(model), table.seen.to_numpy())
        yield compared("time_spent", fit.spent(model, table) * table.exposure.to_numpy(), table.gaze_s.to_numpy())
        yield compared("first_seen_s", first_seen(fit, model), table.first_s.to_numpy())


def of_sample(sample: Sample, metric: str, domain: str | None, pictures: str, sets: Float64) -> Agreement:
    """Rows of set '' are left out."""
    values = np.array([estimate.value for estimate in sample.estimates], dtype=np.float64)
    return Agreement(metric, domain, pictures, *correlate(values, sample.truth, sets))


def correlate(values: Float64, truth: Float64, sets: np.ndarray) -> tuple[int, float]:
    """Number of rows and Spearman's rank correlation within sets, averaged by the number of rows."""
    parts = [sets == name for name in np.unique(sets) if name]
    correlations = [float(spearmanr(values[rows], truth[rows])[0]) for rows in parts]
    counts = [int(rows.sum()) for rows in parts]
    return sum(counts), float(np.average(correlations, weights=counts))


def write(rows: list[Agreement]) -> None:
    lines = [json.dumps(asdict(row) | {"r": round(row.r, 2)}) for row in rows]
    command = "python models/training/agreement.py DATA WEIGHTS --write"
    body = ",\n    ".join(lines)
    TARGET.write_text(f'{{\n  "command": "{command}",\n  "agreements": [\n    {body}\n  ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
