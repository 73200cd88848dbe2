"""What a minute of a person's time buys: brand areas that are right, before and after confirmations.

    python -m bench.minute DATA/ads/images --run RUN

On the designs of dev and check, whose areas were drawn by hand, in campaigns by `bench.campaigns`. RUN is an analysis
of all designs without a brand named (`bench.campaigns` makes it). Precision and recall of branding at IoU .5:

before          no brand is named
names proposed  the name that is proposed for the campaign is taken, where there is one
named           the brand is named, with all its names
confirmed once  the brand is named, and its marks that were drawn in the campaign's first ad are confirmed: there they
                are exact, in the others they are looked for as images of the logo
other ads       the same two, without the ads that were confirmed: what a confirmation brings elsewhere
reviewed        every ad is answered: a number where a proposal is right, else the mark is drawn; all are exact

The person is simulated by the drawn areas.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

import mediaan as mn
from bench.campaigns import LABELS, Label, labels
from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection.branding import mark_probability, possible_marks
from mediaan.aoi.detection.frame_aois import find_areas
from mediaan.aoi.detection.picture_matcher import PictureMatcher
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.aoi.region import PixelBox
from mediaan.brand.campaign import propose_name, read_texts
from mediaan.config.aoi_formats.reading import load_aois
from mediaan.evaluation.aoi.evaluation import judge_by_brand
from mediaan.evaluation.aoi.scores import match_areas
from mediaan.media import open_image
from mediaan.media.views import resize_to_view
from mediaan.types.aoi import Aoi, Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import UInt8

STAGES = ("before", "names proposed", "named", "confirmed once", "named, other ads", "confirmed, other ads", "reviewed")
SMALLEST_PX = 12
"""Shorter sides of marks show too little to find them by."""
MOST_NUMBERED = 3
"""Proposals of a picture that a number picks."""


class Ad(NamedTuple):
    """A design with what is seen in it and what was drawn."""

    label: Label
    rgb: UInt8
    lines: tuple[TextLine, ...]
    detections: tuple[Detection, ...]
    drawn: tuple[Aoi, ...]
    undecided: tuple[Aoi, ...]


class Counts(NamedTuple):
    """Marks that were drawn, found, and right."""

    drawn: int
    detected: int
    right: int

    def plus(self, other: Counts) -> Counts:
        """Add up."""
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def __str__(self) -> str:
        return (
            f"precision {self.right / max(1, self.detected):.2f}, recall {self.right / max(1, self.drawn):.2f} "
            f"({self.right} right of {self.detected} detected, {self.drawn} drawn)"
        )


def look(pictures: Path, models: Models) -> list[Ad]:
    """Read texts and detect objects in the designs of dev and check."""
    undecided = load_aois(LABELS.with_name("modern_undecided.json"))
    by_image = {label.image: label for label in labels()}
    ads = []
    for file in ("modern_dev.json", "modern_check.json"):
        drawn = load_aois(LABELS.with_name(file))
        for image, label in by_image.items():
            areas = drawn.drawings(image)
            if areas is None:
                continue
            opened = open_image(pictures / image, [AOI_VIEW])
            rgb = opened.chunks[0].views[AOI_VIEW.name][0]
            (detections,) = models.objects.detect(resize_to_view(rgb, models.objects.view)[None])
            ads.append(
                Ad(
                    label._replace(side=file.removesuffix(".json").removeprefix("modern_")),
                    rgb,
                    models.text.read(rgb),
                    tuple(detections),
                    aois_from_drawings(areas, opened.medium)[0],
                    aois_from_drawings(undecided.drawings(image) or (), opened.medium)[0],
                )
            )
    return ads


def judged_by(ad: Ad, brand: Brand | None) -> Ad:
    """Leave only the marks of the advertiser as branding, as `mediaan evaluate` does; all where nobody can be named."""
    if brand is None:
        return ad
    drawn, undecided = judge_by_brand(ad.drawn, ad.undecided, brand)
    return ad._replace(drawn=drawn, undecided=undecided)


def count(ad: Ad, candidates: Sequence[Candidate]) -> Counts:
    """Compare branding that was found with the marks that were drawn."""
    matches = match_areas(ad.label.image, "branding", ad.drawn, candidates, undecided=ad.undecided)
    return Counts(len(matches.drawn), len(matches.detected), len(matches.pairs))


def named(ad: Ad, models: Models, brand: Brand | None, matcher: PictureMatcher | None = None) -> tuple[Candidate, ...]:
    """Find the areas of an ad with a brand named."""
    read = models.text.read if brand else None
    return find_areas(ad.rgb, ad.lines, ad.detections, brand=brand, matcher=matcher, read=read).areas


def crops_of(ad: Ad, folder: Path) -> list[Path]:
    """Save the marks of the advertiser that were drawn in an ad, as `mediaan brand from-run` cuts them out."""
    height, width = ad.rgb.shape[:2]
    files = []
    for number, mark in enumerate(area for area in ad.drawn if area.type == "branding"):
        part = ad.rgb[PixelBox.touched(mark.box, width, height).slices]
        if min(part.shape[:2]) >= SMALLEST_PX:
            files.append(folder / f"{ad.label.image}-{number}.png")
            cv2.imwrite(str(files[-1]), cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2BGR))
    return files


def answer_of(ad: Ad, once: Counts) -> str:
    """Tell what a person does to make the marks of an ad right, after one confirmation a campaign."""
    if once == Counts(once.drawn, once.drawn, once.drawn):
        return "Enter"
    if not once.drawn:
        return "none"
    lines = [typeset_line(ad.rgb, line) for line in ad.lines]
    marks = possible_marks(lines, predict_layout(ad.rgb, lines, ad.detections).roles, ad.detections)
    likeliest = sorted(marks, key=lambda mark: -mark_probability(mark.detected, mark.words))[:MOST_NUMBERED]
    drawn = [area.box for area in ad.drawn if area.type == "branding"]
    picked = all(any(mark.box.iou(box) >= 0.5 for mark in likeliest) for box in drawn)
    return "a number" if picked else "a drag"


def campaign(
    ads: Sequence[Ad], models: Models, proposed: str | None, folder: Path
) -> tuple[Mapping[str, Counts], Counter[str]]:
    """Count the marks of a campaign at every stage, and what a person does to review it."""
    brand = Brand(ads[0].label.names[0], tuple(ads[0].label.names[1:])) if ads[0].label.names else None
    ads = [judged_by(ad, brand) for ad in ads]
    first = next((ad for ad in ads if any(area.type == "branding" for area in ad.drawn)), None)
    logos = crops_of(first, folder) if first and len(ads) > 1 and brand else []
    matcher = PictureMatcher(logos) if logos else None
    counts = dict.fromkeys(STAGES, Counts(0, 0, 0))
    actions: Counter[str] = Counter()
    for ad in ads:
        drawn = sum(area.type == "branding" for area in ad.drawn)
        exact = Counts(drawn, drawn, drawn)
        before = named(ad, models, None)
        with_name = count(ad, named(ad, models, brand) if brand else before)
        with_pictures = (
            count(ad, named(ad, models, brand, matcher)) if brand and matcher and ad is not first else with_name
        )
        of_stage = {
            "before": count(ad, before),
            "names proposed": count(ad, named(ad, models, Brand(proposed)) if proposed else before),
            "named": with_name,
            "confirmed once": exact if ad is first else with_pictures,
            "named, other ads": Counts(0, 0, 0) if ad is first else with_name,
            "confirmed, other ads": Counts(0, 0, 0) if ad is first else with_pictures,
            "reviewed": exact,
        }
        for stage in STAGES:
            counts[stage] = counts[stage].plus(of_stage[stage])
        actions[answer_of(ad, of_stage["confirmed once"])] += 1
    return counts, actions


def main() -> None:
    """Look, simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path, help="folder with the ads")
    parser.add_argument("--run", type=Path, required=True, help="run without a brand named")
    arguments = parser.parse_args()
    models = Models("attention", "cpu", threads=1)
    texts = {path.rsplit("/", 1)[-1]: of_file for path, of_file in read_texts(mn.read_run(arguments.run)).items()}
    campaigns: defaultdict[str, list[Ad]] = defaultdict(list)
    for ad in look(arguments.pictures, models):
        campaigns[f"{ad.label.side} {ad.label.brand or ad.label.image}"].append(ad)
    none_yet = dict.fromkeys(STAGES, Counts(0, 0, 0))
    totals: defaultdict[tuple[str, str], dict[str, Counts]] = defaultdict(none_yet.copy)
    answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        for ads in campaigns.values():
            name = propose_name({ad.label.image: texts[ad.label.image] for ad in ads})
            counts, actions = campaign(ads, models, name.name if name else None, Path(folder))
            side, size = ads[0].label.side, "3 ads or more" if len(ads) >= 3 else f"{len(ads)} ad{'s' * (len(ads) > 1)}"
            for key in ((side, "all"), (side, f"campaigns of {size}")):
                totals[key] = {stage: totals[key][stage].plus(counts[stage]) for stage in STAGES}
            answers[side] += actions
    for (side, which), counts in sorted(totals.items()):
        print(f"{side}, {which}")
        for stage, of_stage in counts.items():
            print(f"  {stage:20} {of_stage}")
    for side, actions in answers.items():
        print(f"{side}, answers that remain after one confirmation a campaign: {dict(actions)}")


if __name__ == "__main__":
    main()
