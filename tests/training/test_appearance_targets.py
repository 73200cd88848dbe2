"""What the heads for text, faces and people are taught: drawn where it is, in the view that is shown."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont, ImageOps

from mediaan.vision.text.reader import load_text_reader

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "training"))

from appearance_examples import DRAWN, KINDS, Example, corners_of, read, side_of
from appearance_lines import lines
from appearance_targets import WHOLE, View, targets

SPLIT = Path(__file__).parents[2] / "models" / "training" / "split"
SIZE = (320, 160)  # 40 x 20 cells of 8 px


def example(*lines: tuple[float, float, float, float], doubtful: tuple[float, float, float, float] | None = None):
    quads = np.array([corners_of(np.array(line)) for line in lines], np.float32).reshape(-1, 4, 2)
    doubt = np.array([] if doubtful is None else [corners_of(np.array(doubtful))], np.float32).reshape(-1, 4, 2)
    nothing = np.zeros((0, 4), np.float32)
    return Example(
        Path("a.jpg"), "osie", "train", SIZE, quads, doubt,
        {"face": nothing, "person": nothing}, {"face": nothing, "person": nothing},
    )  # fmt: skip


def test_a_line_covers_its_cells_with_its_height():
    truth = targets(example((0.25, 0.5, 0.75, 0.7)), WHOLE, SIZE, 8)
    assert truth.shape == (7, 20, 40)
    text, height = truth[0], truth[2]
    assert text[10:14, 10:30].mean() == pytest.approx(1.0, abs=0.1)
    assert text.mean() == pytest.approx(0.5 * 0.2, rel=0.1)
    assert np.exp(height[11, 20]) == pytest.approx(0.2 * 160, rel=0.01)
    assert height[0, 0] == 0


def test_a_mirrored_view_has_mirrored_targets():
    line = (0.1, 0.2, 0.4, 0.6)
    there = targets(example(line), WHOLE, SIZE, 8)[0]
    back = targets(example(line), View((0.0, 0.0, 1.0, 1.0), True, 1.0), SIZE, 8)[0]
    np.testing.assert_allclose(back[:, ::-1], there, atol=0.3)  # at the edges of the line; half a point there
    assert np.abs(back[:, ::-1] - there).mean() < 0.02


def test_a_window_enlarges_what_is_in_it():
    line = (0.5, 0.5, 1.0, 0.6)
    whole = targets(example(line), WHOLE, SIZE, 8)
    part = targets(example(line), View((0.5, 0.5, 0.5, 0.5), False, 1.0), SIZE, 8)
    assert part[0].mean() == pytest.approx(4 * whole[0].mean(), rel=0.15)
    assert part[2].max() - whole[2].max() == pytest.approx(np.log(2), abs=0.01)


def test_doubtful_places_count_for_nothing_but_lines_in_them_do():
    truth = targets(example((0.4, 0.4, 0.6, 0.5), doubtful=(0.25, 0.25, 0.75, 0.75)), WHOLE, SIZE, 8)
    text, weight = truth[0], truth[1]
    assert weight[6, 14] == 0
    assert weight[9, 20] == 1
    assert text[9, 20] == 1
    assert weight[0, 0] == 1


def test_faces_fill_the_ellipse_and_nothing_is_known_where_nobody_looked():
    box = np.array([[0.25, 0.25, 0.75, 0.75]], np.float32)
    with_face = replace(example(), boxes={"face": box, "person": None})
    truth = targets(with_face, WHOLE, SIZE, 8)
    assert truth[3].mean() == pytest.approx(np.pi / 4 * 0.25, rel=0.06)
    assert truth[3][10, 20] == truth[4][10, 20] == 1
    assert truth[4][5, 10] == 0  # the corner of the box
    assert truth[4][0, 0] == 1
    assert truth[6].max() == 0
    assert with_face.has("face") is True
    assert with_face.has("person") is None


def test_advertisements_that_judge_are_never_learned_from():
    sides = {n: side_of("advertisement", f"advertisement_{n:03}", n, SPLIT) for n in range(198)}
    assert {sides[n] for n in range(0, 198, 3)} == {"held_out"}
    listed = (SPLIT / "held_out" / "complexity.txt").read_text().split()
    assert all(sides[int(name[-3:])] == "held_out" for name in listed if name.startswith("advertisement"))
    assert sum(side == "train" for side in sides.values()) > 60


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A folder with all files of boxes drawn by eye, empty."""
    folder = tmp_path / "labels"
    folder.mkdir()
    for files, undecided, _ in DRAWN.values():
        for name in filter(None, (*files, undecided)):
            (folder / f"{name}.json").write_text("{}")
    return folder


