"""What rendered maps promise: a fixed scale, symmetry, and attention where the density has it."""

import cv2
import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.maps.catalogue import MAPS, default_map_names, image_map_names
from mediaan.maps.encode import encode_image
from mediaan.maps.heatmap import (
    MAX_OPACITY,
    Legend,
    draw_legend,
    fog_image,
    fog_map,
    heatmap,
    mute_colours,
    render_maps,
    visibility,
)
from mediaan.maps.levels import ATTENTION, Scale, attention_levels, colour_table
from mediaan.types.densities import Densities

SIZES = [(1, 1), (1, 300), (300, 1), (2, 3), (20, 30), (96, 768), (768, 96), (333, 500)]


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, (height, width, 3), dtype=np.uint8)


def spots(height: int = 72, width: int = 96, *centres: tuple[float, float, float]) -> np.ndarray:
    """Gaussians of σ = 0.06 of the long side at (x, y, weight) over a low floor, normalised."""
    y, x = np.mgrid[:height, :width]
    density = np.full((height, width), 1e-3)
    for cx, cy, weight in centres:
        squared = (x + 0.5 - cx * width) ** 2 + (y + 0.5 - cy * height) ** 2
        density += weight * np.exp(-squared / (2 * (0.06 * max(height, width)) ** 2))
    return (density / density.sum()).astype(np.float32)


TWO = spots(72, 96, (0.25, 0.3, 1.0), (0.8, 0.7, 0.5))
FLAT = np.full((72, 96), 1 / (72 * 96), np.float32)


def test_scale_places_by_hand_worked_values() -> None:
    np.testing.assert_allclose(ATTENTION.place(np.array([0.1, 1, 2, 4, 8, 16, 90])), [0, 0, 0.25, 0.5, 0.75, 1, 1])
    np.testing.assert_allclose(Scale(10, 30, ()).place(np.array([0.0, 10, 15, 40])), [0, 0, 0.25, 1])
    np.testing.assert_allclose(ATTENTION.value(np.array([0.0, 0.5, 1.0])), [1, 4, 16])


@pytest.mark.parametrize(("low", "high", "log"), [(1.0, 1.0, False), (2.0, 1.0, False), (0.0, 1.0, True)])
def test_scale_refuses_an_empty_range(low: float, high: float, log: bool) -> None:
    with pytest.raises(ValueError, match="low < high"):
        Scale(low, high, (), logarithmic=log)


def test_even_attention_leaves_every_pixel_its_muted_colour_and_hides_nothing() -> None:
    rgb = noise(120, 160)
    np.testing.assert_array_equal(heatmap(rgb, FLAT, legend=False), mute_colours(rgb))
    np.testing.assert_array_equal(fog_map(rgb, FLAT, legend=False), rgb)


def local_map(rgb: np.ndarray, values: np.ndarray) -> np.ndarray:
    (drawn,) = render_maps(rgb, Densities({}), {"clarity_heat": values}, ["clarity_heat"], legend=False).values()
    return drawn


def test_an_even_local_driver_tints_a_plain_picture_evenly() -> None:
    grey = np.full((90, 120, 3), 128, np.uint8)
    drawn = local_map(grey, np.full((9, 12), 0.7, np.float32))
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) == 1
    assert (drawn != mute_colours(grey)).any()


def test_a_local_driver_of_zero_shows_the_picture() -> None:
    rgb = noise(50, 40)
    np.testing.assert_array_equal(local_map(rgb, np.zeros((9, 12), np.float32)), mute_colours(rgb))


def test_heat_has_the_colour_that_the_scale_states() -> None:
    """On black only colour times opacity is left; the halves have 1.75x and 0.25x the average, the scale's ends."""
    density = np.array([[7.0, 1.0]], np.float32) / 8
    drawn = heatmap(np.zeros((40, 400, 3), np.uint8), density, scale=Scale(0.25, 1.75, ()), legend=False)
    top = colour_table("ember")[255].astype(float)
    np.testing.assert_allclose(drawn[20, 1], MAX_OPACITY * top, atol=4)
    np.testing.assert_array_equal(drawn[20, 398], 0)


