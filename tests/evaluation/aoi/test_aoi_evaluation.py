"""From a folder of labelled pictures to scores, table, gallery and text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from PIL import Image

from mediaan.analysis import Models
from mediaan.cli.commands.aois import aois, aois_as_text
from mediaan.errors import MediaanError, UsageError
from mediaan.evaluation.aoi.evaluation import AoiEvaluation, evaluate_aois
from mediaan.evaluation.aoi.gallery import write_aoi_gallery
from mediaan.evaluation.aoi.methods import (
    AdFacts,
    DetectionMethods,
    ImageDetections,
    LabelledImage,
    detect_haar_faces,
    find_facts,
    labelled_images,
    read_ad_facts,
)
from mediaan.saliency import load_predictor
from mediaan.types.aoi import Aoi, AoiType, Box, Brand, Candidate, Detection, Drawing, TextLine
from mediaan.types.media import ViewSpec

PHOTOS = Path(__file__).resolve().parents[2] / "sample_ads" / "source" / "photos"


def line(text: str, x0: float, y0: float, x1: float, y1: float) -> TextLine:
    return TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, 0.9)


class Reader:
    name, sha256 = "reader", "0123456789"

    def read(self, rgb: Any) -> tuple[TextLine, ...]:
        return line("Fresh bread every day", 0.1, 0.1, 0.9, 0.3), line("Acme", 0.7, 0.9, 0.9, 0.96)


class Detector:
    name, sha256, view = "detector", "abcdef", ViewSpec("objects", pixels=64 * 64)

    def detect(self, frames: Any) -> list[tuple[Detection, ...]]:
        return [(Detection("product", Box(0.3, 0.4, 0.7, 0.8), 0.9), Detection("face", Box(0, 0.5, 0.1, 0.6), 0.8))]


@pytest.fixture
def models() -> Models:
    detector = Detector()
    parts = {"objects": detector, "detect_objects": lambda rgb: detector.detect(rgb[None])[0]}
    return cast(Models, SimpleNamespace(text=Reader(), still=load_predictor("centre-prior", "cpu"), **parts))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        (tmp_path / "ads").mkdir(exist_ok=True)
        Image.new("RGB", (200, 160), "white").save(tmp_path / "ads" / f"{name}.png")
    return tmp_path / "ads"


DRAWN = (
    Drawing("headline_text", "", ((20, 16), (180, 48)), "px"),  # the same place as the reader's, in px of 200 x 160
    Drawing("branding", "Acme Bakery", ((0.7, 0.9), (0.9, 0.96))),
    Drawing("product", "loaf", ((0.3, 0.4), (0.7, 0.8))),
    Drawing("product", "knife", ((0.8, 0.4), (0.9, 0.8))),
)


def evaluation(folder: Path, models: Models, facts: Callable[[str], AdFacts] = lambda name: AdFacts()) -> AoiEvaluation:
    labels = {"a.png": DRAWN, "b.png": ()}
    return evaluate_aois(DetectionMethods(models), labelled_images(folder, labels.get, facts))


def test_only_judged_pictures_count_and_what_is_found_where_nothing_is_drawn_is_wrong(
    folder: Path, models: Models
) -> None:
    found = evaluation(folder, models)
    assert [picture.name for picture in found.images] == ["a.png", "b.png"]
    headline = found["detected", "headline_text"]
    assert (headline.n_drawn, headline.n_found, headline.n_hits) == (1, 2, 1)
    product = found["detected", "product"]
    assert (product.n_drawn, product.n_found, product.n_hits, product.average_precision) == (2, 2, 1, 0.5)


def test_branding_with_the_brand_named_is_scored_beside_branding_without(folder: Path, models: Models) -> None:
    found = evaluation(folder, models, lambda name: AdFacts(Brand("Acme") if name == "a.png" else None))
    named = found["brand named", "branding"]
    assert (named.n_drawn, named.n_hits, named.recall.value) == (1, 1, 1)
    by_finder = {brand.finder: brand for brand in found.brands}
    assert set(by_finder) == {"detected", "brand named"}
    assert (by_finder["brand named"].n_marks, by_finder["brand named"].pictures.value) == (1, 1)


def test_the_worst_picture_comes_first_and_says_what_is_wrong(folder: Path, models: Models) -> None:
    worst = evaluation(folder, models).worst(5)
    assert [row.image for row in worst] == ["b.png", "a.png"]
    assert worst[0].f1 == 0
    assert "product" in worst[0].extra
    assert "product" in worst[1].missed


def test_lines_are_compared_whatever_their_role(folder: Path, models: Models) -> None:
    labels = {
        "a.png": (
            Drawing("headline_text", "", ((0.1, 0.1), (0.9, 0.3))),
            Drawing("call_to_action", "", ((0.1, 0.5), (0.3, 0.6))),
        )
    }
    found = evaluate_aois(DetectionMethods(models, lines=True), labelled_images(folder, labels.get))
    assert [(scores.finder, scores.type) for scores in found.scores] == [("as read", "line"), ("trimmed", "line")]
    for scores in found.scores:
        assert (scores.n_drawn, scores.n_found, scores.n_hits) == (2, 2, 1)
    assert found.models == {"reader": "01234567"}


def test_a_drawing_outside_the_picture_is_told(folder: Path, models: Models) -> None:
    labels = {"a.png": (*DRAWN, Drawing("product", "far", ((300, 10), (400, 20)), "px"))}
    (note,) = evaluate_aois(DetectionMethods(models), labelled_images(folder, labels.get)).notes
    assert note.startswith("a.png: ")
    assert "far" in note


def test_a_broken_picture_ends_it(folder: Path, models: Models) -> None:
    (folder / "b.png").write_bytes((folder / "b.png").read_bytes()[:40])
    with pytest.raises(UsageError, match="take it out of the labels"):
        evaluation(folder, models)


def test_the_gallery_is_a_picture_of_those_with_errors(folder: Path, models: Models, tmp_path: Path) -> None:
    write_aoi_gallery(evaluation(folder, models), tmp_path / "worst.jpg")
    with Image.open(tmp_path / "worst.jpg") as sheet:
        assert sheet.format == "JPEG"
        colours = np.asarray(sheet.convert("RGB"), np.int64).reshape(-1, 3)
    assert (abs(colours - (0x1D, 0x5F, 0xA8)).max(axis=1) < 30).sum() > 500, "products are framed in blue"


def test_the_cascade_finds_the_astronaut_s_face() -> None:
    with Image.open(PHOTOS / "astronaut.jpg") as photo:
        (face, *others) = detect_haar_faces(np.asarray(photo.convert("RGB")))
    assert face.box.iou(Box(0.35, 0.13, 0.54, 0.37)) > 0.4, "where the face is, by eye"
    assert all(0 <= c.confidence <= face.confidence <= 1 for c in others)


def test_facts_are_known_by_path_name_or_stem(tmp_path: Path) -> None:
    rows = "image,kind,brand,aliases\nads/a.png,poster,Acme,\nb.png,, Best ,Bestest | the best|\nc,banner,,\n"
    (tmp_path / "ads.csv").write_text(rows, encoding="utf-8")
    facts = read_ad_facts(tmp_path / "ads.csv")
    assert [find_facts(name, facts) for name in ("ads/a.png", "x/b.png", "c.jpg", "a.png")] == [
        AdFacts(Brand("Acme"), "poster"),
        AdFacts(Brand("Best", ("Bestest", "the best"))),
        AdFacts(None, "banner"),
        AdFacts(),
    ]


BRAND, ROOF, FOOT, EDGE = (
    Box(0.1, 0.1, 0.3, 0.2),
    Box(0.1, 0.3, 0.3, 0.4),
    Box(0.1, 0.5, 0.3, 0.6),
    Box(0.1, 0.7, 0.3, 0.8),
)


def area(kind: AoiType, label: str, box: Box) -> Aoi:
    return Aoi(UUID(int=0), kind, label, box, None, "drawn")


def find(kind: AoiType, box: Box, label: str = "") -> Candidate:
    return Candidate(kind, label, box, 0.9, "text")


class Told:
    """Finders whose answers are given, by name of the picture."""

    level = "all"

    def __init__(self, answers: dict[str, tuple[Any, Any, dict[str, Any]]], facts: dict[str, AdFacts]) -> None:
        self._answers = answers
        self.pictures = [LabelledImage(name, Path(name), (), facts.get(name, AdFacts())) for name in answers]

    def detect(self, picture: LabelledImage) -> ImageDetections:
        return ImageDetections(picture, *self._answers[picture.name], ())

    def models(self) -> dict[str, str]:
        return {}


def told(
    drawn: tuple[Aoi, ...],
    undecided: tuple[Aoi, ...],
    found: dict[str, tuple[Candidate, ...]],
    facts: AdFacts | None = None,
) -> AoiEvaluation:
    finders = Told({"ad": (drawn, undecided, found)}, {"ad": facts or AdFacts()})
    return evaluate_aois(cast(DetectionMethods, finders), finders.pictures)


def test_others_are_scored_by_their_label() -> None:
    drawn = (area("other", "Offer", BRAND), area("other", "platform", ROOF), area("other", "vase", FOOT))
    some = told(drawn, (), {"detected": (find("other", BRAND, "offer"), find("other", FOOT, "offer"))})
    counts = {s.type: (s.n_drawn, s.n_found, s.n_hits) for s in some.scores}
    assert counts == {"other: offer": (1, 2, 1), "other: platform": (1, 0, 0), "any text": (1, 2, 1)}


MARKS = tuple(find("branding", box) for box in (BRAND, ROOF, FOOT, EDGE))


def test_a_finder_that_is_told_the_brand_is_wrong_about_other_marks() -> None:
    drawn = (
        area("branding", "Acme Bakery", BRAND),
        area("branding", "Visa", ROOF),
        area("other", "other mark: Oven Inc", FOOT),
        area("branding", "", EDGE),
    )
    undecided = (area("branding", "Oven Inc", FOOT),)
    some = told(drawn, undecided, {"detected": MARKS, "brand named": MARKS}, AdFacts(Brand("Acme")))
    untold, named = some["detected", "branding"], some["brand named", "branding"]
    assert (untold.n_drawn, untold.n_found, untold.n_hits, untold.n_ignored) == (3, 3, 3, 1)
    assert (named.n_drawn, named.n_found, named.n_hits, named.n_ignored) == (1, 3, 1, 1)
    assert some.confusion.false_as["branding (brand named)"] == {"other mark": 2}


def test_another_mark_that_is_an_alias_of_the_brand_counts_neither_way() -> None:
    drawn = (area("branding", "Acme", BRAND), area("other", "other mark: Crumb", ROOF))
    some = told(drawn, (), {"detected": (), "brand named": MARKS[:2]}, AdFacts(Brand("Acme", ("Crumb",))))
    named = some["brand named", "branding"]
    assert (named.n_drawn, named.n_found, named.n_hits, named.n_ignored) == (1, 1, 1, 1)


def test_undecided_texts_are_undecided_for_any_text() -> None:
    drawn = (area("headline_text", "", BRAND),)
    undecided = (area("other", "offer", ROOF), area("other", "", FOOT), area("product", "", EDGE))
    texts = tuple(find("body_text", box) for box in (BRAND, ROOF, FOOT, EDGE))
    any_text = told(drawn, undecided, {"detected": texts})["detected", "any text"]
    assert (any_text.n_found, any_text.n_hits, any_text.n_ignored) == (2, 1, 2)


def test_confusions_say_what_was_found_instead_and_what_was_there() -> None:
    drawn = (area("headline_text", "", BRAND), area("body_text", "", ROOF), area("face", "", FOOT))
    found = (find("body_text", BRAND), find("branding", ROOF), find("body_text", ROOF), find("face", EDGE))
    confusion = told(drawn, (), {"detected": found}).confusion
    assert confusion.found_as == {
        "headline_text": {"body_text": 1},
        "body_text": {"body_text": 1},
        "face": {"nothing": 1},
    }
    assert confusion.false_as == {"headline_text": {}, "body_text": {"headline_text": 1}, "face": {"nothing": 1}}


def test_kinds_are_scored_alone_and_add_up() -> None:
    face = {"detected": (find("face", BRAND),)}
    answers = {
        "a": ((area("face", "", BRAND),), (), face),
        "b": ((area("face", "", ROOF),), (), face),
        "c": ((), (), face),
        "d": ((area("face", "", BRAND),), (), face),
    }
    finders = Told(answers, {"a": AdFacts(kind="poster"), "b": AdFacts(kind="banner"), "c": AdFacts(kind="poster")})
    some = evaluate_aois(cast(DetectionMethods, finders), finders.pictures)
    rows = [(k.kind, k.n_pictures, s.n_drawn, s.n_found, s.n_hits) for k in some.kinds for s in k.scores]
    assert rows == [("poster", 2, 1, 2, 1), ("banner", 1, 1, 1, 0)]
    text = aois_as_text(some)
    assert "poster         2  0.50/1.00 (1)" in text
    assert "banner         1  0.00/0.00 (1)" in text


def test_the_gallery_dashes_what_is_undecided(folder: Path, models: Models, tmp_path: Path) -> None:
    undecided = {"b.png": (Drawing("other", "", ((0.1, 0.4), (0.8, 0.9))),)}
    pictures = labelled_images(folder, {"b.png": (), "a.png": DRAWN}.get, undecided=undecided.get)
    some = evaluate_aois(DetectionMethods(models), pictures[1:] + pictures[:1])
    assert some["detected", "product"].n_ignored == 1, "the product of b.png"
    write_aoi_gallery(some, tmp_path / "worst.jpg", count=1)
    with Image.open(tmp_path / "worst.jpg") as sheet:
        edge = np.asarray(sheet.convert("L"), np.int64)[
            20 + int(0.9 * 384) - 1, 60:370
        ]  # px of a tile of 480 x 384 below its caption
    changes = np.flatnonzero(np.diff((edge < 180).astype(int)))
    assert changes.size > 30, "the lower edge is broken"
    assert np.median(np.diff(changes)) == pytest.approx(6, abs=1.5)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(aois, ["evaluate", *map(str, arguments)], standalone_mode=False)


def labels_of(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_the_command_reads_labels_and_writes_json_and_table(tmp_path: Path) -> None:
    (tmp_path / "ads").mkdir()
    Image.new("RGB", (320, 240), "white").save(tmp_path / "ads" / "blank.png")
    box = {"type": "headline_text", "label": "ghost", "box": [0.1, 0.1, 0.6, 0.3]}
    labels = labels_of(tmp_path / "labels.json", {"blank.png": [box], "unseen.png": None})
    done = run(tmp_path / "ads", labels, "--aois", "text", "--json", "--out", tmp_path / "table.parquet")
    assert done.exception is None, done.exception
    scores = {row["type"]: row for row in json.loads(done.stdout)["scores"]}
    assert set(scores) == {"headline_text", "any text"}
    assert (scores["headline_text"]["n_drawn"], scores["headline_text"]["n_found"]) == (1, 0)
    rows = pq.read_table(tmp_path / "table.parquet").to_pylist()
    assert [(row["type"], row["outcome"], row["label"]) for row in rows] == [
        ("headline_text", "missed", "ghost"),
        ("any text", "missed", "ghost"),
    ]


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        ({"elsewhere.png": []}, (), "the labels name none of the 1 file"),
        ({"ad.png": [], "gone.png": []}, (), "holds no 'gone.png'"),
        ({"ad.png": []}, ("--out", "no/such/table.parquet"), "the folder no/such does not exist"),
        ({"ad.png": []}, ("--brands", "labels.json"), "needs the columns name and brand"),
        ({"ad.png": []}, ("--ignore", "ignore.json"), "holds no 'gone.png', named by ignore.json"),
    ],
)
def test_requests_that_cannot_be_met_say_why(
    labels: object, options: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ads").mkdir()
    Image.new("RGB", (32, 32)).save(tmp_path / "ads" / "ad.png")
    labels_of(tmp_path / "labels.json", labels)
    labels_of(tmp_path / "ignore.json", {"gone.png": []})
    monkeypatch.chdir(tmp_path)
    done = run("ads", "labels.json", *options)
    assert isinstance(done.exception, MediaanError)
    assert words in done.exception.message
