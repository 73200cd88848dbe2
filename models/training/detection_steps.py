"""What each step of the detection of areas brings: F1 of the types with and without it.

    python models/training/detection_steps.py --data DATA --cache FOLDER --folds OUT [--only WORD]

Prints the table of docs/aoi_detection.md, on the modern designs of dev and train. What the object detector and the text
reader return is kept in FOLDER (1 GB), so that only the first run takes long. Roles and blocks of lines come from
networks that were not fitted to the brand of a design: OUT is that of gpu/layout.py. Without --folds they come from
those that ship, which learned from all of these designs.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import cv2
import numpy as np

from mediaan.analysis import load_models
from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection import (
    brand_names,
    branding,
    call_to_action,
    frame_aois,
    line_features,
    objects,
    surroundings,
    text_areas,
    text_blocks,
    text_layout,
)
from mediaan.aoi.detection.text_blocks import TextLayout, TypesetLine, typeset_line
from mediaan.aoi.detection.text_layout import _Attention, _Member, _Model, predict_layout
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.cli.commands.aois import _labelled
from mediaan.evaluation.aoi.evaluation import _matches, _roles_found
from mediaan.evaluation.aoi.methods import DETECTED, NAMED, ImageDetections, LabelledImage
from mediaan.evaluation.aoi.scores import AoiMatches
from mediaan.media import open_image
from mediaan.types.aoi import Aoi, Detection, TextLine
from mediaan.types.arrays import UInt8

HERE = Path(__file__).parent
LABELS = HERE / "labels"
FOLDS, RECIPES_OF_FOLDS = 5, (0, 2)
SHOWN = {
    "headline_text": "headline", "body_text": "body", "call_to_action": "call", "other: offer": "offer",
    "other: platform": "platform", "branding": "branding", "branding (brand named)": "named", "product": "product",
    "face": "face", "person": "person",
}  # fmt: skip
"""Scores, and what the table calls them."""
LEAST = 0.0005  # change that is shown


class Design(NamedTuple):
    """A design with what people drew on it, and what the networks return for it."""

    image: LabelledImage
    drawn: tuple[Aoi, ...]
    undecided: tuple[Aoi, ...]
    rgb: UInt8
    lines: tuple[TextLine, ...]
    detections: tuple[Detection, ...]


class Reader:
    """Reads the lines of an image, each image once."""

    def __init__(self, models: Models, cache: Path) -> None:
        self._models, self._path = models, cache / "read_again.pkl"
        self._read = pickle.loads(self._path.read_bytes()) if self._path.exists() else {}

    def __call__(self, rgb: UInt8) -> Sequence[TextLine]:
        key = hashlib.sha256(rgb.tobytes() + str(rgb.shape).encode()).hexdigest()
        if key not in self._read:
            self._read[key] = self._models.text.read(rgb)
        return self._read[key]

    def save(self) -> None:
        self._path.write_bytes(pickle.dumps(self._read))


def designs(data: Path, cache: Path, side: str, models: Models) -> Iterator[Design]:
    """The modern designs of a side; what the networks return is kept in `cache`."""
    cache.mkdir(parents=True, exist_ok=True)
    folder = data / "ads" / "images"
    images = _labelled(folder, LABELS / f"modern_{side}.json", LABELS / "modern.csv", LABELS / "modern_undecided.json")
    for image in images:
        file = cache / f"{image.name}.pkl"
        if not file.exists():
            opened = open_image(image.path, [AOI_VIEW, models.still.view])
            drawn, _ = aois_from_drawings(image.drawings, opened.medium)
            undecided, _ = aois_from_drawings(image.undecided, opened.medium)
            rgb = opened.chunks[0].views[AOI_VIEW.name][0]
            parts = drawn, undecided, np.array(rgb), models.text.read(rgb), models.detect_objects(rgb)
            file.write_bytes(pickle.dumps(parts))
        yield Design(image, *pickle.loads(file.read_bytes()))


class Step(NamedTuple):
    """A step, what stands in its place where it is switched off, and its code."""

    file: str
    name: str
    off: tuple[tuple[Any, str, Any], ...]
    """Object, name and value of each attribute that is replaced."""
    code: tuple[Any, ...] = ()
    """Functions that are for it alone."""
    lines: int = 0
    """Of code and settings beside them."""
    layout: bool = False
    """Whether roles and blocks of lines change."""

    @property
    def length(self) -> int:
        """Lines of code."""
        return self.lines + sum(len(inspect.getsource(part).splitlines()) for part in self.code)


def settings(module: Any, **values: Any) -> tuple[Any, str, Any]:
    return module, "SETTINGS", replace(module.SETTINGS, **values)


def nothing(*_: Any) -> None:
    return None


def no_text_beside(lines: Sequence[TextLine], index: int, *rest: Any) -> bool:
    return IS_ALONE([lines[index]], 0, *rest)


IS_ALONE, PHRASES = brand_names._is_alone, call_to_action._known_phrases()


def steps() -> Iterator[Step]:
    """Each step that can be switched off."""
    a, c, f, n, o, s, t = text_areas, call_to_action, frame_aois, brand_names, objects, surroundings, text_layout
    yield Step(
        "surroundings", "icon beside a number", ((a, "expand_to_icon", lambda rgb, line, *_: line),),
        (s.expand_to_icon,), 18,
    )  # fmt: skip
    yield Step(
        "surroundings", "badge around an offer", ((a, "expand_to_badge", lambda rgb, text, *_: text),),
        (s.expand_to_badge,), 20,
    )  # fmt: skip
    yield Step("surroundings", "shape around a call", ((s, "shape_around", nothing),), (s.shape_around,), 24)
    yield Step(
        "surroundings", "shape as a feature", ((line_features, "shape_around", nothing),), (), 1, layout=True,
    )  # fmt: skip
    yield Step(
        "surroundings", "detected button around a call",
        ((a, "button_around", lambda rgb, line, _: s.shape_around(rgb, line)),), (s.button_around,), 2,
    )  # fmt: skip
    yield Step("text_areas", "detected button without a call", (settings(a, sure_button=2.0),), (), 10)
    yield Step("text_areas", "figures ask for nothing", ((a, "_is_figure", lambda _: False),), (a._is_figure,), 2)
    yield Step("text_areas", "words of a button", (settings(a, may_ask=0.0),), (), 6)
    yield Step("text_areas", "least probability of a headline", ((a, "LEAST_HEADLINE", 0.0),), (), 3)
    yield Step("text_areas", "rows of the platform", ((a, "rows_of", one_by_one),), (a.rows_of,), 4)
    yield Step("text_areas", "least probability of the platform", (settings(a, least_platform=0.0),), (), 4)
    yield Step(
        "text_layout", "objects around lines", ((t, "fuse_object_evidence", lambda roles, *_: roles),),
        (t.fuse_object_evidence, t.object_evidence), 8, layout=True,
    )  # fmt: skip
    yield Step(
        "text_blocks", "lines trimmed to letters", ((text_blocks, "trim_line", lambda line, _: line),),
        (text_blocks.trim_line,), 4, layout=True,
    )  # fmt: skip
    yield Step(
        "frame_aois", "letters of a mark are no text", ((f, "_is_same_lettering", lambda *_: False),),
        (f._is_same_lettering,), 2,
    )  # fmt: skip
    yield Step(
        "objects", "what is around a product", ((f, "rated_products", lambda detections: detections),),
        (o.rated_products, o._probability, o.product_terms, o.ProductTerms), 9,
    )  # fmt: skip
    yield Step("objects", "persons without a face", (settings(o, alone=0.0),), (o._has_face,), 6)
    yield Step("branding", "logos that overlap", (settings(branding, one_logo=1.0),), (), 4)
    yield Step("branding", "other marks of the image", ((branding, "RIVAL", 0.0),), (branding.rivals,), 6)
    yield Step("branding", "word marks outside of logos", (settings(branding, least_words=2.0),), (), 6)
    yield Step("branding", "lines that a mark holds", (settings(branding, largest=0, within=2.0),), (), 14)
    yield Step("branding", "lettering that resembles the name", ((branding, "resembles_name", lambda *_: False),),
               (n.resembles_name,), 12)  # fmt: skip
    yield Step("branding", "read again, enlarged", ((branding, "_read_again", lambda *_: []),),
               (branding._read_again,), 14)  # fmt: skip
    yield Step("branding", "names and pictures of accounts", (settings(branding, on_platform=2.0),),
               (branding._is_avatar,), 8)  # fmt: skip
    yield Step("brand_names", "names over several lines", ((n, "_matches_across_lines", lambda *_: ()),),
               (n._matches_across_lines, n._follows), 3)  # fmt: skip
    yield Step("brand_names", "confused letters", ((n, "_merge_homoglyphs", lambda plain: plain),),
               (n._merge_homoglyphs,), 3)  # fmt: skip
    yield Step("brand_names", "similar spellings", (settings(n, near=1.0, far=1.0),), (), 10)
    yield Step("brand_names", "words beside a name", ((n, "_BESIDE", frozenset()),), (), 3)
    yield Step("brand_names", "ends of paragraphs", ((n, "_is_alone", no_text_beside),), (), 7)
    for name, value in (
        ("misread phrases", ((c, "_LETTERS_PER_ERROR", 10**6),)),
        ("phrases that go on", ((c, "_known_phrases", lambda: PHRASES._replace(leading=("\0",))),)),
        ("opening words", ((c, "_known_phrases", lambda: PHRASES._replace(openers=frozenset())),)),
        ("addresses and numbers", ((c, "contact_confidence", no_contact), (a, "contact_confidence", no_contact))),
    ):
        lines = {"misread phrases": 4, "addresses and numbers": 24}.get(name, 2)
        code = (c.contact_confidence,) if name == "addresses and numbers" else ()
        yield Step("call_to_action", name, value, code, lines, layout=True)


def one_by_one(lines: Sequence[TypesetLine]) -> list[text_blocks.TextBlock]:
    return [text_blocks.TextBlock((line,)) for line in lines]


def no_contact(text: str) -> float:
    return 0.0


class Prepared(NamedTuple):
    """A design with its lines as they are set, and their layout."""

    design: Design
    typed: tuple[TypesetLine, ...]
    layout: TextLayout
    model: _Model


def prepare(design: Design, model: _Model) -> Prepared:
    with patch.object(text_layout, "read_model", lambda: model):
        typed = tuple(typeset_line(design.rgb, line) for line in design.lines)
        return Prepared(design, typed, predict_layout(design.rgb, typed, design.detections), model)


def detect(prepared: Prepared, read: Reader, step: Step | None = None) -> ImageDetections:
    """Areas of a design with a step switched off."""
    with ExitStack() as stack:
        for where, name, value in step.off if step else ():
            stack.enter_context(patch.object(where, name, value))
        if step and step.layout:
            prepared = prepare(prepared.design, prepared.model)
        design, typed = prepared.design, dict(zip(map(id, prepared.design.lines), prepared.typed, strict=True))
        stack.enter_context(patch.object(frame_aois, "typeset_line", lambda _, line: typed[id(line)]))
        stack.enter_context(patch.object(frame_aois, "predict_layout", lambda *_: prepared.layout))
        detected = {DETECTED: frame_aois.find_areas(design.rgb, design.lines, design.detections).areas}
        if brand := design.image.facts.brand:
            named = frame_aois.find_areas(design.rgb, design.lines, design.detections, brand=brand, read=read).areas
            detected |= {NAMED: tuple(c for c in named if c.type == "branding"), "texts with the brand named": named}
    return ImageDetections(design.image, design.drawn, design.undecided, detected, ())


def counts_of(detections: Sequence[ImageDetections]) -> dict[str, tuple[int, int, int]]:
    """Hits, found and drawn of each score; of texts where the brand is named with `*`."""

    def counted(matches: Sequence[AoiMatches]) -> tuple[int, int, int]:
        return (
            sum(len(m.pairs) for m in matches),
            sum(len(m.detected) for m in matches),
            sum(len(m.drawn) for m in matches),
        )

    roles = _roles_found("all")
    counts = {
        name if finder == DETECTED else f"{name} ({finder})": counted(matches)
        for (finder, name), matches in _matches(detections, roles, 0.5).items()
    }
    named = [
        replace(d, detected={DETECTED: d.detected["texts with the brand named"]})
        for d in detections
        if "texts with the brand named" in d.detected
    ]
    return counts | {f"{name} *": counted(some) for (_, name), some in _matches(named, roles, 0.5).items()}


def f1(counts: tuple[int, int, int]) -> float:
    hits, detected, drawn = counts
    return 2 * hits / max(1, detected + drawn)


def models_of_folds(folder: Path) -> list[_Model]:
    """The networks of each fold of gpu/layout.py, as `mediaan.aoi.detection.text_layout` reads them."""
    sys.path.insert(0, str(HERE / "gpu"))
    from layout import fitted
    from text_layout import RECIPES, stored

    models = []
    like = SimpleNamespace(lines=np.zeros((1, len(line_features.FEATURES))))
    for fold in range(FOLDS):
        members = []
        for number in RECIPES_OF_FOLDS:
            file = folder / f"shape_recipe{number}_fold{fold}.pt"
            values = stored(*fitted([like], RECIPES[number], file, 0.0))
            count = sum(name.endswith(".qkv") for name in values)
            layers = tuple(
                _Attention(*(values[f"layer{i}.{name}"] for name in _Attention._fields)) for i in range(count)
            )
            members.append(_Member(**{name: values.get(name, layers) for name in _Member._fields}))
        models.append(_Model(tuple(members), text_layout.read_model().objects))
    return models


def model_chooser(folder: Path | None) -> Callable[[Design], _Model]:
    """The networks for a design: those that were not fitted to its brand."""
    if folder is None:
        return lambda design: text_layout.read_model()
    models = models_of_folds(folder)
    from layout import fold_of

    return lambda design: models[fold_of(design.image.facts.brand.name if design.image.facts.brand else "", FOLDS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--folds", type=Path, help="folder of gpu/layout.py")
    parser.add_argument("--only", default="", help="steps whose name holds this")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    models, model_of = load_models("attention", "cpu"), model_chooser(args.folds)
    read = Reader(models, args.cache)
    sides = {
        side: [prepare(design, model_of(design)) for design in designs(args.data, args.cache, side, models)]
        for side in ("dev", "train")
    }
    base = {side: counts_of([detect(page, read) for page in pages]) for side, pages in sides.items()}
    for side, counts in base.items():
        print(f"\n{side}, {len(sides[side])} designs:\n")
        print("| | drawn | found | precision | recall | F1 |\n|---|---|---|---|---|---|")
        for name, (hits, detected, drawn) in counts.items():
            rates = f"{hits / max(1, detected):.3f} | {hits / max(1, drawn):.3f} | {f1((hits, detected, drawn)):.3f}"
            print(f"| {name} | {drawn} | {detected} | {rates} |", flush=True)
    print("\n| file | step | lines | dev | train |\n|---|---|---|---|---|")
    for step in sorted(steps(), key=lambda step: step.layout):  # what takes long comes last
        if args.only not in step.name:
            continue
        cells = []
        for side, pages in sides.items():
            without = counts_of([detect(page, read, step) for page in pages])
            changes = {short: f1(base[side][name]) - f1(without.get(name, (0, 0, 1))) for name, short in SHOWN.items()}
            changes |= {
                f"{SHOWN[name]}*": f1(base[side][f"{name} *"]) - f1(without[f"{name} *"])
                for name in ("headline_text", "body_text", "call_to_action", "other: offer")
                if step.file in ("frame_aois", "branding", "brand_names")
            }
            cells.append(", ".join(f"{name} {c:+.3f}" for name, c in changes.items() if abs(c) >= LEAST) or "0")
        print(f"| {step.file} | {step.name} | {step.length} | {' | '.join(cells)} |", flush=True)
    read.save()


if __name__ == "__main__":
    main()