def test_the_same_relative_density_has_the_same_colour_in_different_pictures() -> None:
    """A plateau of 4x over a quarter of one picture and of 4x over an eighth of another look alike."""
    quarter, eighth = np.zeros((40, 80), np.float32), np.zeros((40, 80), np.float32)
    quarter[:, :20] = 4
    eighth[:, :10] = 4
    eighth[:, 20:] = (80 - 40) / 60
    a, b = (heatmap(np.zeros((400, 800, 3), np.uint8), d, legend=False) for d in (quarter, eighth))
    np.testing.assert_allclose(a[200, 20].astype(int), b[200, 20], atol=1)
    assert a[200, 20].sum() > 200


@pytest.mark.parametrize("density", [TWO, spots(96, 20, (0.5, 0.9, 1.0)), spots(12, 96, (0.1, 0.5, 1.0))])
def test_heat_is_brightest_where_the_density_peaks(density: np.ndarray) -> None:
    height, width = density.shape[0] * 8, density.shape[1] * 8
    drawn = heatmap(np.zeros((height, width, 3), np.uint8), density, scale=Scale(1, 64, (), True), legend=False)
    light = cv2.cvtColor(drawn, cv2.COLOR_RGB2GRAY).astype(float)
    y, x = np.argwhere(light >= light.max() - 1).mean(axis=0)
    peak = np.array(np.unravel_index(density.argmax(), density.shape))
    np.testing.assert_allclose([(y + 0.5) / 8, (x + 0.5) / 8], peak + 0.5, atol=1.5)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_mirrored_picture_gives_the_mirrored_maps(axis: int) -> None:
    rgb = cv2.GaussianBlur(noise(301, 402), (0, 0), 2)
    for draw in (heatmap, fog_map):
        drawn = draw(rgb, TWO, legend=False)
        mirrored = draw(np.flip(rgb, axis).copy(), np.flip(TWO, axis).copy(), legend=False)
        np.testing.assert_allclose(np.flip(mirrored, axis).astype(int), drawn, atol=3)


def test_opacity_lets_the_picture_through_even_at_the_peak() -> None:
    black, white = (heatmap(np.full((60, 80, 3), v, np.uint8), TWO, legend=False).astype(int) for v in (0, 255))
    assert ((white - black) >= 0.15 * 255).all()


def test_clearness_by_hand() -> None:
    density = np.array([[0.5, 0.3, 0.15, 0.05]], np.float32)
    cells = attention_levels(density)
    clear = visibility(density, cells)[np.round(cells).astype(int)[0]]
    np.testing.assert_allclose(clear, [1, 1, 0, 0], atol=1e-5)


def test_clear_and_hidden_regions_hold_the_stated_shares_of_attention() -> None:
    cells = attention_levels(TWO)
    clear = visibility(TWO, cells)[np.round(cells).astype(int)]
    assert 0.50 <= TWO[clear == 1].sum() < 0.53
    assert 0.17 < TWO[clear == 0].sum() <= 0.20
    assert (np.diff(visibility(TWO, cells)) >= 0).all()


def test_fog_keeps_the_attended_pixels_and_darkens_and_blurs_the_rest() -> None:
    rgb = noise(288, 384) // 2 + 100
    drawn = fog_map(rgb, TWO, legend=False)
    attended, ignored = (slice(66, 106), slice(76, 116)), (slice(230, 280), slice(20, 100))
    np.testing.assert_allclose(drawn[attended].astype(int), rgb[attended], atol=1)
    assert drawn[ignored].mean() < 0.4 * rgb[ignored].mean()
    assert drawn[ignored].std(axis=(0, 1)).max() < 0.1 * rgb[ignored].std(axis=(0, 1)).min()
    np.testing.assert_allclose(drawn[ignored].astype(int), fog_image(rgb)[ignored], atol=1)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("grid", [(1, 1), (72, 96), (9, 96)])
@pytest.mark.parametrize("legend", [True, False])
def test_any_shape_is_drawn(size: tuple[int, int], grid: tuple[int, int], legend: bool) -> None:
    rgb = noise(*size)
    density = np.random.default_rng(1).random(grid, dtype=np.float32) + 0.1
    for drawn in (heatmap(rgb, density, legend=legend), fog_map(rgb, density, legend=legend)):
        assert drawn.dtype == np.uint8
        assert drawn.shape[1:] == (size[1], 3)
        assert drawn.shape[0] == size[0] if not legend else drawn.shape[0] > size[0]


