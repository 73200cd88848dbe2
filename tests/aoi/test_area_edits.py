"""Edits of pictures against the truth: the picture as it would have been drawn in the first place."""

from __future__ import annotations

from uuid import UUID

import cv2
import numpy as np
import pytest

from mediaan.aoi.editing import (
    MIN_EVENNESS,
    AnnotatedImage,
    apply_edit,
    border_width_px,
    covered_share,
    dilate,
    inpaint_membrane,
)
from mediaan.aoi.region import PixelBox
from mediaan.errors import UsageError
from mediaan.metrics.features import colourfulness
from mediaan.types.aoi import Aoi, AoiType, Box, TextFacts
from mediaan.types.arrays import UInt8
from mediaan.types.edits import Edit

HEIGHT, WIDTH = 120, 200
GROUND, RED = (200.0, 205.0, 210.0), (220.0, 30.0, 40.0)
DISC = Aoi(UUID(int=1), "product", "disc", Box(0.2, 0.25, 0.4, 7 / 12), None, "drawn")  # px 40..80, 30..70


def disc(centre: tuple[float, float], radius: float, ground: object = GROUND, colour: object = RED) -> UInt8:
    """A disc with smooth edges, each pixel covered by its share (from 8 x 8 samples)."""
    y, x = (np.mgrid[: HEIGHT * 8, : WIDTH * 8] + 0.5) / 8
    inside = (x - centre[0]) ** 2 + (y - centre[1]) ** 2 <= radius**2
    share = inside.reshape(HEIGHT, 8, WIDTH, 8).mean(axis=(1, 3))[..., None]
    rgb: UInt8 = np.round(share * np.asarray(colour) + (1 - share) * np.asarray(ground)).astype(np.uint8)
    return rgb


def plain(colour: object = GROUND) -> UInt8:
    rgb: UInt8 = np.broadcast_to(np.asarray(colour), (HEIGHT, WIDTH, 3)).astype(np.uint8)
    return rgb


def ramp() -> UInt8:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    return np.stack([60 + x * 0.6, 90 + y * 0.8, 220 - x * 0.4 - y * 0.5], axis=2).round().astype(np.uint8)


def noise(seed: int = 0) -> UInt8:
    return np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH, 3)).astype(np.uint8)


def scene(rgb: UInt8, *others: Aoi) -> AnnotatedImage:
    return AnnotatedImage(rgb, (DISC, *others))


def difference(a: UInt8, b: UInt8) -> int:
    return int(np.abs(a.astype(int) - b.astype(int)).max())


def test_a_removed_disc_leaves_the_ramp_that_it_lay_on() -> None:
    edited = apply_edit(scene(disc((60, 50), 18, ramp())), Edit("remove", "disc"), DISC.aoi_id)
    assert difference(edited.rgb, ramp()) <= 1


def test_a_neighbour_at_the_border_does_not_run_into_the_hole() -> None:
    """A black bar touches the hole on one side: on an even ground the hole gets the ground alone."""
    rgb, truth = disc((60, 50), 18), plain()
    rgb[:, 82:95] = truth[:, 82:95] = 0
    edited = apply_edit(scene(rgb), Edit("remove", "disc"), DISC.aoi_id)
    assert difference(edited.rgb, truth) == 0


