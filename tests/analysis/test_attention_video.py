"""Densities over time: between samples by hand, hard at cuts, and on the frames that a viewer sees."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from mediaan.analysis.video_maps import PreviewWriter, render_overlay_video
from mediaan.maps import OverlayKind, fog_map, heatmap
from mediaan.media import MediaLimits
from mediaan.saliency.density import fixation_density, resize_density
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.media import Shot

LEFT = np.array([[0.5, 0.25], [0.25, 0.0]], np.float32)
RIGHT = np.array([[0.0, 0.25], [0.25, 0.5]], np.float32)


def track(*samples: tuple[float, int, np.ndarray]) -> DensityTrack:
    made = DensityTrack()
    for t_s, shot, density in samples:
        made.add(t_s, 0.2, shot, density)
    return made


@pytest.mark.parametrize(
    ("t_s", "wanted"),
    [
        (-1.0, LEFT),
        (0.0, LEFT),
        (0.05, [[0.375, 0.25], [0.25, 0.125]]),
        (0.1, [[0.25, 0.25], [0.25, 0.25]]),
        (0.2, RIGHT),
        (0.3, [[0.25, 0.25], [0.25, 0.25]]),
        (0.4, LEFT),
        (9.0, LEFT),
    ],
)
def test_between_samples_of_a_shot_densities_change_linearly(t_s: float, wanted: Any) -> None:
    """To one part in 255 of the peak's cube root, which is what is kept: 1.2 % of the peak."""
    found = track((0.0, 0, LEFT), (0.2, 0, RIGHT), (0.4, 0, LEFT)).at(t_s)
    np.testing.assert_allclose(found, wanted, atol=0.006)
    assert found.dtype == np.float32
    assert found.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("t_s", [0.0, 0.1, 0.199])
def test_without_known_cuts_a_shot_lasts_to_the_next_sample(t_s: float) -> None:
    cut = track((0.0, 0, LEFT), (0.2, 1, RIGHT))
    np.testing.assert_allclose(cut.at(t_s), LEFT, atol=0.006)
    np.testing.assert_allclose(cut.at(0.2), RIGHT, atol=0.006)


@pytest.mark.parametrize(("t_s", "wanted"), [(0.1, LEFT), (0.119, LEFT), (0.12, RIGHT), (0.15, RIGHT), (0.2, RIGHT)])
def test_a_cut_is_hard_and_where_it_is(t_s: float, wanted: np.ndarray) -> None:
    cut = track((0.0, 0, LEFT), (0.2, 1, RIGHT), (0.4, 1, RIGHT))
    cut.shots = (Shot(0.0, 0.12, "start"), Shot(0.12, 0.6, "cut"))
    np.testing.assert_allclose(cut.at(t_s), wanted, atol=0.006)


def test_a_shot_too_short_for_a_sample_shows_what_was_there_before() -> None:
    """Shot 1 lasts from 0.05 to 0.15, between two samples."""
    skipped = track((0.0, 0, LEFT), (0.2, 2, RIGHT))
    skipped.shots = (Shot(0.0, 0.05, "start"), Shot(0.05, 0.15, "cut"), Shot(0.15, 0.4, "cut"))
    np.testing.assert_allclose(skipped.at(0.1), LEFT, atol=0.006)
    np.testing.assert_allclose(skipped.at(0.16), RIGHT, atol=0.006)


@pytest.mark.parametrize("shape", [(36, 64), (62, 112), (96, 96), (112, 40), (9, 500), (3, 2)])
def test_what_is_kept_is_small_and_close(shape: tuple[int, int]) -> None:
    density = fixation_density([0.3, 0.7, 0.72], [0.4, 0.6, 0.5], shape, sigma=0.06)
    kept = track((0.0, 0, density))
    found = kept.at(0.0)
    assert max(found.shape) <= 64
    assert kept.arrays()["codes"].nbytes < 3000
    wanted = resize_density(density, found.shape)
    assert np.abs(found - wanted).sum(dtype=np.float64) < 0.02  # twice the mass that is misplaced
    peak = wanted.max()
    high = wanted > peak / 100
    np.testing.assert_allclose(found[high], wanted[high], rtol=0.05)


def test_a_track_comes_back_from_its_arrays() -> None:
    kept = track((0.0, 0, LEFT), (0.2, 1, RIGHT))
    again = DensityTrack.of_arrays(kept.arrays())
    for sample, same in zip(kept.samples(), again.samples(), strict=True):
        assert sample[:3] == same[:3]
        np.testing.assert_array_equal(sample.density, same.density)
    again.add(0.4, 0.2, 1, LEFT)
    assert [sample.shot for sample in again.samples()] == [0, 1, 1]


