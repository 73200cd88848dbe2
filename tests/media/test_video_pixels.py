"""Colours, orientation and size of frames, against values worked out from the standards."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from make_media import encode_frames, numbered, numbers_in, write_clip
from test_pixel_formats import y_cb_cr

from mediaan.media.colour import nits_to_pq, to_srgb
from mediaan.media.limits import MediaLimits
from mediaan.media.overlay_video import write_overlay_video
from mediaan.media.source import Sampling
from mediaan.media.video.frame_conversion import FrameConverter
from mediaan.media.video.source import VideoSource, open_video
from mediaan.types.media import ViewSpec

LIMITED, FULL = 1, 2  # AVCOL_RANGE_*
PQ, HLG, BT2020 = 16, 18, 9  # AVCOL_TRC_*, AVCOL_PRI_*
VIEW = ViewSpec("view", long_side=64)


def plain(codes: list[int], size: tuple[int, int], pixel_format: str) -> av.VideoFrame:
    """A frame of one colour, planes filled by hand."""
    frame = av.VideoFrame(*size, pixel_format)
    wide = frame.format.components[0].bits > 8
    for plane, code in zip(frame.planes, codes, strict=True):
        kind = np.uint16 if wide else np.uint8
        plane.update(np.full(plane.buffer_size // kind().itemsize, code, kind).tobytes())
    return frame


def write_frames(path: Path, frames: list[av.VideoFrame], codec: str = "ffv1", **tags: int) -> Path:
    for frame in frames:
        for tag, value in tags.items():
            setattr(frame, tag, value)
    return encode_frames(path, frames, codec)


def opened(path: Path, *views: ViewSpec, fps: float = 25.0) -> VideoSource:
    codec = {".mkv": "matroska", ".mp4": "mp4", ".mov": "quicktime", ".webm": "matroska", ".ts": "mpeg-ts"}[path.suffix]
    return open_video(path, codec, views or (VIEW,), MediaLimits(), Sampling(fps=fps, threads=1))


def pixels(path: Path, fps: float = 25.0) -> np.ndarray:
    with opened(path, fps=fps) as source:
        return np.concatenate([chunk.views["view"] for chunk in source.chunks()])


@pytest.mark.parametrize(("lines", "matrix"), [(576, "bt601"), (720, "bt709"), (1080, "bt709")])
def test_unstated_matrix_is_told_by_the_number_of_lines(lines: int, matrix: str, tmp_path: Path) -> None:
    codes = [int(code) for code in y_cb_cr(np.array((30, 190, 60)) / 255, matrix, full=False, bits=8)]
    frames = [plain(codes, (64, lines), "yuv444p")]
    np.testing.assert_allclose(
        pixels(write_frames(tmp_path / "clip.mkv", frames)).mean(axis=(1, 2)), [(30, 190, 60)], atol=2
    )


@pytest.mark.parametrize("flip", [{"hflip": True}, {"vflip": True}, {"hflip": True, "vflip": True}])
def test_mirrored_by_metadata(flip: dict[str, bool], tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    stored = numbered(77)[:: -1 if "vflip" in flip else 1, :: -1 if "hflip" in flip else 1]
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(stored), "rgb24").reformat(format="yuv420p")
    encode_frames(path, [frame], "libx264", prepare=lambda stream: stream.set_display_rotation(0, **flip), crf="10")
    assert numbers_in(pixels(path)) == [77]


def test_an_absurd_pixel_aspect_is_ignored() -> None:
    reformatter = FrameConverter(av.VideoFrame(96, 64, "yuv420p"), Fraction(1, 400), [VIEW])
    assert (reformatter.width, reformatter.height) == (96, 64)
    assert [p.code for p in reformatter.problems] == ["pixel_aspect_ignored"]


def test_sideways_and_not_square(tmp_path: Path) -> None:
    with opened(write_clip(tmp_path / "clip.mp4", [5], rotation=90, pixel_aspect=2)) as source:
        assert (source.medium.width, source.medium.height) == (64, 192), "stored pixels are wide, displayed ones tall"


def test_all_views_show_the_same_frame(tmp_path: Path) -> None:
    views = [ViewSpec("large", long_side=160), ViewSpec("half", long_side=80), ViewSpec("near", long_side=140)]
    views += [ViewSpec("model", pixels=96 * 64, multiple=32), ViewSpec("dot", long_side=1)]
    path = write_clip(tmp_path / "clip.mp4", [199], size=(320, 240))
    with opened(path, *views) as source:
        (chunk,) = source.chunks()
    sizes = {"large": (120, 160), "half": (60, 80), "near": (105, 140), "model": (64, 96), "dot": (1, 1)}
    for name, size in sizes.items():
        view = chunk.views[name]
        assert view.shape == (1, *size, 3)
        assert view.dtype == np.uint8
        if name != "dot":
            assert numbers_in(view) == [199]
    np.testing.assert_allclose(chunk.views["dot"][0, 0, 0], chunk.views["large"][0].mean(axis=(0, 1)), atol=10)


def test_scaling_is_anti_aliased(tmp_path: Path) -> None:
    checks = np.kron(np.indices((120, 160)).sum(axis=0) % 2, np.ones((2, 2))).astype(np.uint8) * 255
    frame = av.VideoFrame.from_ndarray(np.repeat(checks[..., None], 3, axis=2), "rgb24").reformat(format="gray")
    path = write_frames(tmp_path / "clip.mkv", [frame])
    assert pixels(path)[0].std() < 8, "a checkerboard finer than the view is grey"


def test_frames_of_another_size_are_fitted_into_the_first(tmp_path: Path) -> None:
    parts = [write_clip(tmp_path / f"{n}.ts", [n] * 25, size=size) for n, size in ((3, (96, 64)), (9, (64, 96)))]
    path = tmp_path / "both.ts"
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    with opened(path) as source:
        view = np.concatenate([chunk.views["view"] for chunk in source.chunks()])
        assert "size_changes" in [p.code for p in source.problems]
        assert (source.medium.width, source.medium.height) == (96, 64)
    assert len(view) == 50
    assert numbers_in(view[:25]) == [3] * 25
    # 64 x 96 whole within 64 x 43 is 29 px wide; black lies beside it.
    assert view[-1, :, :16].max() < 20
    assert view[-1, :, -16:].max() < 20
    assert numbers_in(view[-1:, :, 18:46]) == [9]


@pytest.mark.parametrize(
    ("codec", "suffix", "pixel_format"),
    [("prores_ks", "mov", "yuva444p10le"), ("qtrle", "mov", "argb"), ("png", "mov", "rgba")],
)
def test_transparency_lies_on_white(codec: str, suffix: str, pixel_format: str, tmp_path: Path) -> None:
    rgba = np.zeros((48, 64, 4), np.uint8)
    rgba[:, :, 0] = 255  # red, hidden at the left, half at the middle
    rgba[:, 24:40, 3] = 128
    rgba[:, 40:, 3] = 255
    frame = av.VideoFrame.from_ndarray(rgba, "rgba").reformat(format=pixel_format, dst_colorspace=1)
    view = pixels(
        write_frames(
            tmp_path / f"clip.{suffix}", [frame], codec=codec, color_range=LIMITED if "yuv" in pixel_format else FULL
        )
    )[0]
    np.testing.assert_allclose(view[24, 8], (255, 255, 255), atol=4)
    np.testing.assert_allclose(view[24, 32], (255, 127, 127), atol=6)
    np.testing.assert_allclose(view[24, 56], (255, 0, 0), atol=8)


@pytest.mark.parametrize(("codec", "pixel_format"), [("libvpx", "yuva420p"), ("libvpx-vp9", "yuva420p")])
@pytest.mark.parametrize("key_frames_only", [False, True], ids=["all", "fast"])
def test_opacity_of_webm_lies_on_white(codec: str, pixel_format: str, key_frames_only: bool, tmp_path: Path) -> None:
    rgba = np.zeros((96, 128, 4), np.uint8)
    rgba[..., 0] = 255
    rgba[:, 48:80, 3], rgba[:, 80:, 3] = 128, 255
    path = tmp_path / "clip.webm"
    options = {"auto-alt-ref": "0", "crf": "4", "b:v": "2M", "g": "5", "deadline": "realtime", "cpu-used": "8"}
    frames = [av.VideoFrame.from_ndarray(rgba, "rgba").reformat(format=pixel_format) for _ in range(20)]
    encode_frames(path, frames, codec, prepare=lambda stream: stream.metadata.update(alpha_mode="1"), **options)
    sampling = Sampling(fps=25.0, threads=1, key_frames_only=key_frames_only)
    with open_video(path, "matroska", (VIEW,), MediaLimits(), sampling) as source:
        views = np.concatenate([chunk.views["view"] for chunk in source.chunks()])
        assert source.problems == ()
    drawn = []
    write_overlay_video(path, tmp_path / "film.mp4", lambda rgb, _: drawn.append(rgb.copy()) or rgb, MediaLimits())
    assert len(drawn) == 20
    for frames in (views, np.array(drawn)):
        height, width = frames.shape[1:3]
        for column, colour in ((0.1, (255, 255, 255)), (0.5, (255, 127, 127)), (0.9, (255, 0, 0))):
            pixels = frames[:, height // 2, int(column * width)]
            np.testing.assert_allclose(pixels, np.broadcast_to(colour, pixels.shape), atol=10)


def test_what_transparent_pixels_hide_is_no_cut(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frames = []
    for _ in range(40):
        rgba = np.full((48, 64, 4), rng.integers(0, 255), np.uint8)
        rgba[..., 3] = 0
        rgba[20:28, 20:40] = (200, 30, 30, 255)
        frames.append(av.VideoFrame.from_ndarray(rgba, "rgba"))
    with opened(write_frames(tmp_path / "clip.mov", frames, codec="png", color_range=FULL)) as source:
        assert len(list(source.chunks())) == 8
        assert len(source.shots) == 1


def grey_codes(signal: float) -> list[int]:
    return [round((219 * signal + 16) * 4), 512, 512]


@pytest.mark.parametrize(("transfer", "name"), [(PQ, "PQ"), (HLG, "HLG")])
def test_hdr_is_tone_mapped(transfer: int, name: str, tmp_path: Path) -> None:
    signals = np.linspace(0, 1, 21)
    frames = [plain(grey_codes(signal), (64, 48), "yuv420p10le") for signal in signals]
    hdr = {"color_trc": transfer, "color_primaries": BT2020, "colorspace": 9, "color_range": LIMITED}
    path = write_frames(tmp_path / "clip.mkv", frames, **hdr)
    with opened(path) as source:
        view = np.concatenate([chunk.views["view"] for chunk in source.chunks()])
        assert [p.code for p in source.problems] == ["tone_mapped"]
        assert name in source.problems[0].message
    levels = view.mean(axis=(1, 2))
    assert np.ptp(levels, axis=1).max() <= 2, "grey stays grey"
    assert (np.diff(levels[:, 0]) >= 0).all(), "brighter stays brighter"
    assert levels[0].max() == 0
    assert levels[-1].min() >= 254


def test_hdr_reference_white_is_the_same_in_pq_and_hlg() -> None:
    """ITU-R BT.2408: diffuse white is 203 cd/m², which is 58 % in PQ and 75 % in HLG."""
    assert nits_to_pq(203.0) == pytest.approx(0.58, abs=0.005)
    pq = to_srgb(np.full((1, 1, 3), round(float(nits_to_pq(203.0)) * 65535), np.uint16), "pq", "bt2020")
    hlg = to_srgb(np.full((1, 1, 3), round(0.75 * 65535), np.uint16), "hlg", "bt2020")
    np.testing.assert_allclose(pq.astype(int), hlg, atol=1)
    assert 190 < pq.min() < 235, "with room for highlights above"


def test_published_values_of_the_pq_curve() -> None:
    """Nominal signal levels in per cent, ITU-R BT.2408."""
    nits = [0, 1, 10, 100, 203, 1000, 4000, 10000]
    percent = [0, 15, 30, 51, 58, 75, 90, 100]
    np.testing.assert_array_equal(np.rint(100 * nits_to_pq(np.array(nits))), percent)


def test_dark_tones_of_pq_are_kept() -> None:
    """Below the knee luminance is untouched: 20 cd/m² are 20/203 of SDR white."""
    code = round(float(nits_to_pq(20.0)) * 65535)
    linear = 20 / 203
    expected = 255 * (1.055 * linear ** (1 / 2.4) - 0.055)
    assert to_srgb(np.full((1, 1, 3), code, np.uint16), "pq", "bt709").mean() == pytest.approx(expected, abs=1)


def test_wide_gamut_keeps_white_and_saturates_colours() -> None:
    codes = np.array([[[65535] * 3, [32768] * 3, [60000, 20000, 20000]]], np.uint16)
    wide, plain_ = to_srgb(codes, "sdr", "bt2020"), to_srgb(codes, "sdr", "bt709")
    np.testing.assert_allclose(wide[0, :2].astype(int), plain_[0, :2], atol=1)
    assert wide[0, 2, 0] > plain_[0, 2, 0]
    assert wide[0, 2, 1] < plain_[0, 2, 1]
