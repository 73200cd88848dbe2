"""Headline, body and calls to action of whole advertisements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageDraw
from typeset import Typeset, ink, write

from mediaan.aoi.detection.frame_aois import find_areas
from mediaan.aoi.detection.text_areas import find_text
from mediaan.aoi.detection.text_blocks import LINE_ROLES, LineRole, TextLayout, typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.types.aoi import Box, Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import UInt8
from mediaan.vision.text.reader import load_text_reader

SAMPLES = Path(__file__).resolve().parents[2] / "sample_ads" / "ads"
HEADLINE = [Typeset("Wake up to", 60, 60, 64), Typeset("the good life", 60, 130, 64)]
BODY = [Typeset("our coffee comes from small", 60, 330, 18), Typeset("farms high up in the hills", 60, 354, 18)]
SIGN = Typeset("Order now", 90, 450, 26, (255, 255, 255))
ADDRESS = Typeset("www.example.com", 420, 560, 14)


@pytest.fixture(scope="module")
def ad() -> tuple[UInt8, list[TextLine]]:
    image = Image.new("RGB", (600, 600), (250, 246, 240))
    ImageDraw.Draw(image).rounded_rectangle((60, 430, 260, 492), 14, fill=(150, 40, 20))
    lines = write(image, [*HEADLINE, *BODY, SIGN, ADDRESS])
    return np.asarray(image), lines


def texts(rgb: UInt8, lines: Sequence[TextLine], detections: Sequence[Detection]) -> tuple[Candidate, ...]:
    typed = [typeset_line(rgb, line) for line in lines]
    return find_text(rgb, typed, predict_layout(rgb, typed, detections), detections)


def texts_of_roles(
    image: Image.Image,
    lines: Sequence[TextLine],
    roles: Sequence[Mapping[LineRole, float]],
    links: float | np.ndarray = -5.0,
    detections: Sequence[Detection] = (),
) -> tuple[Candidate, ...]:
    """Areas of lines whose roles and links are given; roles that are not are next to impossible."""
    rgb = np.asarray(image)
    typed = [typeset_line(rgb, line) for line in lines]
    chances = np.array([[given.get(role, 0.01) for role in LINE_ROLES] for given in roles])
    return find_text(rgb, typed, TextLayout(chances, np.broadcast_to(links, (len(lines), len(lines)))), detections)


def around(line: TextLine, x: float, y: float) -> Box:
    """A box with a margin around a line, unit coordinates."""
    return Box(line.box.x0 - x, line.box.y0 - y, line.box.x1 + x, line.box.y1 + y)


def by_type(found: tuple[Candidate, ...], kind: str) -> list[Candidate]:
    return [candidate for candidate in found if candidate.type == kind]


def test_a_line_that_asks_to_act_is_no_part_of_the_headline() -> None:
    image = Image.new("RGB", (600, 600), "white")
    lines = write(image, [*HEADLINE, Typeset("Click here", 60, 200, 64)])
    found = texts_of_roles(image, lines, [{"headline_text": 0.9}] * 2 + [{"call_to_action": 0.9}], 5.0)
    (headline,) = by_type(found, "headline_text")
    (call,) = by_type(found, "call_to_action")
    assert headline.text.transcription == "Wake up to\nthe good life"
    assert call.label == "Click here"


def test_what_a_feed_puts_around_an_ad_is_the_platforms() -> None:
    """The page's name is no branding and no headline, its picture no logo; the link's button asks to act."""
    grey = (101, 103, 107)
    image = Image.new("RGB", (600, 860), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.ellipse((20, 16, 68, 64), fill=(30, 90, 60))
    draw.rectangle((0, 150, 600, 600), fill=(205, 170, 120))
    draw.ellipse((180, 250, 420, 490), fill=(120, 40, 30))
    draw.rectangle((0, 600, 600, 710), fill=(240, 242, 245))
    draw.rounded_rectangle((430, 634, 580, 678), 8, fill=(228, 230, 235))
    regular = "poppins-400"
    header = [Typeset("Tallumo", 82, 20, 21), Typeset("Sponsored", 82, 46, 16, grey, regular)]
    message = [
        Typeset("Light that follows your day, from the first", 20, 86, 20, (20, 20, 20), regular),
        Typeset("coffee to the last page of your book.", 20, 114, 20, (20, 20, 20), regular),
    ]
    link = [Typeset("TALLUMO.COM", 20, 618, 15, grey, regular), Typeset("Lamps for slow evenings", 20, 644, 22)]
    button = Typeset("Learn more", 452, 646, 20)
    words = ("Like", "Comment", "Share")
    actions = [Typeset(word, 70 + 190 * i, 800, 18, grey, regular) for i, word in enumerate(words)]
    lines = write(image, [*header, *message, *link, button, *actions])
    avatar = Detection("logo", Box(20 / 600, 16 / 860, 68 / 600, 64 / 860), 0.9)
    detections = [avatar, Detection("button", Box(430 / 600, 634 / 860, 580 / 600, 678 / 860), 0.9)]
    for brand in (None, Brand("Tallumo")):
        found = find_areas(np.asarray(image), lines, detections, brand=brand).areas
        assert by_type(found, "branding") == []
        (call,) = by_type(found, "call_to_action")
        assert call.label == "Learn more"
        platform = [one for one in found if one.label == "platform"]
        for line in lines:
            if line.text in ("Tallumo", "Sponsored", *words):
                assert any(one.box.intersection(line.box) > 0.8 * line.box.area for one in platform), line.text
        (headline,) = by_type(found, "headline_text")
        assert headline.label == "Lamps for slow evenings"


def test_every_part_of_an_ad(ad: tuple[UInt8, list[TextLine]]) -> None:
    rgb, lines = ad
    found = texts(rgb, lines, ())
    (headline,) = by_type(found, "headline_text")
    (body,) = by_type(found, "body_text")
    button, address = by_type(found, "call_to_action")
    assert headline.text.transcription == "Wake up to\nthe good life"
    assert headline.box.iou(ink(lines[:2])) > 0.85
    assert body.box.iou(ink(lines[2:4])) > 0.8
    assert button.box.iou(Box(60 / 600, 430 / 600, 260 / 600, 492 / 600)) > 0.9
    assert (button.method, button.label) == ("wording", "Order now")
    assert address.label == "www.example.com"


def test_what_is_too_unsure_is_proposed(ad: tuple[UInt8, list[TextLine]]) -> None:
    rgb, lines = ad
    unsure = [Box(0.6, y, 0.7, y + 0.1) for y in (0.45, 0.3, 0.6, 0.15, 0.75)]
    same = Box(0.605, 0.45, 0.705, 0.55)
    detections = [
        *(Detection("product", box, 0.15 - 0.01 * i, "bottle") for i, box in enumerate(unsure)),
        Detection("product", same, 0.145),
        Detection("product", Box(0.75, 0.1, 0.95, 0.9), 0.9),
        Detection("product", Box(0.76, 0.1, 0.95, 0.9), 0.12),
        Detection("logo", Box(0.05, 0.9, 0.15, 0.98), 0.2),
        Detection("button", Box(0.4, 0.9, 0.5, 0.95), 0.2),
        Detection("face", Box(0.4, 0.5, 0.5, 0.6), 0.2),
    ]
    found = find_areas(rgb, lines, detections)
    products = by_type(found.proposals, "product")
    assert [one.box for one in products] == unsure[:3], "the surest three, each place once, and none that is an area"
    assert [one.confidence for one in products] == sorted((one.confidence for one in products), reverse=True)
    assert any(one.box == Box(0.05, 0.9, 0.15, 0.98) for one in by_type(found.proposals, "branding"))
    assert [one.box for one in by_type(found.proposals, "call_to_action")] == [Box(0.4, 0.9, 0.5, 0.95)]
    assert {one.type for one in found.proposals} == {"product", "branding", "call_to_action"}
    assert found.areas == find_areas(rgb, lines, detections).areas
    assert [one.box for one in by_type(found.areas, "product")] == [Box(0.75, 0.1, 0.95, 0.9)]


def test_facts_of_the_type(ad: tuple[UInt8, list[TextLine]]) -> None:
    rgb, lines = ad
    found = texts(rgb, lines, ())
    (headline,) = by_type(found, "headline_text")
    assert headline.text.line_height_pct == pytest.approx(100 * 0.92 * 64 / 600, rel=0.1)
    assert headline.text.contrast_ratio == pytest.approx(19.4, rel=0.05)


def test_places_alone_where_nothing_was_read(ad: tuple[UInt8, list[TextLine]]) -> None:
    rgb, lines = ad
    found = texts(rgb, [replace(line, text=None) for line in lines], ())
    (headline,) = by_type(found, "headline_text")
    assert headline.box.iou(ink(lines[:2])) > 0.8
    assert headline.label == ""
    assert headline.text.transcription is None


def test_an_offer_below_a_mark_is_a_text_of_its_own() -> None:
    """The end card of the sample video: a logo is detected that reaches from the name to the offer below it."""
    with av.open(str(SAMPLES.parent / "videos" / "coffee_spot.mp4")) as video:
        frame = next(frame for frame in video.decode(video=0) if (frame.time or 0.0) >= 8.0)
    rgb = frame.to_ndarray(format="rgb24")
    lines = load_text_reader(1).read(rgb)
    logo = Detection("logo", Box(0.3, 0.228, 0.724, 0.546), 0.23)
    found = find_areas(rgb, lines, [logo], brand=Brand("Tolma")).areas
    assert [one.label for one in found if one.type == "branding"] == ["Tolma"]
    said = {one.text.transcription for one in found if one.text}
    assert said == {"20 % off until Sunday", "Order now"}


def test_an_animal_is_an_area_but_no_person(ad: tuple[UInt8, list[TextLine]]) -> None:
    areas = find_areas(ad[0], [], [Detection("animal", Box(0.5, 0.3, 0.9, 0.9), 0.85)]).areas
    assert [(area.type, area.label, area.confidence) for area in areas] == [("other", "animal", 0.85)]


def test_no_text() -> None:
    assert texts(np.zeros((50, 80, 3), np.uint8), (), ()) == ()


def test_upright_text_has_no_outline_and_slanted_text_has_one(ad: tuple[UInt8, list[TextLine]]) -> None:
    rgb, lines = ad
    assert all(candidate.polygon is None for candidate in texts(rgb, lines, ()))
    turned = np.asarray(Image.fromarray(rgb).rotate(15, fillcolor=(250, 246, 240)))
    (headline,) = by_type(texts(turned, load_text_reader(1).read(turned), ()), "headline_text")
    (x0, y0), (x1, y1) = headline.polygon[:2]
    assert np.degrees(np.arctan2(y0 - y1, x1 - x0)) == pytest.approx(15, abs=2)


@pytest.mark.parametrize(("badge", "calls"), [("-35 %", 0), ("€ 2.49", 0), ("Buy", 1)])
def test_a_badge_with_a_figure_asks_for_nothing(badge: str, calls: int) -> None:
    """The detector takes the badge for a button, and the network its line for a call to action."""
    image = Image.new("RGB", (600, 400), "white")
    lines = write(image, [*HEADLINE, Typeset(badge, 420, 300, 30)])
    button = Detection("button", around(lines[2], 0.02, 0.02), 0.9)
    found = texts_of_roles(image, lines, [{}, {}, {"call_to_action": 0.9}], detections=[button])
    assert len(by_type(found, "call_to_action")) == calls


@pytest.mark.parametrize(
    ("role", "confidence", "calls"),
    [("body_text", 0.9, 1), ("body_text", 0.6, 0), ("offer", 0.9, 1), ("platform", 0.9, 1)],
)
def test_a_button_of_which_the_detector_is_sure_asks_whatever_its_word(
    role: LineRole, confidence: float, calls: int
) -> None:
    image = Image.new("RGB", (600, 400), "white")
    lines = write(image, [*HEADLINE, Typeset("Reschedule", 400, 300, 24)])
    button = Detection("button", around(lines[2], 0.03, 0.02), confidence)
    found = texts_of_roles(image, lines, [{"headline_text": 0.95}] * 2 + [{role: 0.95}], detections=[button])
    assert [call.box for call in by_type(found, "call_to_action")] == [button.box] * calls


@pytest.mark.parametrize(("chance", "confidences"), [(0.10, []), (0.30, [0.6]), (0.90, [0.9])])
def test_a_call_on_a_button_is_as_sure_as_the_surer_of_button_and_words(
    chance: float, confidences: list[float]
) -> None:
    """A badge that the detector half takes for a button is none if its words hardly ask."""
    image = Image.new("RGB", (600, 400), "white")
    lines = write(image, [*HEADLINE, Typeset("3.1 % a year", 400, 300, 24)])
    button = Detection("button", around(lines[2], 0.03, 0.02), 0.6)
    roles = [*[{"headline_text": 0.95}] * 2, {"call_to_action": chance, "offer": 0.95 - chance}]
    found = texts_of_roles(image, lines, roles, detections=[button])
    assert [call.confidence for call in by_type(found, "call_to_action")] == pytest.approx(confidences)


@pytest.mark.parametrize(("words", "rows"), [(("'28", "'30"), 0), (("Home", "2"), 1)])
def test_figures_alone_are_no_interface(words: tuple[str, str], rows: int) -> None:
    """Labels of a chart look like the entries of a menu."""
    image = Image.new("RGB", (600, 400), "white")
    lines = write(image, [Typeset(word, 60 + 200 * i, 300, 20) for i, word in enumerate(words)])
    found = texts_of_roles(image, lines, [{"platform": 0.95}] * 2)
    assert [area.label for area in found] == ["platform"] * rows


def test_the_logo_in_a_menu_is_no_part_of_it() -> None:
    image = Image.new("RGB", (600, 400), "white")
    lines = write(image, [Typeset(word, 40 + 180 * i, 40, 20) for i, word in enumerate(("Acme", "Shop", "Stories"))])
    (menu,) = texts_of_roles(image, lines, [{"branding": 0.95}, *[{"platform": 0.95}] * 2], 5.0)
    assert menu.box.x0 > lines[0].box.x1


@pytest.mark.parametrize(("detected", "products"), [("price", 0), ("photo", 1)])
def test_the_badge_of_an_offer_is_no_product(detected: str, products: int) -> None:
    image = Image.new("RGB", (600, 600), (20, 20, 60))
    noise = np.random.default_rng(0).integers(0, 255, (200, 200, 3), np.uint8)
    image.paste(Image.fromarray(noise), (340, 60))
    ImageDraw.Draw(image).rounded_rectangle((60, 60, 180, 130), 10, fill=(250, 220, 60))
    lines = write(image, [Typeset("€ 2.49", 80, 80, 26), Typeset("Tickets at the door", 100, 400, 40, (240, 240, 240))])
    box = {"price": Box(0.1, 0.1, 0.3, 0.217), "photo": Box(0.55, 0.08, 0.92, 0.45)}[detected]
    found = find_areas(np.asarray(image), lines, [Detection("product", box, 0.95)]).areas
    assert len(by_type(found, "product")) == products


def offer_in(image: Image.Image, lines: list[TextLine]) -> Candidate:
    (offer,) = texts_of_roles(image, lines, [{"offer": 0.95}])
    assert (offer.type, offer.label) == ("other", "offer")
    return offer


def test_an_offer_on_a_badge_is_as_large_as_the_badge() -> None:
    price = Typeset("$25", 252, 176, 56, (255, 255, 255))
    disc, panel = (Image.new("RGB", (600, 400), (230, 210, 190)) for _ in range(2))
    ImageDraw.Draw(disc).ellipse((224, 124, 376, 276), fill=(20, 60, 130))
    ImageDraw.Draw(panel).rectangle((40, 30, 560, 380), fill=(20, 60, 130))
    badge = Box(224 / 600, 124 / 400, 377 / 600, 277 / 400)
    assert offer_in(disc, write(disc, [price])).box.iou(badge) > 0.95
    assert offer_in(panel, write(panel, [price])).box.area < 0.03
    slanted = disc.rotate(15, fillcolor=(230, 210, 190))
    offer = offer_in(slanted, list(load_text_reader(1).read(np.asarray(slanted))))
    assert offer.box.iou(badge) > 0.9
    assert offer.polygon is None, "the outline of the letters is not that of the badge"


def test_boxes_stay_inside_the_picture() -> None:
    image = Image.new("RGB", (400, 200), "white")
    (line,) = write(image, [Typeset("Cut off at the edge", -20, -8, 60)])
    for candidate in texts(np.asarray(image), [line], ()):
        assert 0 <= candidate.box.x0 < candidate.box.x1 <= 1
        assert 0 <= candidate.box.y0 < candidate.box.y1 <= 1


@pytest.mark.parametrize(
    ("name", "headline", "call"),
    [
        ("rocket_skyscraper.jpg", "SIT WHERE IT SHAKES", "Pick a launch"),
        ("serum_square.jpg", "Night does the work.", "Try it for 30 nights"),
        ("observatory_poster.jpg", "TEN THOUSAND SUNS", None),
        ("coffee_leaderboard.jpg", "Roasted Monday, here Friday", "Taste a bag"),
        ("spa_low_contrast.jpg", "Two days of nothing at all,…", None),
    ],
)
def test_sample_ads(name: str, headline: str, call: str | None) -> None:
    image = Image.open(SAMPLES / name).convert("RGB")
    image.thumbnail((1024, 1024))
    rgb = np.asarray(image)
    found = texts(rgb, load_text_reader(1).read(rgb), ())
    assert [c.label for c in by_type(found, "headline_text")] == [headline]
    assert call is None or call in [c.label for c in by_type(found, "call_to_action")]


def test_a_lone_glyph_is_no_body_text(ad: tuple[UInt8, list[TextLine]]) -> None:
    rgb, lines = ad
    image = Image.fromarray(rgb)
    glyph = write(image, [Typeset("O", 500, 330, 18)])
    found = texts(np.asarray(image), [*lines, *glyph], ())
    assert [body.text.transcription for body in by_type(found, "body_text") if body.text] == [
        "our coffee comes from small\nfarms high up in the hills"
    ]