def test_a_hole_in_an_uneven_ground_is_filled_by_the_harmonic_surface() -> None:
    """x² - y² solves Laplace's equation, so it is what its own border says."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    saddle = 128 + 120 * (((x - 60) / 40.0) ** 2 - ((y - 50) / 40.0) ** 2)
    truth = np.repeat(np.clip(saddle, 0, 255).round().astype(np.uint8)[..., None], 3, axis=2)
    hole = np.zeros((HEIGHT, WIDTH), np.bool_)
    hole[32:68, 42:78] = True
    broken = truth.copy()
    broken[hole] = 255
    filled = inpaint_membrane(broken, hole)
    assert filled.evenness < MIN_EVENNESS
    assert difference(filled.rgb, truth) <= 6  # of 255, at an amplitude of 100
    assert np.abs(filled.rgb.astype(float) - truth)[hole].mean() < 2


@pytest.mark.parametrize("hole", [np.s_[40:60, 50:80], np.s_[:9, :11], np.s_[95:, 110:], np.s_[:, 30:50], np.s_[:0]])
def test_what_lies_further_from_a_hole_than_its_border_does_not_matter(hole: tuple[slice, ...]) -> None:
    mask = np.zeros((HEIGHT, WIDTH), np.bool_)
    mask[hole] = True
    near = dilate(mask, border_width_px(ramp()))
    strange = np.where(near[..., None], ramp(), noise()).astype(np.uint8)
    filled = inpaint_membrane(strange, mask).rgb
    assert (filled[near] == inpaint_membrane(ramp(), mask).rgb[near]).all()
    assert (filled[~near] == strange[~near]).all()


def test_a_hole_as_large_as_the_picture_is_defined() -> None:
    filled = inpaint_membrane(noise(), np.ones((HEIGHT, WIDTH), np.bool_))
    assert filled.rgb.std(axis=(0, 1)).max() == 0
    assert filled.evenness == 0


def test_a_moved_disc_is_the_disc_drawn_elsewhere() -> None:
    edited = apply_edit(scene(disc((60, 50), 18)), Edit("move", "disc", to=(0.7, 0.6)), DISC.aoi_id)
    assert difference(edited.rgb, disc((140, 72), 18)) <= 1
    assert edited.aois[0].box == pytest.approx((0.6, 52 / 120, 0.8, 92 / 120))


def test_a_disc_moved_onto_another_ground_takes_no_fringe_of_the_old_one_along() -> None:
    """White on black, moved over to grey: nothing there may be darker than the grey."""

    def two_grounds(centre: tuple[float, float]) -> UInt8:
        ground = np.zeros((HEIGHT, WIDTH, 3))
        ground[:, 100:] = 128
        return disc(centre, 18, ground, (255.0, 255.0, 255.0))

    edited = apply_edit(scene(two_grounds((60, 50))), Edit("move", "disc", to=(0.75, 0.5)), DISC.aoi_id)
    assert edited.rgb[:, 105:].min() >= 127
    assert difference(edited.rgb, two_grounds((150, 60))) <= 3


@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_a_scaled_disc_is_a_disc_of_that_size(factor: float) -> None:
    edited = apply_edit(scene(disc((60, 50), 18)), Edit("scale", "disc", factor=factor), DISC.aoi_id)
    truth = disc((60, 50), 18 * factor)
    share = (edited.rgb[..., 1] < 118).sum() / (truth[..., 1] < 118).sum()
    assert share == pytest.approx(1, abs=0.04)
    assert np.abs(edited.rgb.astype(float) - truth).mean() < 0.7
    box = edited.aois[0].box
    assert (box.width, box.height) == pytest.approx((DISC.box.width * factor, DISC.box.height * factor))
    assert box.centre == pytest.approx(DISC.box.centre, abs=1 / HEIGHT)


@pytest.mark.parametrize("edit", [Edit("scale", "disc", factor=1.0), Edit("move", "disc", to=DISC.box.centre)])
@pytest.mark.parametrize("rgb", [disc((60, 50), 18), noise()], ids=["plain", "noise"])
def test_an_edit_that_changes_nothing_changes_no_pixel(edit: Edit, rgb: UInt8) -> None:
    edited = apply_edit(scene(rgb), edit, DISC.aoi_id)
    assert difference(edited.rgb, rgb) == 0
    assert edited.aois == (DISC,)


@pytest.mark.parametrize(
    "edit", [Edit("remove", "d"), Edit("grey", "d"), Edit("blur", "d"), Edit("scale", "d", factor=0.8)], ids=str
)
def test_nothing_changes_beyond_the_area_and_its_border(edit: Edit) -> None:
    rgb = noise()
    edited = apply_edit(scene(rgb), edit, DISC.aoi_id).rgb
    outside = np.ones((HEIGHT, WIDTH), np.bool_)
    outside[30 - 2 : 70 + 2, 40 - 2 : 80 + 2] = False
    assert (edited[outside] == rgb[outside]).all()
    assert (edited[~outside] != rgb[~outside]).any()


def test_grey_keeps_luminance_and_takes_colourfulness() -> None:
    """Luminance by the formula of WCAG 2.2, written out again."""
    rgb = noise()
    rgb[30:70, 40:80] = (
        rgb[30:70, 40:80].reshape(4, 10, 4, 10, 3)[:, :1, :, :1].repeat(10, 1).repeat(10, 3).reshape(40, 40, 3)
    )
    edited = apply_edit(scene(rgb), Edit("grey", "disc"), DISC.aoi_id).rgb
    inner = slice(34, 66), slice(44, 76)

    def luminance(part: UInt8) -> np.ndarray:
        c = part / 255
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)

    assert (edited[inner] == edited[inner][..., :1]).all()
    np.testing.assert_allclose(luminance(edited[inner]), luminance(rgb[inner]), atol=0.005)
    assert colourfulness(np.ascontiguousarray(edited[inner])) == pytest.approx(0, abs=1e-3)
    assert colourfulness(edited) < colourfulness(rgb)


def test_blur_takes_detail_and_leaves_the_mean() -> None:
    rgb = noise()
    edited = apply_edit(scene(rgb), Edit("blur", "disc"), DISC.aoi_id).rgb
    inner = slice(40, 60), slice(50, 70)
    assert edited[inner].std() < rgb[inner].std() / 5
    assert edited[inner].mean() == pytest.approx(rgb[inner].mean(), abs=6)


def aoi(number: int, box: Box, kind: AoiType = "other", **more: object) -> Aoi:
    return Aoi(UUID(int=number), kind, str(number), box, None, "drawn", **more)  # type: ignore[arg-type]


def test_what_lies_inside_goes_along_and_what_lies_beside_stays() -> None:
    inside, beside, around = (
        aoi(2, Box(0.25, 0.3, 0.3, 0.4), "face"), aoi(3, Box(0.6, 0.6, 0.9, 0.9)), aoi(4, Box(0, 0, 1, 1)),
    )  # fmt: skip
    start = scene(disc((60, 50), 18), inside, beside, around)
    moved = apply_edit(start, Edit("move", "disc", to=(0.4, 5 / 12)), DISC.aoi_id)
    assert moved.aoi(inside.aoi_id).box == pytest.approx((0.35, 0.3, 0.4, 0.4))
    assert moved.aoi(beside.aoi_id) is beside
    assert moved.aoi(around.aoi_id) is around
    removed = apply_edit(start, Edit("remove", "disc"), DISC.aoi_id)
    assert removed.aois == (beside, around)


def test_a_polygon_is_cut_along_its_edges_and_follows() -> None:
    """A triangle in noise: half of its box belongs to the picture and stays."""
    triangle = aoi(5, Box(0.2, 0.25, 0.4, 7 / 12), polygon=((0.2, 0.25), (0.4, 0.25), (0.2, 7 / 12)))
    rgb = noise(1)
    edited = apply_edit(AnnotatedImage(rgb, (triangle,)), Edit("move", "5", to=(0.8, 0.5)), triangle.aoi_id)
    (after,) = edited.aois
    assert after.polygon is not None
    np.testing.assert_allclose(np.array(after.polygon) - triangle.polygon, [[0.5, 10 / 120]] * 3, atol=1e-9)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    stays = (x >= 40) & (x < 80) & (y >= 30) & (y < 70) & ((x - 40) + (y - 30) > 46)
    assert (edited.rgb[stays] == rgb[stays]).all()
    deep = (slice(34, 40), slice(44, 50))
    assert (edited.rgb[44:50, 144:150] == rgb[deep]).all()


def test_scaled_text_has_larger_letters_and_unknown_legibility() -> None:
    text = aoi(6, Box(0.2, 0.3, 0.4, 0.4), "headline_text", text=TextFacts("Hi", 10.0, 7.0, True))
    start = AnnotatedImage(plain(), (text,))
    (larger,) = apply_edit(start, Edit("scale", "6", factor=2), text.aoi_id).aois
    assert larger.text == TextFacts("Hi", pytest.approx(20.0), 7.0, None)
    (moved,) = apply_edit(start, Edit("move", "6", to=(0.5, 0.5)), text.aoi_id).aois
    assert moved.text == text.text


@pytest.mark.parametrize("to", [(0, 0), (1, 1), (0, 1)])
def test_what_would_stick_out_is_shifted_back(to: tuple[float, float]) -> None:
    edited = apply_edit(scene(disc((60, 50), 18)), Edit("move", "disc", to=to), DISC.aoi_id)
    x, y = 20 + 160 * to[0], 20 + 80 * to[1]
    assert difference(edited.rgb, disc((x, y), 18)) <= 1
    box = edited.aois[0].box
    assert box == pytest.approx(((x - 20) / 200, (y - 20) / 120, (x + 20) / 200, (y + 20) / 120))


def test_edits_that_cannot_be_carried_out() -> None:
    start = scene(disc((60, 50), 18))
    with pytest.raises(UsageError, match="larger than the image; at most 3 fits"):
        apply_edit(start, Edit("scale", "disc", factor=4), DISC.aoi_id)
    gone = apply_edit(start, Edit("remove", "disc"), DISC.aoi_id)
    with pytest.raises(UsageError, match="removed by an earlier edit"):
        apply_edit(gone, Edit("grey", "disc"), DISC.aoi_id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "delete"},
        {"action": "scale"},
        {"action": "scale", "factor": 0},
        {"action": "scale", "factor": float("nan")},
        {"action": "move"},
        {"action": "move", "to": (0.5, 1.2)},
        {"action": "grey", "factor": 2.0},
        {"action": "remove", "to": (0.5, 0.5)},
    ],
    ids=str,
)
def test_edits_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Edit(aoi="disc", **wrong)  # type: ignore[arg-type]


def test_the_order_of_edits_matters() -> None:
    """Moved onto the bar and removed, the disc takes that part of the bar with it; removed alone, it does not."""
    rgb = disc((60, 50), 18)
    rgb[:, 120:160] = 0
    moved = apply_edit(scene(rgb), Edit("move", "disc", to=(0.7, 5 / 12)), DISC.aoi_id)
    after = apply_edit(moved, Edit("remove", "disc"), DISC.aoi_id)
    alone = apply_edit(scene(rgb), Edit("remove", "disc"), DISC.aoi_id)
    assert (alone.rgb[:, 120:160] == 0).all()
    assert difference(after.rgb[:, :100], alone.rgb[:, :100]) == 0
    assert after.rgb[50, 140].min() > 30


@pytest.mark.parametrize(
    ("box", "window"),
    [
        (Box(0, 0, 1, 1), (0, 0, 200, 120)),
        (Box(0.2, 0.25, 0.4, 7 / 12), (40, 30, 80, 70)),
        (Box(0.201, 0.25, 0.399, 0.26), (40, 30, 80, 32)),
        (Box(1.0, 1.0, 1.0, 1.0), (199, 119, 200, 120)),
    ],
)
def test_the_pixels_of_a_box(box: Box, window: tuple[int, int, int, int]) -> None:
    assert tuple(PixelBox.touched(box, plain().shape[1], plain().shape[0])) == window


def test_what_covers_what() -> None:
    assert covered_share(aoi(1, Box(0, 0, 0.5, 0.5)), by=aoi(2, Box(0.25, 0, 1, 1))) == 0.5
    assert covered_share(aoi(1, Box(0, 0, 0.5, 0.5)), by=aoi(2, Box(0.5, 0, 1, 1))) == 0


def lightness(rgb: UInt8) -> np.ndarray:
    return np.asarray(cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)[..., 0])


@pytest.mark.parametrize("factor", [0.5, 1.5, 2.0])
def test_contrast_multiplies_the_difference_in_lightness_from_the_ground(factor: float) -> None:
    before = scene(disc((60, 50), 18, colour=(170.0, 175.0, 180.0)))
    after = apply_edit(before, Edit("contrast", "disc", factor=factor), DISC.aoi_id).rgb
    ground = lightness(plain())[50, 60]
    was, now = lightness(before.rgb)[50, 60] - ground, lightness(after)[50, 60] - ground
    assert now == pytest.approx(factor * was, abs=0.5)
    outside = np.ones((HEIGHT, WIDTH), np.bool_)
    outside[30:70, 40:80] = False
    assert (after[outside] == before.rgb[outside]).all()


def test_contrast_ends_at_black() -> None:
    before = scene(disc((60, 50), 18, colour=(60.0, 60.0, 60.0)))
    after = apply_edit(before, Edit("contrast", "disc", factor=10.0), DISC.aoi_id).rgb
    assert (after[50, 60] == 0).all()