def frames_in(path: Path) -> list[tuple[float, np.ndarray]]:
    with av.open(str(path)) as container:
        return [(frame.time, frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]


def write_grey(path: Path, n: int = 10, rate: int = 10) -> Path:
    """Write a clip of smooth stripes, a little brighter with each frame."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=rate, options={"crf": "5", "preset": "ultrafast"})
        stream.width, stream.height = 160, 96
        for number in range(n):
            frame = av.VideoFrame.from_ndarray(grey(number), format="rgb24").reformat(
                format="yuv420p", dst_colorspace="ITU601"
            )
            frame.pts, frame.time_base = number, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def grey(number: int) -> np.ndarray:
    wave = 100 + 5 * number + 40 * np.sin(np.arange(160) / 12)
    return np.repeat(np.tile(wave.astype(np.uint8), (96, 1))[..., None], 3, axis=2)


def spot(x: float) -> np.ndarray:
    return fixation_density([x], [0.5], (36, 60), sigma=0.08)


@pytest.mark.parametrize(("kind", "draw"), [("heat", heatmap), ("fog", fog_map)])
def test_each_frame_has_the_density_of_its_own_moment(tmp_path: Path, kind: OverlayKind, draw: Any) -> None:
    """Samples at 0, 0.4 | cut at 0.7 | 0.8; frames every 0.1 s are compared with the map of that moment."""
    source = write_grey(tmp_path / "a.mp4")
    densities = track((0.0, 0, spot(0.2)), (0.4, 0, spot(0.5)), (0.8, 1, spot(0.8)))
    densities.shots = (Shot(0.0, 0.7, "start"), Shot(0.7, 1.0, "cut"))
    render_overlay_video(source, tmp_path / "film.mp4", densities, kind, MediaLimits())
    frames = frames_in(tmp_path / "film.mp4")
    np.testing.assert_allclose([t for t, _ in frames], np.arange(10) / 10, atol=1e-5)
    half = (spot(0.2) + spot(0.5)) / 2
    wanted = {0: spot(0.2), 2: half, 4: spot(0.5), 6: spot(0.5), 7: spot(0.8), 9: spot(0.8)}
    for number, density in wanted.items():
        difference = frames[number][1].astype(float) - draw(grey(number), density, legend=False)
        assert np.abs(difference).mean() < 4, number
    wrong = frames[7][1].astype(float) - draw(grey(7), spot(0.5), legend=False)
    assert np.abs(wrong).mean() > 8


def test_an_overlay_of_an_animation(tmp_path: Path) -> None:
    pictures = [Image.fromarray(grey(number)) for number in range(3)]
    pictures[0].save(tmp_path / "a.webp", save_all=True, append_images=pictures[1:], duration=[100, 300, 200])
    render_overlay_video(tmp_path / "a.webp", tmp_path / "film.mp4", track((0.0, 0, spot(0.5))), "heat", MediaLimits())
    np.testing.assert_allclose([t for t, _ in frames_in(tmp_path / "film.mp4")], [0, 0.1, 0.4], atol=1e-5)


def test_previews_show_the_samples_bare_and_with_heat(tmp_path: Path) -> None:
    times = (0.0, 0.2, 0.4, 0.6, 1.6)
    with PreviewWriter(tmp_path / "scratch") as preview:
        for number, t in enumerate(times):
            preview.add(grey(number), spot(0.3), t, 0.2)
        files = preview.close()
    assert files == {name: tmp_path / "scratch" / f"{name}.mp4" for name in ("preview", "preview_heat")}
    for name, draw in (
        ("preview", lambda rgb: rgb),
        ("preview_heat", lambda rgb: heatmap(rgb, spot(0.3), legend=False)),
    ):
        frames = frames_in(files[name])
        np.testing.assert_allclose([t for t, _ in frames], times, atol=1e-5)
        for number, (_, shown) in enumerate(frames):
            assert np.abs(shown.astype(float) - draw(grey(number))).mean() < 4, (name, number)


def test_previews_without_a_sample_are_none(tmp_path: Path) -> None:
    assert PreviewWriter(tmp_path).close() == {}
    assert not list(tmp_path.iterdir())


def test_previews_that_are_given_up_leave_nothing(tmp_path: Path) -> None:
    preview = PreviewWriter(tmp_path)
    preview.add(grey(0), spot(0.5), 0.0, 0.2)
    preview.abort()
    preview.abort()
    assert not list(tmp_path.iterdir())
