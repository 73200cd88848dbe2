"""Netpbm, QOI, JPEG 2000, Photoshop documents and bitmaps: pixels are right, cut files are refused."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from mediaan.errors import MediumError
from mediaan.media import open_image
from mediaan.media.open import OpenedImage
from mediaan.media.probe import sniff
from mediaan.types.media import ViewSpec

Open = Callable[..., OpenedImage]

FULL = ViewSpec("full", long_side=100_000)
HEIGHT, WIDTH = 21, 37
PICTURE = np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH, 3)).astype(np.uint8)
PICTURE[:6] = (250, 20, 130)  # runs, for what is packed
GREY, BLACK_OR_WHITE = PICTURE[..., 0], PICTURE[..., 0] > 127
ALPHA = np.where(PICTURE[..., 1] > 127, 255, 0).astype(np.uint8)
ON_WHITE = np.where(ALPHA[..., None] == 255, PICTURE, 255)


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    def open_bytes(data: bytes, **options: Any) -> OpenedImage:
        (tmp_path / "ad.bin").write_bytes(data)
        return open_image(tmp_path / "ad.bin", [FULL], **options)

    return open_bytes


def pixels(image: OpenedImage) -> np.ndarray:
    return image.chunks[0].views["full"][0]


def code_of(opened: Open, data: bytes) -> str:
    with pytest.raises(MediumError) as caught:
        opened(data)
    assert caught.value.message.startswith("ad.bin: ")
    return caught.value.code


def saved(samples: np.ndarray, codec: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, codec, **options)
    return buffer.getvalue()


def plain(kind: int, samples: np.ndarray, white: int = 255) -> bytes:
    text = "\n".join(" ".join(map(str, row)) for row in samples.reshape(HEIGHT, -1))
    return f"P{kind}\n# made by hand\n{WIDTH} {HEIGHT}\n{'' if kind == 1 else white}\n# {text[:9]}\n{text}\n".encode()


def psd(
    bands: list[np.ndarray],
    mode: int = 3,
    *,
    packed: bool = False,
    large: bool = False,
    palette: bytes = b"",
    flattened: bool = True,
    depth: int | None = None,
) -> bytes:
    """A Photoshop document with an empty section of layers; 2-byte samples make it one of 16 bits."""
    size = bands[0].itemsize
    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1 + large, len(bands), HEIGHT, WIDTH, depth or 8 * size, mode)
    version = struct.pack(">IB", 1, flattened) + bytes(8)
    resource = b"8BIM" + struct.pack(">HHI", 1057, 0, len(version)) + version + b"\0" * (len(version) % 2)
    sections = struct.pack(">I", len(palette)) + palette + struct.pack(">I", len(resource)) + resource
    rows = [row.astype(row.dtype.newbyteorder(">")).tobytes() for band in bands for row in band]
    if packed:  # a run, or as it is
        rows = [bytes([257 - len(row), row[0]]) if len({*row}) == 1 else bytes([len(row) - 1]) + row for row in rows]
    counts = b"".join(struct.pack(">I" if large else ">H", len(row)) for row in rows) if packed else b""
    layers = bytes(8 if large else 4)
    return head + sections + layers + struct.pack(">H", packed) + counts + b"".join(rows)


def bands(samples: np.ndarray) -> list[np.ndarray]:
    return [samples[..., number] for number in range(samples.shape[2])]


WIDE = PICTURE.astype(np.uint16) * np.uint16(257)
TENTHS = np.rint(PICTURE / 255 * 1000).astype(int)
LOSSLESS = {"irreversible": False}
WHOLE = {
    "ppm": (saved(PICTURE, "PPM"), PICTURE),
    "ppm, as text": (plain(3, PICTURE), PICTURE),
    "ppm, to 1000": (plain(3, TENTHS, 1000), np.rint(TENTHS * 0.255)),
    "ppm, 16 bits": (b"P6\n%d %d 65535\n" % (WIDTH, HEIGHT) + WIDE.astype(">u2").tobytes(), PICTURE),
    "pgm": (saved(GREY, "PPM"), GREY),
    "pgm, as text": (plain(2, GREY), GREY),
    "pbm": (saved(BLACK_OR_WHITE, "PPM"), 255 * BLACK_OR_WHITE),
    "pbm, as text": (plain(1, 1 - BLACK_OR_WHITE), 255 * BLACK_OR_WHITE),
    "qoi": (saved(PICTURE, "QOI"), PICTURE),
    "qoi with opacity": (saved(np.dstack([PICTURE, ALPHA]), "QOI"), ON_WHITE),
    "jp2": (saved(PICTURE, "JPEG2000", **LOSSLESS), PICTURE),
    "j2k": (saved(PICTURE, "JPEG2000", no_jp2=True, **LOSSLESS), PICTURE),
    "jp2, 16 bits": (saved(WIDE[..., 0], "JPEG2000", **LOSSLESS), GREY),
    "psd": (psd(bands(PICTURE)), PICTURE),
    "psd, packed": (psd(bands(PICTURE), packed=True), PICTURE),
    "psd, 16 bits": (psd(bands(WIDE), packed=True), PICTURE),
    "psb": (psd(bands(PICTURE), packed=True, large=True), PICTURE),
    # Photoshop has blended it with white; a fourth channel may be any selection that the user saved
    "psd with opacity": (psd([*bands(PICTURE), ALPHA], packed=True), PICTURE),
    "psd, grey": (psd([GREY], 1), GREY),
    "psd, ink": (psd([*bands(PICTURE), np.full_like(GREY, 255)], 4), PICTURE),
    "psd, palette": (psd([GREY], 2, palette=bytes(range(256)) * 2 + bytes(256)), np.dstack([GREY, GREY, 0 * GREY])),
}


@pytest.mark.parametrize("name", WHOLE)
def test_pixels_are_right(opened: Open, name: str) -> None:
    data, wanted = WHOLE[name]
    assert np.array_equal(pixels(opened(data)), np.broadcast_to(wanted.T, (3, WIDTH, HEIGHT)).T)


@pytest.mark.parametrize("name", sorted(WHOLE.keys() - {"psd with opacity"}))
def test_a_file_that_is_cut_is_refused(opened: Open, name: str) -> None:
    data, _ = WHOLE[name]
    for share in (0.5, 0.95):
        assert code_of(opened, data[: int(share * len(data))]) == "truncated"


@pytest.mark.parametrize(
    "data",
    [
        b"P6\n60000 60000\n255\n",
        b"P1\n60000 60000\n",
        b"qoif" + struct.pack(">IIBB", 60_000, 60_000, 4, 0) + bytes(7) + b"\1",
        psd(bands(PICTURE)).replace(struct.pack(">II", HEIGHT, WIDTH), struct.pack(">II", 60_000, 60_000)),
        saved(PICTURE, "JPEG2000").replace(struct.pack(">II", HEIGHT, WIDTH), struct.pack(">II", 60_000, 60_000)),
        saved(PICTURE, "JPEG2000", no_jp2=True).replace(struct.pack(">I", WIDTH), struct.pack(">I", 99_000_000)),
    ],
    ids=["ppm", "pbm", "qoi", "psd", "jp2", "j2k"],
)
def test_a_bomb_is_refused_before_its_pixels(opened: Open, data: bytes) -> None:
    assert code_of(opened, data) == "too_large"


def test_a_long_line_of_text_is_read_whole(opened: Open) -> None:
    """More than is read at once: digits without gaps, and numbers with tabs between them."""
    bits = np.random.default_rng(1).integers(0, 2, (1200, 1000))
    bitmap = b"P1\n1000 1200\n" + (48 + bits).astype(np.uint8).tobytes()
    assert np.array_equal(pixels(opened(bitmap))[..., 0], 255 * (1 - bits))
    grey = b"P2\n1000 1200\n9\n" + b"\t".join(b"9" if bit else b"0" for bit in bits.ravel())
    assert np.array_equal(pixels(opened(grey))[..., 0], 255 * bits)


def test_a_codestream_of_another_size_or_of_countless_tiles_is_not_decoded(opened: Open) -> None:
    data = saved(PICTURE, "JPEG2000", **LOSSLESS)
    size = struct.pack(">II", WIDTH, HEIGHT)
    assert data.count(size) == 2  # of the picture, and of its one tile
    assert code_of(opened, data.replace(size, struct.pack(">II", 9000, 9000), 1)) == "decode_failed"
    many = saved(np.zeros((300, 300), np.uint8), "JPEG2000", **LOSSLESS)
    tile = many.rindex(struct.pack(">II", 300, 300))
    assert code_of(opened, many[:tile] + struct.pack(">II", 1, 1) + many[tile + 8 :]) == "decode_failed"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (psd(bands(PICTURE), flattened=False), "without a flattened picture"),
        (psd(bands(PICTURE), 9), "Lab"),
        (psd([PICTURE[..., 0].astype(np.uint32)], 1), "32 bits"),
    ],
    ids=["layers", "lab", "32 bits"],
)
def test_what_is_not_read_is_refused_with_a_sentence(opened: Open, data: bytes, says: str) -> None:
    with pytest.raises(MediumError, match=says) as caught:
        opened(data)
    assert caught.value.code == "unsupported_format"


def test_a_jpeg_2000_in_another_colour_space_is_converted(opened: Open) -> None:
    """Its profile says that red and blue are swapped; the colours of the picture are then those of no plain reader."""
    from test_image import SRGB_COLORANTS, matrix_profile

    data = saved(PICTURE, "JPEG2000", **LOSSLESS)
    at = data.index(b"colr") - 4
    (length,) = struct.unpack_from(">I", data, at)
    profile = matrix_profile(SRGB_COLORANTS[::-1])
    colours = struct.pack(">I4sBBB", 11 + len(profile), b"colr", 2, 0, 0) + profile
    header = data.index(b"jp2h") - 4
    made = bytearray(data[:at] + colours + data[at + length :])
    struct.pack_into(">I", made, header, struct.unpack_from(">I", data, header)[0] + len(colours) - length)
    difference = pixels(opened(bytes(made))).astype(int) - PICTURE[..., ::-1]
    assert np.abs(difference).max() <= 12  # its curve is a plain power


def test_wide_colours_are_refused(opened: Open, tmp_path: Path) -> None:
    """Pillow would round white of JPEG 2000 up to black, and knows no TIFF of colours in floats."""
    large = np.kron(WIDE, np.ones((2, 2, 1), np.uint16))
    for name, samples in (("a.jp2", large), ("a.tif", PICTURE / np.float32(255)), ("a.tif", PICTURE / 255)):
        cv2.imwrite(str(tmp_path / name), samples)
        assert code_of(opened, (tmp_path / name).read_bytes()) == "unsupported_format"


def bitmap(masks: tuple[int, ...], *, bits: int = 32, header: int = 40, down: bool = False) -> bytes:
    """A BMP whose channels lie where the masks say."""
    samples = np.zeros((HEIGHT, WIDTH), np.uint64)
    for mask, channel in zip(masks, np.moveaxis(np.dstack([PICTURE, ALPHA]), -1, 0), strict=False):
        lowest = max(1, mask & -mask)
        samples |= (np.rint(channel * (mask // lowest / 255)).astype(np.uint64)) * np.uint64(lowest)
    rows = samples.astype(f"<u{bits // 8}")[:: 1 if down else -1]
    rows = np.pad(rows.view(np.uint8).reshape(HEIGHT, -1), ((0, 0), (0, -WIDTH * bits // 8 % 4)))
    written = struct.pack("<4I", *masks, *(0,) * (4 - len(masks)))[: 4 * (4 if header > 52 else 3)]
    info = struct.pack("<IiiHHIIiiII", header, WIDTH, -HEIGHT if down else HEIGHT, 1, bits, 3, 0, 0, 0, 0, 0)
    head = (info + written).ljust(header, b"\0")
    return struct.pack("<2sIHHI", b"BM", 14 + len(head) + rows.size, 0, 0, 14 + len(head)) + head + rows.tobytes()


BITMAPS = {
    "BGRX": (((0xFF0000, 0xFF00, 0xFF), {}), 0),
    "BGRX, top down": (((0xFF0000, 0xFF00, 0xFF), {"down": True}), 0),
    "BGRA, V4": (((0xFF0000, 0xFF00, 0xFF, 0xFF000000), {"header": 108}), 0),
    "RGBA, V5": (((0xFF, 0xFF00, 0xFF0000, 0xFF000000), {"header": 124}), 0),
    "5-6-5": (((0xF800, 0x7E0, 0x1F), {"bits": 16}), 5),
    "5-5-5": (((0x7C00, 0x3E0, 0x1F), {"bits": 16}), 5),
}


@pytest.mark.parametrize("name", BITMAPS)
def test_bitmaps_with_masks(opened: Open, name: str) -> None:
    (masks, options), tolerance = BITMAPS[name]
    data = bitmap(masks, **options)
    wanted = ON_WHITE if len(masks) == 4 and masks[3] else PICTURE
    assert np.abs(pixels(opened(data)).astype(int) - wanted).max() <= tolerance
    assert code_of(opened, data[:-9]) == "truncated"


def test_other_masks_are_refused(opened: Open) -> None:
    assert code_of(opened, bitmap((0x3FF, 0xFFC00, 0x3FF00000))) == "decode_failed"


def test_opacity_that_was_never_filled_in_is_none(opened: Open) -> None:
    data = bytearray(bitmap((0xFF0000, 0xFF00, 0xFF, 0xFF000000), header=108))
    data[14 + 108 + 3 :: 4] = bytes(WIDTH * HEIGHT)
    assert np.array_equal(pixels(opened(bytes(data))), PICTURE)


def test_a_second_picture_that_is_cut_does_not_matter(opened: Open) -> None:
    """A gain map or a preview behind the main picture (CIPA DC-007, Ultra HDR)."""
    buffer = io.BytesIO()
    main, second = Image.fromarray(PICTURE), Image.fromarray(PICTURE[::-1])
    main.save(buffer, "MPO", save_all=True, append_images=[second])
    data = buffer.getvalue()
    begin = data.rindex(b"\xff\xd8\xff")
    whole, cut = opened(data), opened(data[: (begin + len(data)) // 2])
    assert np.array_equal(pixels(cut), pixels(whole))
    assert cut.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        b"P6 is where the car is parked, 3 4 5\n",
        b"P4\t12\t34\nP5\t13\t35\n",
        b"P1\nfirst participant\n",
        b"qoi is a format\n",
        b"8BP",
    ],
)
def test_a_text_is_no_picture(text: bytes) -> None:
    assert sniff(text) is None


def test_opacity_that_is_not_read_is_told(opened: Open) -> None:
    masks = struct.pack("<4I", 0x7C00, 0x3E0, 0x1F, 0x8000)
    header = struct.pack("<IiiHHIIiiII", 56, 16, 16, 1, 16, 3, 512, 0, 0, 0, 0) + masks
    hidden = opened(b"BM" + struct.pack("<IHHI", 70 + 512, 0, 0, 70) + header + bytes(512))
    assert [problem.code for problem in hidden.problems] == ["opacity_ignored"]
