"""Branding of a frame: the name, the logo and what belongs to them are one mark; other text is none."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from own_marks import UInt8, saved, shown, star

from mediaan.aoi.detection.branding import LEAST_CONFIDENCE, MOST, find_branding, mark_candidates
from mediaan.aoi.detection.picture_matcher import PictureMatch, PictureMatcher
from mediaan.aoi.detection.text_blocks import LINE_ROLES, typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.types.aoi import Box, Brand, Candidate, Detection, TextLine

WIDTH, HEIGHT = 800, 600


class Ad:
    """A picture with text set by hand, and the lines that a perfect reader finds in it."""

    def __init__(self, ground: int = 240) -> None:
        self.rgb: UInt8 = np.full((HEIGHT, WIDTH, 3), ground, np.uint8)
        self.lines: list[TextLine] = []

    def write(self, text: str, x: int, y: int, height: int, colour: tuple[int, int, int] = (30, 30, 30)) -> Box:
        scale = height / 22
        thick = max(1, height // 9)
        (w, h), low = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, thick)
        cv2.putText(self.rgb, text, (x, y + h), cv2.FONT_HERSHEY_DUPLEX, scale, colour, thick, cv2.LINE_AA)
        x0, y0, x1, y1 = x / WIDTH, y / HEIGHT, (x + w) / WIDTH, (y + h + low * (not text.isupper())) / HEIGHT
        margin = 0.12 * (y1 - y0)
        y0, y1 = y0 - margin, y1 + margin
        self.lines.append(TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, 0.98))
        return Box(x0, y0, x1, y1)


def branding(
    ad: Ad, brand: Brand | None = None, logos: Sequence[PictureMatch] = (), detections: tuple[Detection, ...] = ()
) -> tuple[Candidate, ...]:
    lines = tuple(typeset_line(ad.rgb, line) for line in ad.lines)
    return find_branding(ad.rgb, lines, predict_layout(ad.rgb, lines, detections).roles, detections, brand, logos)


@pytest.fixture
def ad() -> Ad:
    ad = Ad()
    ad.write("A cup that wakes the morning", 60, 60, 34)
    for i, text in enumerate(
        ("Slowly roasted beans from small farms", "ground the moment that you press the", "button and never before.")
    ):
        ad.write(text, 60, 160 + 34 * i, 15)
    return ad


def test_the_name_of_the_brand_is_found_with_its_box(ad: Ad) -> None:
    mark = ad.write("KALVO", 600, 520, 32)
    (first, *rest) = branding(ad, Brand("Kalvo"))
    assert (first.type, first.method, first.label) == ("branding", "brand_name", "Kalvo")
    assert first.box.iou(mark) > 0.5
    assert first.confidence > 0.7
    assert all(other.confidence < first.confidence for other in rest)


def test_a_logo_and_the_name_beside_it_are_one(ad: Ad, tmp_path: Path) -> None:
    logo = saved(star(), tmp_path / "star.png")
    ad.rgb, emblem = shown(ad.rgb, star(), 480, 470, 110)
    word = ad.write("KALVO", 600, 510, 32)
    (first, *rest) = branding(ad, Brand("Kalvo", (), (logo,)), PictureMatcher([logo]).find(ad.rgb))
    assert first.method == "logo_picture"
    assert first.box.iou(Box.around((Box(*emblem), word))) > 0.8
    assert not any(other.box.intersection(first.box) > 0.4 * other.box.area for other in rest)


def test_a_logo_alone_keeps_its_outline(ad: Ad, tmp_path: Path) -> None:
    logo = saved(star(), tmp_path / "star.png")
    ad.rgb, place = shown(ad.rgb, star(), 560, 380, 160, turn=15)
    (first, *_) = branding(ad, Brand("Kalvo", (), (logo,)), PictureMatcher([logo]).find(ad.rgb))
    assert first.method == "logo_picture"
    assert first.box.iou(Box(*place)) > 0.6
    assert first.polygon is not None
    assert len(first.polygon) == 4


def test_the_image_of_a_logo_says_where_it_ends(ad: Ad) -> None:
    word = ad.write("KALVO", 600, 510, 32)
    around = Detection("logo", Box(word.x0 - 0.04, word.y0 - 0.01, word.x1 + 0.03, word.y1 + 0.02), 0.8)
    match = PictureMatch(Path("logo.png"), "logo", word, (), 0.9)
    (first, *rest) = branding(ad, Brand("Kalvo"), [match], (around,))
    assert (first.box, rest) == (word, [])
    part = Box(word.x0, word.y0, word.x0 + 0.3 * word.width, word.y1)
    (first, *rest) = branding(ad, Brand("Kalvo"), [replace(match, box=part)], (around,))
    assert first.box.iou(around.box) > 0.9, "it is but a part of the mark"
    assert rest == []


def test_without_a_brand_a_detected_logo_is_a_mark_and_says_what_is_read_in_it(ad: Ad) -> None:
    mark = ad.write("KALVO", 600, 520, 34)
    found = branding(ad, detections=(Detection("logo", mark, 0.8),))
    assert [(one.method, one.label) for one in found] == [("detector", "KALVO")]
    assert found[0].box == mark
    assert branding(ad, detections=(Detection("logo", Box(0.7, 0.1, 0.8, 0.2), 0.06),)) == ()


def test_running_text_and_prices_are_no_marks(ad: Ad) -> None:
    ad.write("only 4.99", 60, 500, 15)
    assert branding(ad) == ()


def test_a_name_in_running_text_is_no_mark(ad: Ad) -> None:
    ad.write("With Kalvo beans the day begins well", 60, 420, 15)
    assert branding(ad, Brand("Kalvo")) == ()
    ad.write("KALVO", 600, 520, 32)
    assert [mark.label for mark in branding(ad, Brand("Kalvo"))] == ["Kalvo"]


def test_marks_of_others_are_not_the_brands(ad: Ad) -> None:
    other = ad.write("ZEPHYR", 600, 520, 34)
    seen = (Detection("logo", other, 0.95),)
    assert [mark.label for mark in branding(ad, detections=seen)] == ["ZEPHYR"]
    assert branding(ad, Brand("Kalvo"), detections=seen) == ()


def test_name_and_picture_of_the_page_above_a_post_are_no_marks(ad: Ad) -> None:
    ad.write("KALVO", 600, 520, 32)
    lines = tuple(typeset_line(ad.rgb, line) for line in ad.lines)
    roles = np.full((len(lines), len(LINE_ROLES)), 0.02)
    for role, count in (("branding", 1), ("platform", 0)):
        roles[:, LINE_ROLES.index("branding")] = roles[:, LINE_ROLES.index("platform")] = 0.02
        roles[-1, LINE_ROLES.index(role)] = 0.9  # type: ignore[arg-type]
        assert len(find_branding(ad.rgb, lines, roles, (), Brand("Kalvo"))) == count
        avatar = Detection("logo", Box(540 / WIDTH, 505 / HEIGHT, 590 / WIDTH, 560 / HEIGHT), 0.97)
        assert sum(mark.box == avatar.box for mark in find_branding(ad.rgb, lines, roles, [avatar])) == count


def test_a_mark_beside_a_likelier_one_is_less_sure(ad: Ad) -> None:
    first, second = (Detection("logo", Box(x, 0.8, x + 0.1, 0.92), sure) for x, sure in ((0.1, 0.6), (0.8, 0.9)))
    alone, beside = (
        {mark.box.x0: mark.confidence for mark in mark_candidates((), np.zeros((0, 7)), logos)}
        for logos in ((first,), (first, second))
    )
    assert beside[first.box.x0] < alone[first.box.x0]


def test_a_mark_that_was_misread_is_read_again_enlarged(ad: Ad) -> None:
    mark = ad.write("TRIVELLON", 600, 520, 34)
    misread = replace(ad.lines[-1], text="RIVFIIUX")
    ad.lines[-1] = misread
    seen = []

    def read(rgb: UInt8) -> tuple[TextLine, ...]:
        seen.append(rgb.shape[:2])
        return (TextLine(((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)), "TRIVELLON", 0.98),)

    lines = tuple(typeset_line(ad.rgb, line) for line in ad.lines)
    logo = (Detection("logo", mark, 0.6),)
    roles = predict_layout(ad.rgb, lines, logo).roles
    assert find_branding(ad.rgb, lines, roles, logo, Brand("Trivellon")) == ()
    (found,) = find_branding(ad.rgb, lines, roles, logo, Brand("Trivellon"), (), read)
    assert (found.label, found.box) == ("Trivellon", mark)
    assert all(max(size) > 1.3 * mark.width * WIDTH for size in seen)
    # another company's mark stays another's, and what was read at once is not read again
    assert find_branding(ad.rgb, lines, roles, logo, Brand("Kalvo"), (), read) == ()
    seen.clear()
    ad.lines[-1] = replace(misread, text="TRIVELLON")
    lines = tuple(typeset_line(ad.rgb, line) for line in ad.lines)
    assert len(find_branding(ad.rgb, lines, roles, logo, Brand("Trivellon"), (), read)) == 1
    assert seen == []


def test_results_are_few_sure_enough_and_apart(ad: Ad) -> None:
    marks = [ad.write("MARK" + "ABCDEFGHIJ"[i], 40 + 150 * (i % 5), 330 + 90 * (i // 5), 24) for i in range(10)]
    found = branding(ad, detections=tuple(Detection("logo", mark, 0.9) for mark in marks + marks))
    assert len(found) == MOST
    assert all(LEAST_CONFIDENCE <= mark.confidence <= 1 for mark in found)
    assert list(found) == sorted(found, key=lambda m: -m.confidence)
    assert all(a is b or a.box.intersection(b.box) <= 0.4 * min(a.box.area, b.box.area) for a in found for b in found)


def test_an_empty_picture_has_no_branding() -> None:
    blank = Ad(200)
    assert branding(blank) == ()
    assert branding(blank, Brand("Kalvo")) == ()
    assert branding(blank, detections=(Detection("face", Box(0, 0, 1, 1), 0.9),)) == ()
