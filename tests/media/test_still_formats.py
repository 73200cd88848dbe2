"""Netpbm, QOI, JPEG 2000, Photoshop documents and TIFF in floats: pixels are right, cut files are refused."""

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
from mediaan.media.probe import sniff
from mediaan.media.stills.image import OpenedImage
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


def pam(samples: np.ndarray, kind: str) -> bytes:
    depth = samples.shape[2]
    head = f"P7\nWIDTH {WIDTH}\nHEIGHT {HEIGHT}\nDEPTH {depth}\nMAXVAL 255\nTUPLTYPE {kind}\nENDHDR\n"
    return head.encode() + samples.tobytes()


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
    "pam": (pam(np.dstack([PICTURE, ALPHA]), "RGB_ALPHA"), ON_WHITE),
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
        b"P7\nWIDTH 60000\nHEIGHT 60000\nDEPTH 4\nMAXVAL 255\nENDHDR\n",
        b"qoif" + struct.pack(">IIBB", 60_000, 60_000, 4, 0) + bytes(7) + b"\1",
        psd(bands(PICTURE)).replace(struct.pack(">II", HEIGHT, WIDTH), struct.pack(">II", 60_000, 60_000)),
        saved(PICTURE, "JPEG2000").replace(struct.pack(">II", HEIGHT, WIDTH), struct.pack(">II", 60_000, 60_000)),
        saved(PICTURE, "JPEG2000", no_jp2=True).replace(struct.pack(">I", WIDTH), struct.pack(">I", 99_000_000)),
    ],
    ids=["ppm", "pbm", "pam", "qoi", "psd", "jp2", "j2k"],
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
        (pam(np.zeros((HEIGHT, WIDTH, 4), np.uint8), "CMYK"), "CMYK"),
    ],
    ids=["layers", "lab", "32 bits", "ink"],
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


class TestFloatTiff:
    """Linear light: 0 is black, 1 white, 0.2159 the grey in the middle of the screen's scale."""

    LINEAR = np.where(PICTURE <= 10, PICTURE / 255 / 12.92, ((PICTURE / 255 + 0.055) / 1.055) ** 2.4).astype(np.float32)

    def file(self, tmp_path: Path, samples: np.ndarray, *options: int) -> bytes:
        cv2.imwrite(str(tmp_path / "made.tif"), samples[..., [2, 1, 0, 3][: samples.shape[2]]], options)
        return (tmp_path / "made.tif").read_bytes()

    def test_colours_are_encoded_for_the_screen(self, opened: Open, tmp_path: Path) -> None:
        image = opened(self.file(tmp_path, self.LINEAR))
        assert np.array_equal(pixels(image), PICTURE)
        assert [problem.code for problem in image.problems] == ["float_samples"]

    def test_what_lies_beyond_is_clipped(self, opened: Open, tmp_path: Path) -> None:
        beyond = np.array([[[-1, 0, 0.2159], [1, 9, np.nan]]], np.float32)
        assert pixels(opened(self.file(tmp_path, beyond))).tolist() == [[[0, 0, 128], [255, 255, 0]]]

    def test_opacity(self, opened: Open, tmp_path: Path) -> None:
        samples = np.dstack([self.LINEAR, (ALPHA / 255).astype(np.float32)])
        assert np.array_equal(pixels(opened(self.file(tmp_path, samples))), ON_WHITE)

    def test_it_is_turned_upright(self, opened: Open, tmp_path: Path) -> None:
        data = bytearray(self.file(tmp_path, self.LINEAR, cv2.IMWRITE_TIFF_COMPRESSION, 1))
        (at,) = struct.unpack_from("<I", data, 4)
        (count,) = struct.unpack_from("<H", data, at)
        entries = [bytes(data[at + 2 + 12 * number : at + 14 + 12 * number]) for number in range(count)]
        entries = sorted([*entries, struct.pack("<HHIHH", 274, 3, 1, 6, 0)], key=lambda one: one[1::-1])
        struct.pack_into("<I", data, 4, len(data))
        image = opened(bytes(data) + struct.pack("<H", count + 1) + b"".join(entries) + bytes(4))
        assert np.array_equal(pixels(image), np.rot90(PICTURE, -1))
        assert (image.medium.width, image.medium.height) == (HEIGHT, WIDTH)

    def test_a_cut_file_is_refused(self, opened: Open, tmp_path: Path) -> None:
        data = self.file(tmp_path, self.LINEAR, cv2.IMWRITE_TIFF_COMPRESSION, 1)
        assert code_of(opened, data[: len(data) // 2]) in {"truncated", "decode_failed"}

    def test_other_floats_are_refused_with_a_sentence(self, opened: Open, tmp_path: Path) -> None:
        with pytest.raises(MediumError, match="64 bits"):
            opened(self.file(tmp_path, self.LINEAR.astype(np.float64)))


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
        b"P7\nnotes\n",
        b"qoi is a format\n",
        b"8BP",
    ],
)
def test_a_text_is_no_picture(text: bytes) -> None:
    assert sniff(text) is None
