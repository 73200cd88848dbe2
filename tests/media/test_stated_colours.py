"""Colours that a picture states without a profile: code points (ITU-T H.273), gamma and chromaticities of PNG.

Expected values are worked out from the standards. Chromium 156 shows the same within 2 of 255, but for HDR, gamma 2.2
with the chromaticities of sRGB (6), and narrow range, which it takes for full.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from make_media import png_chunk
from PIL import Image

from mediaan.media.colour import to_srgb
from mediaan.media.limits import MediaLimits
from mediaan.media.open import open_image, open_medium
from mediaan.types.media import Problem, ViewSpec

COLOURS = np.array(
    [
        *[(255, 255, 255), (0, 0, 0), (128, 128, 128), (200, 60, 70), (60, 190, 80), (70, 60, 180), (255, 0, 0)],
        *[(0, 255, 0), (0, 0, 255), (30, 30, 30), (90, 160, 140), (240, 220, 40)],
    ],
    np.uint8,
)
STRIPE = 16
PICTURE = np.broadcast_to(np.repeat(COLOURS, STRIPE, axis=0), (64, STRIPE * len(COLOURS), 3))
FULL = ViewSpec("full", long_side=10_000)
D65 = (0.3127, 0.3290)
SRGB = (*D65, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06)
P3 = (*D65, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06)
ADOBE = (*D65, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06)
BT2020 = (*D65, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046)
Chunk = tuple[bytes, bytes]


def cicp(primaries: int, transfer: int, *, matrix: int = 0, full: int = 1) -> Chunk:
    return b"cICP", bytes([primaries, transfer, matrix, full])


def gamma(value: float) -> Chunk:
    return b"gAMA", struct.pack(">I", round(100_000 * value))


def chromaticities(values: tuple[float, ...]) -> Chunk:
    return b"cHRM", struct.pack(">8I", *(round(100_000 * value) for value in values))


def png(*chunks: Chunk, mode: str = "RGB", picture: np.ndarray = PICTURE) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).convert(mode).save(buffer, "PNG")
    return with_chunks(buffer.getvalue(), chunks)


def with_chunks(data: bytes, chunks: tuple[Chunk, ...]) -> bytes:
    """Put chunks behind the header of a PNG."""
    return data[:33] + b"".join(png_chunk(*chunk) for chunk in chunks) + data[33:]


def seen(path: Path, data: bytes) -> tuple[np.ndarray, tuple[Problem, ...]]:
    path.write_bytes(data)
    image = open_image(path, [FULL])
    return image.chunks[0].views["full"][0, 32, STRIPE // 2 :: STRIPE].astype(float), image.problems


def converted(
    decode: Callable[[np.ndarray], np.ndarray], primaries: tuple[float, ...] = SRGB, colours: np.ndarray = COLOURS
) -> np.ndarray:
    """Colour science on its own, for white D65: linearise, go through XYZ, encode as IEC 61966-2-1 says."""

    def to_xyz(values: tuple[float, ...]) -> np.ndarray:
        white, *corners = [np.array([x / y, 1, (1 - x - y) / y]) for x, y in np.reshape(values, (4, 2))]
        return np.array(corners).T * np.linalg.solve(np.array(corners).T, white)

    linear = decode(colours / 255) @ (np.linalg.inv(to_xyz(SRGB)) @ to_xyz(primaries)).T
    linear = linear.clip(0, 1)
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def srgb_curve(values: np.ndarray) -> np.ndarray:
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def power(exponent: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda values: values**exponent


AS_IT_IS = converted(srgb_curve)
PNGS = {
    "nothing": ([], AS_IT_IS),
    "sRGB": ([(b"sRGB", b"\0")], AS_IT_IS),
    "gamma of sRGB": ([gamma(0.45455)], AS_IT_IS),
    "gamma and chromaticities of sRGB": ([gamma(0.45455), chromaticities(SRGB)], AS_IT_IS),
    "chromaticities alone": ([chromaticities(P3)], AS_IT_IS),
    "linear": ([gamma(1.0)], converted(power(1.0))),
    "gamma 1.8": ([gamma(0.55556)], converted(power(1.8))),
    "gamma 2.8": ([gamma(0.35714)], converted(power(2.8))),
    "P3 by chromaticities": ([gamma(0.45455), chromaticities(P3)], converted(power(2.2), P3)),
    "Adobe RGB": ([gamma(0.4547), chromaticities(ADOBE)], converted(power(2.2), ADOBE)),
    "linear P3": ([gamma(1.0), chromaticities(P3)], converted(power(1.0), P3)),
    "sRGB before gamma": ([(b"sRGB", b"\0"), gamma(1.0), chromaticities(P3)], AS_IT_IS),
    "P3 by code points": ([cicp(12, 13)], converted(srgb_curve, P3)),
    "BT.2020 by code points": ([cicp(9, 13)], converted(srgb_curve, BT2020)),
    "BT.709 by code points": ([cicp(1, 1)], converted(power(2.4))),
    "linear by code points": ([cicp(1, 8)], converted(power(1.0))),
    "gamma 2.2 by code points": ([cicp(1, 4)], converted(power(2.2))),
    "code points of sRGB": ([cicp(1, 13)], AS_IT_IS),
    "code points before sRGB": ([(b"sRGB", b"\0"), cicp(12, 13)], converted(srgb_curve, P3)),
    "code points before gamma": ([gamma(1.0), chromaticities(ADOBE), cicp(1, 13)], AS_IT_IS),
    "in narrow range": ([cicp(1, 13, full=0)], np.clip((COLOURS.astype(float) - 16) * 255 / 219, 0, 255)),
}


@pytest.mark.parametrize("name", PNGS)
def test_what_a_png_states_in_its_order_of_precedence(name: str, tmp_path: Path) -> None:
    chunks, wanted = PNGS[name]
    colours, problems = seen(tmp_path / "ad.png", png(*chunks))
    np.testing.assert_allclose(colours, wanted, atol=1.5)
    assert problems == ()


def test_code_points_come_before_a_profile_and_a_profile_before_gamma(tmp_path: Path) -> None:
    from test_image import P3_COLORANTS, matrix_profile

    buffer = io.BytesIO()
    Image.fromarray(PICTURE).save(buffer, "PNG", icc_profile=matrix_profile(P3_COLORANTS))
    by_profile, _ = seen(tmp_path / "ad.png", buffer.getvalue())
    assert np.abs(by_profile - COLOURS).max() > 15
    with_gamma, _ = seen(tmp_path / "ad.png", with_chunks(buffer.getvalue(), (gamma(1.0), (b"sRGB", b"\0"))))
    np.testing.assert_array_equal(with_gamma, by_profile)
    with_code_points, _ = seen(tmp_path / "ad.png", with_chunks(buffer.getvalue(), (cicp(1, 13),)))
    np.testing.assert_array_equal(with_code_points, COLOURS)


@pytest.mark.parametrize("mode", ["L", "P", "RGBA"])
def test_every_kind_of_png(mode: str, tmp_path: Path) -> None:
    plain, _ = seen(tmp_path / "ad.png", png(mode=mode))
    linear, _ = seen(tmp_path / "ad.png", png(gamma(1.0), mode=mode))
    light = plain / 255
    np.testing.assert_allclose(
        linear, 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055), atol=1.5
    )


@pytest.mark.parametrize(("transfer", "name"), [(16, "pq"), (18, "hlg")])
@pytest.mark.parametrize(("primaries", "gamut"), [(9, "bt2020"), (12, "p3"), (1, "bt709"), (2, "bt2020")])
def test_high_dynamic_range_is_tone_mapped_as_videos_are(
    transfer: int, name: str, primaries: int, gamut: str, tmp_path: Path
) -> None:
    colours, (problem,) = seen(tmp_path / "ad.png", png(cicp(primaries, transfer)))
    wanted = to_srgb(COLOURS[None].astype(np.uint16) * 257, name, gamut)[0]  # type: ignore[arg-type]
    np.testing.assert_allclose(colours, wanted, atol=1)
    assert problem.code == "tone_mapped"
    assert name.upper() in problem.message


@pytest.mark.parametrize(
    "chunk",
    [cicp(1, 9), cicp(99, 13), cicp(5, 16), gamma(0), (b"cHRM", bytes(32))],
    ids=["logarithmic", "unknown primaries", "HDR of old primaries", "gamma 0", "no chromaticities"],
)
def test_what_cannot_be_converted_gets_a_note(chunk: Chunk, tmp_path: Path) -> None:
    chunks = [gamma(0.5)] if chunk[0] == b"cHRM" else []
    colours, (problem,) = seen(tmp_path / "ad.png", png(*chunks, chunk))
    assert problem.code == "colours_not_converted"
    np.testing.assert_array_equal(colours, COLOURS)


def test_animations_are_converted_too(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    frames = [Image.fromarray(PICTURE), Image.fromarray(255 - PICTURE)]
    frames[0].save(buffer, "PNG", save_all=True, append_images=frames[1:], duration=500)
    path = tmp_path / "ad.png"
    for chunk, code in ((gamma(1.0), None), (cicp(9, 16), "tone_mapped"), (cicp(1, 9), "colours_not_converted")):
        path.write_bytes(with_chunks(buffer.getvalue(), (chunk,)))
        with open_medium(path, [FULL], MediaLimits()) as source:
            first = next(iter(source.chunks())).views["full"][0]
            wanted, _ = seen(tmp_path / "still.png", png(chunk))
            np.testing.assert_allclose(first[32, STRIPE // 2 :: STRIPE], wanted, atol=1)
            assert [problem.code for problem in source.problems] == ([code] if code else [])


def in_heif(codec: str, primaries: int, transfer: int) -> bytes:
    """An AVIF or HEIC whose code points are changed after it was written."""
    buffer = io.BytesIO()
    if codec == "heic":
        pillow_heif = pytest.importorskip("pillow_heif")
        pillow_heif.from_pillow(Image.fromarray(PICTURE)).save(buffer, quality=-1, chroma=444)
    else:
        Image.fromarray(PICTURE).save(buffer, "AVIF", quality=100, subsampling="4:4:4")
    data = bytearray(buffer.getvalue())
    at = data.index(b"nclx") + 4
    struct.pack_into(">HH", data, at, primaries, transfer)
    return bytes(data)


@pytest.mark.parametrize("codec", ["avif", "heic"])
@pytest.mark.parametrize(
    ("primaries", "transfer", "wanted"),
    [
        (1, 13, lambda codes: codes),
        (2, 2, lambda codes: codes),
        (1, 1, lambda codes: codes),
        (12, 13, lambda codes: converted(srgb_curve, P3, codes)),
        (9, 14, lambda codes: converted(srgb_curve, BT2020, codes)),
        (1, 8, lambda codes: converted(power(1.0), SRGB, codes)),
        (1, 4, lambda codes: converted(power(2.2), SRGB, codes)),
        (9, 16, lambda codes: to_srgb(codes[None].astype(np.uint16) * 257, "pq", "bt2020")[0]),
        (9, 18, lambda codes: to_srgb(codes[None].astype(np.uint16) * 257, "hlg", "bt2020")[0]),
    ],
)
def test_code_points_of_avif_and_heic(
    codec: str, primaries: int, transfer: int, wanted: Callable[[np.ndarray], np.ndarray], tmp_path: Path
) -> None:
    codes, _ = seen(tmp_path / f"ad.{codec}", in_heif(codec, 1, 13))
    assert np.abs(codes - COLOURS).max() <= 8, "the encoder is lossy"
    colours, problems = seen(tmp_path / f"ad.{codec}", in_heif(codec, primaries, transfer))
    np.testing.assert_allclose(colours, wanted(codes), atol=1.5)
    assert [problem.code for problem in problems] == ["tone_mapped"] * (transfer > 15)


def test_a_profile_comes_before_code_points_in_avif(tmp_path: Path) -> None:
    from test_image import P3_COLORANTS, matrix_profile

    buffer = io.BytesIO()
    picture = Image.fromarray(PICTURE)
    picture.save(buffer, "AVIF", quality=100, subsampling="4:4:4", icc_profile=matrix_profile(P3_COLORANTS))
    by_profile, _ = seen(tmp_path / "ad.avif", buffer.getvalue())
    data = bytearray(buffer.getvalue())
    if (at := data.find(b"nclx")) >= 0:
        struct.pack_into(">HH", data, at + 4, 9, 16)
    by_both, problems = seen(tmp_path / "ad.avif", bytes(data))
    np.testing.assert_array_equal(by_both, by_profile)
    assert problems == ()
