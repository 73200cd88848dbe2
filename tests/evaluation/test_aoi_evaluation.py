"""From a folder of labelled pictures to scores, table, gallery and text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from PIL import Image

from mediaan.analysis import Models
from mediaan.cli.aois import aois
from mediaan.errors import MediaanError, UsageError
from mediaan.evaluation.aoi_evaluation import AoiEvaluation, evaluate_aois
from mediaan.evaluation.aoi_finders import Finders, haar_faces
from mediaan.evaluation.aoi_gallery import write_aoi_gallery
from mediaan.evaluation.aoi_labels import brand_of, labelled_pictures, read_brands
from mediaan.predictors import load_predictor
from mediaan.types.aoi import Box, Brand, Detection, Drawing, TextLine
from mediaan.types.media import ViewSpec

PHOTOS = Path(__file__).resolve().parents[1] / "sample_ads" / "source" / "photos"


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
    return cast(Models, SimpleNamespace(text=Reader(), objects=Detector(), still=load_predictor("centre-prior", "cpu")))


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


def evaluation(
    folder: Path, models: Models, brands: Callable[[str], Brand | None] = lambda name: None
) -> AoiEvaluation:
    labels = {"a.png": DRAWN, "b.png": ()}
    return evaluate_aois(Finders(models), labelled_pictures(folder, labels.get, brands))


def test_only_judged_pictures_count_and_what_is_found_where_nothing_is_drawn_is_wrong(
    folder: Path, models: Models
) -> None:
    found = evaluation(folder, models)
    assert [picture.name for picture in found.pictures] == ["a.png", "b.png"]
    headline = found["detected", "headline_text"]
    assert (headline.n_drawn, headline.n_found, headline.n_hits) == (1, 2, 1)
    product = found["detected", "product"]
    assert (product.n_drawn, product.n_found, product.n_hits, product.average_precision) == (2, 2, 1, 0.5)


def test_types_that_nobody_drew_are_not_scored(folder: Path, models: Models) -> None:
    assert not {"face", "person", "call_to_action"} & {scores.type for scores in evaluation(folder, models).scores}


def test_branding_with_the_brand_named_is_scored_beside_branding_without(folder: Path, models: Models) -> None:
    found = evaluation(folder, models, lambda name: Brand("Acme") if name == "a.png" else None)
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
    found = evaluate_aois(Finders(models, lines=True), labelled_pictures(folder, labels.get))
    assert [(scores.finder, scores.type) for scores in found.scores] == [("as read", "line"), ("trimmed", "line")]
    for scores in found.scores:
        assert (scores.n_drawn, scores.n_found, scores.n_hits) == (2, 2, 1)
    assert found.models == {"reader": "01234567"}


def test_a_drawing_outside_the_picture_is_told(folder: Path, models: Models) -> None:
    labels = {"a.png": (*DRAWN, Drawing("product", "far", ((300, 10), (400, 20)), "px"))}
    (note,) = evaluate_aois(Finders(models), labelled_pictures(folder, labels.get)).notes
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
    assert (abs(colours - (0x1E, 0x88, 0xE5)).max(axis=1) < 30).sum() > 500, "products are framed in blue"


def test_the_cascade_finds_the_astronaut_s_face() -> None:
    with Image.open(PHOTOS / "astronaut.jpg") as photo:
        (face, *others) = haar_faces(np.asarray(photo.convert("RGB")))
    assert face.box.iou(Box(0.35, 0.13, 0.54, 0.37)) > 0.4, "where the face is, by eye"
    assert all(0 <= c.confidence <= face.confidence <= 1 for c in others)


def test_brands_are_known_by_path_name_or_stem(tmp_path: Path) -> None:
    (tmp_path / "brands.csv").write_text("image,brand\nads/a.png,Acme\nb.png, Best \nc,Cost\nd,\n", encoding="utf-8")
    brands = read_brands(tmp_path / "brands.csv")
    names = ["ads/a.png", "x/b.png", "c.jpg", "d.png", "a.png"]
    assert [brand.name if (brand := brand_of(name, brands)) else None for name in names] == [
        "Acme", "Best", "Cost", None, None,
    ]  # fmt: skip


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
        ({"elsewhere.png": []}, (), "the labels name none of the 1 medium"),
        ({"ad.png": [], "gone.png": []}, (), "holds no 'gone.png'"),
        ({"ad.png": []}, ("--out", "no/such/table.parquet"), "the folder no/such does not exist"),
        ({"ad.png": []}, ("--brands", "labels.json"), "needs the columns name and brand"),
    ],
)
def test_requests_that_cannot_be_met_say_why(
    labels: object, options: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ads").mkdir()
    Image.new("RGB", (32, 32)).save(tmp_path / "ads" / "ad.png")
    labels_of(tmp_path / "labels.json", labels)
    monkeypatch.chdir(tmp_path)
    done = run("ads", "labels.json", *options)
    assert isinstance(done.exception, MediaanError)
    assert words in done.exception.message