def written(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_lines_of_several_files_are_read_together_and_small_print_counts_in_ads(tmp_path: Path, labels: Path):
    lines = [{"quad": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], "found": 0.9, "read": 0.1}]
    row = {"width": 320, "height": 160, "lines": lines}
    files = [
        written(tmp_path / f"{i}.jsonl", {"image": image, **row})
        for i, image in enumerate(("ads/images/a.jpg", "gaze/osie/images/b.jpg"))
    ]
    ad, photo = read(tmp_path, files, written(tmp_path / "teachers.jsonl"), labels, SPLIT)
    assert (ad.set, len(ad.lines), len(ad.doubtful)) == ("ads", 1, 0)
    assert (photo.set, len(photo.lines), len(photo.doubtful)) == ("osie", 0, 1)


def test_boxes_drawn_by_eye_replace_what_detectors_saw_and_designs_that_judge_teach_nothing(
    tmp_path: Path, labels: Path
):
    images = ("ads/images/a.jpg", "ads/images/b.jpg", "gaze/saleci/images/c.jpg", "gaze/osie/images/d.jpg")
    lines = [written(tmp_path / "lines.jsonl", *({"image": i, "width": 9, "height": 9, "lines": []} for i in images))]
    both = [{"type": kind, "box": [0, 0, 1, 1]} for kind in KINDS]
    seen = {"known": ["face", "person"], "boxes": both, "zones": []}
    teachers = written(tmp_path / "teachers.jsonl", *({"image": image, **seen} for image in images))
    nobody, hand = [{"type": "product", "box": [0, 0, 1, 1]}], [{"type": "person", "box": [0, 0, 0.5, 0.5]}]
    (labels / "modern_train.json").write_text(json.dumps({"a.jpg": nobody}))
    (labels / "modern_undecided.json").write_text(json.dumps({"a.jpg": [{"type": "face", "box": [0, 0, 1, 1]}]}))
    (labels / "modern_check.json").write_text(json.dumps({"b.jpg": nobody}))
    (labels / "saleci.json").write_text(json.dumps({"c.jpg": hand}))
    told = {e.path.stem: e for e in read(tmp_path, lines, teachers, labels, SPLIT)}
    assert [told["a"].has(kind) for kind in KINDS] == [None, False]
    assert [told["b"].has(kind) for kind in KINDS] == [False, False]
    assert told["b"].side == "held_out"
    assert [told["c"].has(kind) for kind in KINDS] == [False, True]
    assert told["c"].boxes["person"].tolist() == [[0, 0, 1, 1]]  # a hand is no person: the detector is asked
    assert [told["d"].has(kind) for kind in KINDS] == [True, True]


def test_a_line_of_type_is_found_where_it_is_printed():
    image = Image.new("RGB", (800, 400), "white")
    font = ImageFont.truetype(Path(__file__).parents[1] / "sample_ads/source/fonts/poppins-600.woff2", 60)
    ImageDraw.Draw(image).text((100, 150), "Autumn sale", "black", font=font)
    ink = ImageOps.invert(image.convert("L")).getbbox()
    rows = lines(load_text_reader(threads=1), np.asarray(image), typeset=True)
    assert len(rows) == 1
    corners = np.array(rows[0]["quad"]) * image.size
    assert np.abs(np.concatenate([corners.min(0), corners.max(0)]) - ink).max() < 12
    assert rows[0]["found"] > 0.6
    assert rows[0]["read"] == 0  # surely found in a design: not read
