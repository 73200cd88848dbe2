"""Netpbm, QOI, JPEG 2000, Photoshop documents and TIFF in floats: pixels are right, cut files are refused."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
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


def pam(samples: np.ndarray, kind: str, white: int = 255) -> bytes:
    depth = samples.shape[2]
    tuple_type = f"TUPLTYPE {kind}\n" if kind else ""
    head = f"P7\nWIDTH {WIDTH}\nHEIGHT {HEIGHT}\nDEPTH {depth}\nMAXVAL {white}\n{tuple_type}ENDHDR\n"
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


WHITE_AS_51 = np.where(ALPHA[..., None] == 255, PICTURE // 5 * 5, 255)
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
    "pam, to 51, without a type": (pam(np.dstack([PICTURE // 5, ALPHA // 5]), "", 51), WHITE_AS_51),
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


def wide_jpeg_2000(samples: np.ndarray, bits: int, layout: str) -> bytes:
    """A lossless codestream of samples of so many bits, by FFmpeg's encoder: planes of green, blue, red and opacity."""
    encoder: Any = av.CodecContext.create("jpeg2000", "w")
    encoder.width, encoder.height, encoder.pix_fmt = WIDTH, HEIGHT, layout
    encoder.time_base, encoder.options = Fraction(1, 25), {"format": "jp2", "pred": "dwt53"}
    frame: Any = av.VideoFrame(WIDTH, HEIGHT, layout)
    for plane, channel in zip(frame.planes, (0,) if samples.shape[2] < 3 else (1, 2, 0, 3), strict=False):
        rows = np.zeros((HEIGHT, plane.line_size // 2), "<u2")
        band = samples[..., channel] if samples.shape[2] != 2 else samples
        rows[:, : WIDTH * (1 if band.ndim == 2 else 2)] = band.reshape(HEIGHT, -1)
        plane.update(rows.tobytes())
    frame.pts = 0
    return b"".join(bytes(packet) for packet in [*encoder.encode(frame), *encoder.encode(None)])


@pytest.mark.parametrize(
    ("bits", "layout"),
    [
        *((bits, f"gray{bits}le") for bits in (9, 10, 12, 14, 16)),
        (16, "ya16le"),
        *((bits, f"gbrp{bits}le") for bits in (9, 10, 12, 14, 16)),
        *((bits, f"gbrap{bits}le") for bits in (10, 12, 16)),
    ],
)
@pytest.mark.parametrize("bare", [False, True], ids=["jp2", "codestream"])
def test_jpeg_2000_with_more_than_8_bits(opened: Open, bits: int, layout: str, bare: bool) -> None:
    channels = {"ya": 2, "gr": 1}.get(layout[:2], 4 if "gbra" in layout else 3)
    eight = np.dstack([PICTURE, ALPHA])[..., [0, 3] if channels == 2 else slice(channels)]
    data = wide_jpeg_2000(np.rint(eight * ((2**bits - 1) / 255)).astype(np.uint16), bits, layout)
    image = opened(data[data.index(b"\xff\x4f\xff\x51") :] if bare else data)
    colours = PICTURE if channels > 2 else np.dstack([GREY] * 3)
    wanted = np.where(ALPHA[..., None] == 255, colours, 255) if channels in {2, 4} else colours
    assert np.abs(pixels(image).astype(int) - wanted).max() <= 1


def test_jpeg_2000_of_another_encoder(opened: Open) -> None:
    large = np.kron(WIDE[..., ::-1], np.ones((2, 2, 1), np.uint16))
    data = cv2.imencode(".jp2", large, [cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, 1000])[1]
    assert np.abs(pixels(opened(data.tobytes()))[::2, ::2].astype(int) - PICTURE).max() <= 1
    for share in (0.5, 0.95):
        assert code_of(opened, data.tobytes()[: int(share * len(data))]) == "truncated"


def bitmap(
    masks: tuple[int, ...], *, bits: int = 32, header: int = 40, compression: int = 3, down: bool = False
) -> bytes:
    """A BMP whose channels lie where the masks say."""
    samples = np.zeros((HEIGHT, WIDTH), np.uint64)
    for mask, channel in zip(masks, np.moveaxis(np.dstack([PICTURE, ALPHA]), -1, 0), strict=False):
        lowest = max(1, mask & -mask)
        samples |= (np.rint(channel * (mask // lowest / 255)).astype(np.uint64)) * np.uint64(lowest)
    rows = samples.astype(f"<u{bits // 8}")[:: 1 if down else -1]
    rows = np.pad(rows.view(np.uint8).reshape(HEIGHT, -1), ((0, 0), (0, -WIDTH * bits // 8 % 4)))
    written = struct.pack("<4I", *masks, *(0,) * (4 - len(masks)))[: 4 * (4 if header > 52 or compression == 6 else 3)]
    info = struct.pack("<IiiHHIIiiII", header, WIDTH, -HEIGHT if down else HEIGHT, 1, bits, compression, 0, 0, 0, 0, 0)
    head = (info + written).ljust(header, b"\0")
    return struct.pack("<2sIHHI", b"BM", 14 + len(head) + rows.size, 0, 0, 14 + len(head)) + head + rows.tobytes()


BITMAPS = {
    "RGBX, V3": (((0xFF, 0xFF00, 0xFF0000, 0), {"header": 56}), 0),
    "RGBX": (((0xFF, 0xFF00, 0xFF0000), {}), 0),
    "BGRX": (((0xFF0000, 0xFF00, 0xFF), {}), 0),
    "BGRX, top down": (((0xFF0000, 0xFF00, 0xFF), {"down": True}), 0),
    "XRGB": (((0xFF00, 0xFF0000, 0xFF000000), {"header": 52}), 0),
    "10 bits": (((0x3FF00000, 0xFFC00, 0x3FF), {}), 0),
    "10 bits, opacity of 2": (((0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000), {"header": 108}), 0),
    "BGRA, V4": (((0xFF0000, 0xFF00, 0xFF, 0xFF000000), {"header": 108}), 0),
    "RGBA, V5": (((0xFF, 0xFF00, 0xFF0000, 0xFF000000), {"header": 124}), 0),
    "ARGB": (((0xFF00, 0xFF0000, 0xFF000000, 0xFF), {"compression": 6}), 0),
    "5-6-5": (((0xF800, 0x7E0, 0x1F), {"bits": 16}), 4),
    "5-6-5, swapped": (((0x1F, 0x7E0, 0xF800), {"bits": 16}), 4),
    "5-5-5": (((0x7C00, 0x3E0, 0x1F), {"bits": 16}), 4),
    "1-5-5-5": (((0x7C00, 0x3E0, 0x1F, 0x8000), {"bits": 16, "header": 56}), 4),
    "4-4-4-4": (((0xF00, 0xF0, 0xF, 0xF000), {"bits": 16, "header": 124}), 9),
    "3-3-2": (((0xE0, 0x1C, 0x3), {"bits": 16, "down": True}), 43),
}


@pytest.mark.parametrize("name", BITMAPS)
def test_bitmaps_with_any_masks(opened: Open, name: str) -> None:
    (masks, options), tolerance = BITMAPS[name]
    data = bitmap(masks, **options)
    wanted = ON_WHITE if len(masks) == 4 and masks[3] else PICTURE
    assert np.abs(pixels(opened(data)).astype(int) - wanted).max() <= tolerance
    assert code_of(opened, data[:-9]) == "truncated"


def test_masks_that_cannot_be(opened: Open) -> None:
    assert code_of(opened, bitmap((0xF0F, 0xF000, 0xF0000))) == "decode_failed"


def test_opacity_that_was_never_filled_in_is_none(opened: Open) -> None:
    data = bytearray(bitmap((0xFF0000, 0xFF00, 0xFF, 0xFF000000), header=108))
    data[14 + 108 + 3 :: 4] = bytes(WIDTH * HEIGHT)
    assert np.array_equal(pixels(opened(bytes(data))), PICTURE)


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