@pytest.mark.parametrize(
    "bad", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3), np.float32)]
)
def test_what_is_no_picture_is_refused(bad: np.ndarray) -> None:
    for draw in (heatmap, fog_map):
        with pytest.raises(UsageError, match="uint8"):
            draw(bad, TWO)
    with pytest.raises(UsageError, match="finite"):
        local_map(noise(4, 4), np.full((2, 2), np.nan, np.float32))


def everything() -> dict[str, np.ndarray]:
    early = spots(72, 96, (0.5, 0.5, 1.0))
    densities = Densities({"total": TWO, "start": early, "end": FLAT})
    local = {spec.name: (TWO / TWO.max()).astype(np.float32) for spec in MAPS.values() if spec.kind == "local"}
    return render_maps(noise(200, 300), densities, local, image_map_names())


def test_all_maps_together_are_the_maps_one_by_one() -> None:
    drawn = everything()
    assert tuple(drawn) == image_map_names()
    rgb = noise(200, 300)
    np.testing.assert_array_equal(drawn["heat"], heatmap(rgb, TWO, title="Attention"))
    np.testing.assert_array_equal(drawn["fog"], fog_map(rgb, TWO, title="Seen"))
    np.testing.assert_array_equal(drawn["last_two_heat"][:200], mute_colours(rgb))
    assert len({picture.tobytes() for picture in drawn.values()}) == len(image_map_names())


def test_a_map_without_its_values_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="clarity_heat"):
        render_maps(noise(8, 8), Densities({"total": TWO}), {}, ["clarity_heat"])


@pytest.mark.parametrize("name", ["contact_sheet", "heat_video"])
def test_a_map_of_many_pictures_is_not_drawn_on_one(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*many"):
        render_maps(noise(8, 8), Densities({"total": TWO}), {}, [name])


def test_videos_and_scanpaths_are_drawn_only_when_asked_for() -> None:
    assert (*image_map_names(), "contact_sheet") == default_map_names()
    on_request = ("gaze_plot", "gaze_animation", "heat_video", "fog_video")
    assert tuple(MAPS) == default_map_names() + on_request


def test_the_legend_leaves_the_picture_alone_and_grows_with_it() -> None:
    rgb = noise(600, 800)
    bare, full = heatmap(rgb, TWO, legend=False), heatmap(rgb, TWO)
    np.testing.assert_array_equal(full[:600], bare)
    assert 25 <= full.shape[0] - 600 <= 40


def test_the_bar_carries_the_scale_s_colours_from_low_to_high() -> None:
    ramp = colour_table("lagoon")
    drawn = draw_legend(Legend("T", "", ramp.tobytes(), ((0.0, "0"), (1.0, "1"))), 600, 12)
    row = drawn[10]
    is_bar = (row != row[0]).any(axis=1).nonzero()[0]
    bar = row[is_bar[is_bar > 200]]
    np.testing.assert_array_equal(bar[0], ramp[0])
    np.testing.assert_array_equal(bar[-1], ramp[-1])


def test_legend_texts_are_ascii_since_the_font_holds_no_more() -> None:
    for spec in MAPS.values():
        texts = [spec.title] + ([spec.scale.unit, *(text for _, text in spec.scale.ticks)] if spec.scale else [])
        assert all(text.isascii() for text in texts), spec.name


@pytest.mark.parametrize("format", ["png", "jpeg", "webp"])
def test_encoded_pictures_come_back_with_their_colours(format: str) -> None:
    rgb = np.zeros((40, 60, 3), np.uint8)
    rgb[:, :30] = 220, 30, 20
    rgb[:, 30:] = 20, 40, 200
    back = cv2.imdecode(np.frombuffer(encode_image(rgb, format), np.uint8), cv2.IMREAD_COLOR)[..., ::-1]
    np.testing.assert_allclose(back[:, :20].astype(int), rgb[:, :20], atol=0 if format == "png" else 12)
    np.testing.assert_allclose(back[:, 40:].astype(int), rgb[:, 40:], atol=0 if format == "png" else 12)


def test_a_picture_too_long_for_its_format_is_refused() -> None:
    with pytest.raises(ValueError, match="jpeg"):
        encode_image(np.zeros((1, 70000, 3), np.uint8))
    with pytest.raises(ValueError, match="no such image format"):
        encode_image(np.zeros((1, 1, 3), np.uint8), "gif")  # type: ignore[arg-type]
