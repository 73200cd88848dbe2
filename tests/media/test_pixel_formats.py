"""Colours of every layout of pixels in which videos are decoded, against values worked out from the standards."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest
from make_media import encode_frames

from mediaan.media.colour import to_srgb
from mediaan.media.limits import MediaLimits
from mediaan.media.open import open_medium
from mediaan.media.overlay_video import write_overlay_video
from mediaan.media.source import Sampling
from mediaan.media.video.frame_conversion import FrameConverter
from mediaan.types.media import ViewSpec

PATCHES = np.array([(1, 1, 1), (0.12, 0.7, 0.3), (0.85, 0.15, 0.1), (0, 0, 0), (0.15, 0.25, 0.9), (0.5, 0.5, 0.5)])
COLUMNS = 3
WEIGHTS = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593)}
SPACES = {"bt601": 6, "bt709": 1, "bt2020": 9}  # AVCOL_SPC_*
LIMITED, FULL = 1, 2  # AVCOL_RANGE_*
SDR = {"color_trc": 1, "color_primaries": 1}
TAGS: dict[str, dict[str, int]] = {
    "sdr": SDR,
    "pq": {"color_trc": 16, "color_primaries": 9},
    "hlg": {"color_trc": 18, "color_primaries": 9},
    "bt2020": {"color_trc": 14, "color_primaries": 9},
    "p3": {"color_trc": 1, "color_primaries": 12},
}
SIZE = (96, 64)

SUBSAMPLING = {"420": (2, 2), "422": (2, 1), "444": (1, 1), "440": (1, 2), "411": (4, 1), "410": (4, 4)}
PLANAR = {f"yuv{name}p": (*steps, 8) for name, steps in SUBSAMPLING.items()}
PLANAR |= {f"yuv{s}p{b}le": (*SUBSAMPLING[s], b) for s in ("420", "422", "444") for b in (9, 10, 12, 14, 16)}
PLANAR |= {f"yuv440p{b}le": (1, 2, b) for b in (10, 12)}
SEMI_PLANAR = {"nv12": (2, 2, 8), "nv16": (2, 1, 8), "nv24": (1, 1, 8)}
SEMI_PLANAR |= {"p010le": (2, 2, 10), "p012le": (2, 2, 12), "p016le": (2, 2, 16)}
SEMI_PLANAR |= {"p210le": (2, 1, 10), "p216le": (2, 1, 16), "p410le": (1, 1, 10), "p416le": (1, 1, 16)}
PACKED_422 = {"yuyv422": 8, "uyvy422": 8, "y210le": 10, "y212le": 12}
GREY = {"gray": 8} | {f"gray{b}le": b for b in (9, 10, 12, 14, 16)}
PLANAR_RGB = {"gbrp": 8} | {f"gbrp{b}le": b for b in (9, 10, 12, 14, 16)}
PACKED_RGB = ("rgb24", "bgr24", "bgr0", "0rgb", "rgb48le", "bgr48le", "rgb48be", "x2rgb10le")
ALPHA = ("rgba", "bgra", "argb", "abgr", "rgba64le", "gbrap", "gbrap10le", "gbrap12le", "gbrap16le")
ALPHA_YUV = {f"yuva{s}p": (*SUBSAMPLING[s], 8) for s in ("420", "422", "444")}
ALPHA_YUV |= {f"yuva{s}p{b}le": (*SUBSAMPLING[s], b) for s in ("420", "422", "444") for b in (10, 16)}
WITH_CHROMA = [*PLANAR, *SEMI_PLANAR, *PACKED_422, *ALPHA_YUV]
ALL_FORMATS = [*WITH_CHROMA, *GREY, *PLANAR_RGB, *PACKED_RGB, *ALPHA]

Codes = npt.NDArray[np.float64]


def picture(width: int, height: int) -> Codes:
    """Six patches in two rows, (height, width, 3), 0-1."""
    rows = np.arange(height) * 2 // height
    columns = np.arange(width) * COLUMNS // width
    return PATCHES.reshape(2, COLUMNS, 3)[rows][:, columns]


def means(image: npt.NDArray[Any]) -> Codes:
    """Mean of the middle of each patch: (6, 3)."""
    height, width = image.shape[0] // 2, image.shape[1] // COLUMNS
    inner = slice(height // 4, -(height // 4)), slice(width // 4, -(width // 4))
    patches = [image[r * height :, c * width :][:height, :width][inner] for r in range(2) for c in range(COLUMNS)]
    return np.array([patch.reshape(-1, 3).mean(axis=0) for patch in patches])


def y_cb_cr(rgb: Codes, matrix: str, full: bool, bits: int) -> list[Codes]:
    """Code values by ITU-R BT.601, BT.709, BT.2020 and BT.2100."""
    kr, kb = WEIGHTS[matrix]
    luma = rgb @ np.array([kr, 1 - kr - kb, kb])
    chroma = ((rgb[..., 2] - luma) / (2 - 2 * kb), (rgb[..., 0] - luma) / (2 - 2 * kr))
    if full:
        top = 2**bits - 1
        return [np.rint(top * luma), *(np.clip(np.rint(top * c + 2 ** (bits - 1)), 0, top) for c in chroma)]
    unit = 2 ** (bits - 8)
    return [np.rint((219 * luma + 16) * unit), *(np.rint((224 * c + 128) * unit) for c in chroma)]


def fill(plane: av.VideoPlane, samples: npt.NDArray[Any]) -> None:
    rows = np.zeros((plane.height, plane.line_size), np.uint8)
    data = np.ascontiguousarray(samples).view(np.uint8).reshape(len(samples), -1)
    rows[: len(data), : data.shape[1]] = data
    plane.update(rows.tobytes())


def made(name: str, matrix: str = "bt709", *, full: bool = False, size: tuple[int, int] = SIZE, **tags: int) -> Any:
    """A frame of `picture` in a pixel format, filled by hand."""
    frame: Any = av.VideoFrame(*size, name)
    rgb = picture(*size)
    frame.colorspace, frame.color_range = SPACES[matrix], FULL if full or frame.format.is_rgb else LIMITED
    for tag, value in (SDR | tags).items():
        setattr(frame, tag, value)

    def kind(bits: int) -> str:
        return "u1" if bits == 8 else "<u2"

    if name in PLANAR | ALPHA_YUV:
        across, down, bits = (PLANAR | ALPHA_YUV)[name]
        luma, *chroma = y_cb_cr(rgb, matrix, full, bits)
        planes = [luma, *(c[::down, ::across] for c in chroma)]
        planes += [np.full_like(luma, 2**bits - 1)] if name in ALPHA_YUV else []
        for plane, samples in zip(frame.planes, planes, strict=True):
            fill(plane, samples.astype(kind(bits)))
    elif name in SEMI_PLANAR:
        across, down, bits = SEMI_PLANAR[name]
        luma, *chroma = y_cb_cr(rgb, matrix, full, bits)
        shift = 0 if bits == 8 else 16 - bits
        pairs = np.stack([c[::down, ::across] for c in chroma], axis=-1)
        for plane, samples in zip(frame.planes, (luma, pairs), strict=True):
            fill(plane, (samples.astype(np.uint16) << shift).astype(kind(bits)))
    elif name in PACKED_422:
        bits = PACKED_422[name]
        luma, blue, red = y_cb_cr(rgb, matrix, full, bits)
        samples = np.empty((size[1], 2 * size[0]))
        first = 1 if name.startswith("u") else 0
        samples[:, first::2] = luma
        samples[:, 1 - first :: 4], samples[:, 3 - first :: 4] = blue[:, ::2], red[:, ::2]
        fill(frame.planes[0], (samples.astype(np.uint16) << (0 if bits == 8 else 16 - bits)).astype(kind(bits)))
    elif name in GREY:
        fill(frame.planes[0], y_cb_cr(rgb, matrix, full, GREY[name])[0].astype(kind(GREY[name])))
    elif name == "x2rgb10le":
        red, green, blue = np.moveaxis(np.rint(1023 * rgb).astype(np.uint32), -1, 0)
        fill(frame.planes[0], (red << 20 | green << 10 | blue).astype("<u4"))
    elif name.startswith("gb"):
        bits = frame.format.components[0].bits
        planes = [rgb[..., 1], rgb[..., 2], rgb[..., 0], np.ones(size[::-1])]
        for plane, samples in zip(frame.planes, planes, strict=False):
            fill(plane, np.rint((2**bits - 1) * samples).astype(kind(bits)))
    else:
        bits = frame.format.components[0].bits
        order = name.removesuffix("le").removesuffix("be").rstrip("0123456789") + ("0" if name == "bgr0" else "")
        channels = {"r": rgb[..., 0], "g": rgb[..., 1], "b": rgb[..., 2]}
        samples = np.stack([channels.get(letter, np.ones(size[::-1])) for letter in order], axis=-1)
        values = np.rint((2**bits - 1) * samples)
        fill(frame.planes[0], values.astype(">u2" if name.endswith("be") else kind(bits)).reshape(size[1], -1))
    return frame


def expected(name: str, matrix: str, colours: str) -> npt.NDArray[Any]:
    """Colours of the patches, 0-255, where the layout keeps them."""
    rgb = PATCHES
    if name in GREY:
        kr, kb = WEIGHTS[matrix]
        rgb = np.repeat(rgb @ np.array([[kr], [1 - kr - kb], [kb]]), 3, axis=1)
    transfer: Any = colours if colours in {"pq", "hlg"} else "sdr"
    gamut: Any = {"sdr": "bt709", "p3": "p3"}.get(colours, "bt2020")
    codes = np.rint(65535 * rgb).astype(np.uint16)[None]
    return to_srgb(codes, transfer, gamut)[0].astype(float) if colours != "sdr" else 255 * rgb


FULL_SIZE, HALF = ViewSpec("view", long_side=1000), ViewSpec("view", long_side=SIZE[0] // 2)
SCALINGS: dict[str, tuple[Fraction, ViewSpec]] = {
    "as stored": (Fraction(1), FULL_SIZE),
    "both axes": (Fraction(1), HALF),
    "narrower": (Fraction(1, 2), FULL_SIZE),
    "lower": (Fraction(2), ViewSpec("view", long_side=SIZE[0])),
    "wider": (Fraction(4, 3), FULL_SIZE),
}


@pytest.mark.parametrize("name", ALL_FORMATS)
def test_stated_matrix_and_range_in_every_layout(name: str) -> None:
    for matrix, full in product(SPACES, (False, True)):
        frame = made(name, matrix, full=full)
        for scaling, (aspect, view) in SCALINGS.items():
            pixels = FrameConverter(frame, aspect, [view]).views(frame)["view"]
            case = f"{matrix}, {'full' if full else 'limited'}, {scaling}"
            np.testing.assert_allclose(means(pixels), expected(name, matrix, "sdr"), atol=3, err_msg=case)


@pytest.mark.parametrize("name", ALL_FORMATS)
def test_high_dynamic_range_and_wide_gamut_in_every_layout(name: str) -> None:
    for colours in ("pq", "hlg", "bt2020", "p3"):
        frame = made(name, "bt2020", **TAGS[colours])
        for scaling, (aspect, view) in SCALINGS.items():
            pixels = FrameConverter(frame, aspect, [view]).views(frame)["view"]
            wanted = expected(name, "bt2020", colours)
            np.testing.assert_allclose(means(pixels), wanted, atol=6, err_msg=f"{colours}, {scaling}")


@pytest.mark.parametrize("size", [(98, 66), (99, 66), (130, 34), (101, 51)])
@pytest.mark.parametrize("name", ["yuv420p", "yuv420p10le", "yuv422p10le", "gbrp10le", "nv12"])
@pytest.mark.parametrize("colours", TAGS)
def test_the_last_rows_and_columns_are_there(colours: str, name: str, size: tuple[int, int]) -> None:
    frame = made(name, "bt2020", size=size, **TAGS[colours])
    pixels = FrameConverter(frame, None, [FULL_SIZE]).views(frame)["view"]
    assert pixels.shape == (size[1], size[0], 3)
    np.testing.assert_allclose(pixels[-1, -1], expected(name, "bt2020", colours)[-1], atol=4)
    np.testing.assert_allclose(pixels[0, -1], expected(name, "bt2020", colours)[COLUMNS - 1], atol=12)


def test_colours_that_cannot_be_converted_are_said() -> None:
    frame = made("yuv444p10le")
    frame.colorspace = 14  # ICtCp (ITU-R BT.2100)
    (problem,) = FrameConverter(frame, None, [FULL_SIZE]).problems
    assert problem.code == "colours_not_converted"
    assert "ICtCp" in problem.message


CLIPS: dict[str, tuple[str, str, str, str]] = {
    "HDR10 in HEVC": ("clip.mp4", "libx265", "yuv420p10le", "pq"),
    "P3 in HEVC": ("clip.mp4", "libx265", "yuv420p10le", "p3"),
    "4:2:2 in HEVC": ("clip.mp4", "libx265", "yuv422p10le", "pq"),
    "4:4:4 in HEVC": ("clip.mp4", "libx265", "yuv444p10le", "pq"),
    "RGB in HEVC": ("clip.mp4", "libx265", "gbrp10le", "sdr"),
    "grey in H.264": ("clip.mp4", "libx264", "gray", "sdr"),
    "HDR10 in AV1": ("clip.webm", "libsvtav1", "yuv420p10le", "pq"),
    "ProRes": ("clip.mov", "prores_ks", "yuv422p10le", "hlg"),
    "ProRes with opacity": ("clip.mov", "prores_ks", "yuva444p10le", "pq"),
    "DNxHR": ("clip.mov", "dnxhd", "yuv422p10le", "sdr"),
    "FFV1, grey of 12 bits": ("clip.mkv", "ffv1", "gray12le", "sdr"),
    "v210": ("clip.mov", "v210", "yuv422p10le", "pq"),
}
OPTIONS = {"libx265": {"crf": "4", "preset": "ultrafast", "x265-params": "log-level=none:pools=1"}}
OPTIONS |= {"libx264": {"crf": "4", "preset": "ultrafast"}, "libsvtav1": {"crf": "8", "preset": "12"}}
OPTIONS |= {"dnxhd": {"profile": "dnxhr_hqx"}}


def analyzed(path: Path, view: ViewSpec) -> npt.NDArray[Any]:
    """The last view of a file, as an analysis sees it."""
    with open_medium(path, [view], MediaLimits(), Sampling(fps=25.0, threads=1)) as source:
        return np.asarray(list(source.chunks())[-1].views["view"][-1])


def as_film(path: Path) -> npt.NDArray[Any]:
    """The last frame that an overlay draws on."""
    drawn: list[npt.NDArray[Any]] = []

    def draw(rgb: npt.NDArray[Any], _: float) -> npt.NDArray[Any]:
        drawn.append(rgb.copy())
        return rgb

    write_overlay_video(path, path.with_name("film.mp4"), draw, MediaLimits())
    return drawn[-1]


READERS: dict[str, Callable[[Path], npt.NDArray[Any]]] = {
    "as stored": lambda path: analyzed(path, ViewSpec("view", long_side=1000)),
    "scaled": lambda path: analyzed(path, ViewSpec("view", long_side=160)),
    "overlay": as_film,
}


@pytest.mark.parametrize("clip", CLIPS)
def test_clips_have_their_colours_in_the_analysis_and_in_the_overlay(clip: str, tmp_path: Path) -> None:
    file, codec, name, colours = CLIPS[clip]
    matrix = "bt709" if colours == "sdr" else "bt2020"
    frames = [made(name, matrix, size=(320, 192), **TAGS[colours]) for _ in range(3)]
    path = encode_frames(tmp_path / file, frames, codec, **OPTIONS.get(codec, {}))
    for reader, read in READERS.items():
        np.testing.assert_allclose(means(read(path)), expected(name, matrix, colours), atol=8, err_msg=reader)
