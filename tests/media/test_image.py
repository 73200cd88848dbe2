import io
import re
import struct
import sys
import zlib
from typing import ClassVar

import numpy as np
import pytest
from make_media import png_chunk
from PIL import Image

from mediaan.errors import MediumError
from mediaan.media.open import open_image
from mediaan.types.media import ViewSpec

FULL = ViewSpec("full", long_side=100_000)
RED, GREEN, BLUE, YELLOW = (220, 30, 40), (20, 160, 60), (30, 50, 200), (240, 220, 20)


def quarters(width=48, height=32):
    """A picture that shows every way of turning it wrongly: red, green over blue, yellow."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = RED
    pixels[: height // 2, width // 2 :] = GREEN
    pixels[height // 2 :, : width // 2] = BLUE
    pixels[height // 2 :, width // 2 :] = YELLOW
    return pixels


def encoded(image, codec, **options):
    buffer = io.BytesIO()
    (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(buffer, codec, **options)
    return buffer.getvalue()


def png(width, height, depth, colour_type, rows, *, before=(), after=(), interlaced=False):
    """Write a PNG from packed rows of bytes, for what Pillow does not write."""

    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, interlaced)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    blocks = [(b"IHDR", header), *before, (b"IDAT", pixels), *after, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*each) for each in blocks)


@pytest.fixture
def opened(tmp_path):
    def open_bytes(data, *views, name="x.bin", **options):
        path = tmp_path / name
        path.write_bytes(data)
        return open_image(path, views or (FULL,), **options)

    return open_bytes


@pytest.fixture
def pixels(opened):
    def full_view(data):
        result = opened(data)
        view = result.chunks[0].views["full"]
        assert view.shape == (1, result.medium.height, result.medium.width, 3)
        assert view.dtype == np.uint8
        return view[0]

    return full_view


def codes(result):
    return [problem.code for problem in result.problems]


class TestFormats:
    @pytest.mark.parametrize(
        ("codec", "options", "tolerance"),
        [
            ("png", {}, 0),
            ("bmp", {}, 0),
            ("gif", {}, 0),
            ("tiff", {}, 0),
            ("tiff", {"compression": "tiff_lzw"}, 0),
            ("tiff", {"compression": "tiff_adobe_deflate"}, 0),
            ("webp", {"lossless": True}, 0),
            ("webp", {"quality": 95}, 12),
            ("avif", {"quality": 95, "subsampling": "4:4:4"}, 8),
            ("jpeg", {"quality": 97, "subsampling": 0}, 6),
            ("jpeg", {"quality": 97, "subsampling": 0, "progressive": True}, 6),
        ],
    )
    def test_pixels_come_back(self, opened, codec, options, tolerance):
        result = opened(encoded(quarters(), codec, **options), name="wrong.txt")
        medium, (chunk,) = result.medium, result.chunks
        assert (medium.codec, medium.kind, medium.width, medium.height) == (codec, "image", 48, 32)
        assert (medium.name, medium.duration_s, medium.frame_rate) == ("wrong.txt", None, None)
        assert chunk.t.tolist() == [0.0]
        assert chunk.weight_s.tolist() == [5.0]
        # Lossy WebP halves the colours' resolution, which smears them at the edges; 8 px away they are themselves.
        inside = np.s_[:] if tolerance <= 8 else np.ix_([4, -4], [8, -8])
        assert np.abs(chunk.views["full"][0].astype(int) - quarters())[inside].max() <= tolerance
        assert result.problems == ()

    @pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "YCbCr", "LAB", "RGBX"])
    def test_tiff_modes(self, pixels, mode):
        grey = mode in {"1", "L", "LA"}
        wanted = np.repeat(np.where(quarters()[..., :1] > 128, 255, 0), 3, axis=2) if grey else quarters()
        source = Image.fromarray(wanted.astype(np.uint8))
        source = source.convert("L") if grey else source
        view = pixels(encoded(source.convert(mode, palette=Image.Palette.ADAPTIVE), "tiff"))
        # Pillow's own way to LAB costs up to 7 levels before the file is written.
        assert np.abs(view.astype(int) - wanted).max() <= {"LAB": 8, "YCbCr": 3}.get(mode, 0)

    @pytest.mark.parametrize("depth", [1, 2, 4, 8])
    def test_grey_png_of_any_depth_is_rescaled_by_its_depth(self, pixels, depth):
        levels = 2**depth
        samples = np.arange(levels, dtype=np.uint8)
        bits = np.unpackbits(samples[:, None], axis=1)[:, -depth:].ravel()
        view = pixels(png(levels, 1, depth, 0, [np.packbits(bits)]))
        assert view[0, :, 1].tolist() == [round(level * 255 / (levels - 1)) for level in range(levels)]

    def test_interlaced_png(self, pixels):
        source = np.arange(64, dtype=np.uint8).reshape(8, 8)
        starts_and_steps = [
            (0, 0, 8, 8),
            (0, 4, 8, 8),
            (4, 0, 8, 4),
            (0, 2, 4, 4),
            (2, 0, 4, 2),
            (0, 1, 2, 2),
            (1, 0, 2, 1),
        ]
        rows = [row for y, x, dy, dx in starts_and_steps for row in source[y::dy, x::dx]]
        assert pixels(png(8, 8, 8, 0, rows, interlaced=True))[..., 0].tolist() == source.tolist()

    def test_cmyk_jpeg_is_not_a_negative(self, pixels):
        ink = np.zeros((16, 32, 4), np.uint8)
        ink[:, :16] = (0, 255, 255, 0)
        ink[:, 16:] = (255, 0, 0, 128)
        view = pixels(encoded(Image.fromarray(ink, "CMYK"), "jpeg", quality=100, subsampling=0)).astype(int)
        assert np.abs(view[:, :16] - (255, 0, 0)).max() <= 4
        assert np.abs(view[:, 16:] - (0, 127, 127)).max() <= 4

    def test_ycck_jpeg(self, pixels):
        """In Adobe's YCCK the Y, Cb, Cr are those of the ink amounts taken as red, green, blue; black is inverted.

        Y, Cb, Cr of pure red thus say: all cyan, no magenta, no yellow.
        """
        stored = np.full((16, 16, 4), (76, 85, 255, 255), np.uint8)
        data = encoded(Image.fromarray(255 - stored, "CMYK"), "jpeg", quality=100, subsampling=0)
        at = data.index(b"Adobe") + 11
        assert data[at] == 0
        view = pixels(data[:at] + b"\x02" + data[at + 1 :]).astype(int)
        assert np.abs(view - (0, 255, 255)).max() <= 3

    @pytest.mark.parametrize("codec", ["gif", "webp", "png", "tiff"])
    def test_of_several_frames_the_first_is_taken_and_said_so(self, opened, codec):
        frames = [Image.fromarray(quarters()), Image.new("RGB", (48, 32), "black")]
        options = {"lossless": True} if codec == "webp" else {}
        result = opened(encoded(frames[0], codec, save_all=True, append_images=frames[1:], **options))
        assert np.abs(result.chunks[0].views["full"][0].astype(int) - quarters()).max() <= 1
        assert codes(result) == ["first_page_only" if codec == "tiff" else "first_frame_only"]


class TestDepth:
    samples = np.linspace(0, 65535, 48 * 32).round().astype(np.uint16).reshape(32, 48)
    wanted = np.round(samples / 257.0).astype(np.uint8)

    @pytest.mark.parametrize("codec", ["png", "tiff"])
    def test_16_bit_grey_is_rescaled_exactly_and_not_by_its_content(self, pixels, codec):
        for samples in (self.samples, self.samples // 4):
            view = pixels(encoded(samples, codec))
            assert (view == np.round(samples / 257.0)[..., None]).all()

    def test_16_bit_grey_tiff_of_the_other_byte_order(self, pixels):
        image = Image.frombytes("I;16B", (48, 32), self.samples.astype(">u2").tobytes())
        data = encoded(image, "tiff")
        assert data.startswith(b"MM")
        assert (pixels(data) == self.wanted[..., None]).all()

    def test_tiff_in_which_white_is_zero(self, pixels):
        data = encoded(self.samples, "tiff")
        black_is_zero, white_is_zero = (struct.pack("<HHII", 262, 3, 1, value) for value in (1, 0))
        assert black_is_zero in data
        assert (pixels(data.replace(black_is_zero, white_is_zero)) == 255 - self.wanted[..., None]).all()

    def test_32_bit_grey_is_signed_as_the_file_says(self, pixels):
        samples = np.array([[-5, 0, 2**30, 2**31 - 1]], np.int32)
        assert pixels(encoded(samples, "tiff"))[0, :, 0].tolist() == [0, 0, 128, 255]

    def test_floats_are_light_from_0_to_1(self, opened):
        result = opened(encoded(np.array([[-1.0, 0.0, 0.5, 1.0, 7.0, np.nan]], np.float32), "tiff"))
        assert result.chunks[0].views["full"][0, 0, :, 0].tolist() == [0, 0, 188, 255, 255, 0]
        assert codes(result) == ["float_samples"]

    def test_16_bit_colour_keeps_the_upper_byte(self, pixels):
        colours = np.array([[(0, 257, 65535), (0x1234, 0x80FF, 0xFF00)]], ">u2")
        assert pixels(png(2, 1, 16, 2, [colours.tobytes()]))[0].tolist() == [[0, 1, 255], [0x12, 0x80, 0xFF]]


class TestAlpha:
    def test_alpha_is_composited_on_white(self, pixels):
        source = np.array([[(200, 0, 100, 255), (200, 0, 100, 0), (200, 0, 100, 51)]], np.uint8)
        wanted = [[200, 0, 100], [255, 255, 255], [244, 204, 224]]
        for codec in ("png", "tiff", "webp"):
            options = {"lossless": True, "exact": True} if codec == "webp" else {}
            view = pixels(encoded(source, codec, **options))
            assert np.abs(view[0].astype(int) - wanted).max() <= 2

    def test_colours_hidden_under_alpha_do_not_bleed_when_scaled(self, opened):
        source = np.zeros((64, 64, 4), np.uint8)
        source[:, :32] = (10, 120, 10, 255)
        source[:, 32:] = (255, 0, 0, 0)
        view = opened(encoded(source, "png"), ViewSpec("small", long_side=7)).chunks[0].views["small"][0].astype(int)
        assert (view[..., 0] <= view[..., 1] + 1).all()  # nowhere redder than green: the hidden red is gone

    def test_grey_with_alpha(self, pixels):
        source = Image.merge("LA", [Image.new("L", (2, 1), 100), Image.frombytes("L", (2, 1), b"\xff\x00")])
        assert pixels(encoded(source, "png"))[0].tolist() == [[100] * 3, [255] * 3]

    @pytest.mark.parametrize(
        ("depth", "row", "key", "wanted"),
        [
            (1, b"\x40", 1, [0, 255]),
            (2, b"\x60", 1, [255, 170]),
            (4, b"\x3a", 3, [255, 170]),
            (8, b"\x05\x64", 5, [255, 100]),
            (16, b"\x12\x34\x12\x35", 0x1234, [255, 18]),
        ],
    )
    def test_the_transparent_grey_of_png(self, pixels, depth, row, key, wanted):
        data = png(2, 1, depth, 0, [row], before=[(b"tRNS", struct.pack(">H", key))])
        assert pixels(data)[0, :, 0].tolist() == wanted

    @pytest.mark.parametrize("depth", [8, 16])
    def test_the_transparent_colour_of_png(self, pixels, depth):
        # The lower bytes differ from the upper ones, which alone are kept.
        values = [(1, 2, 3), (9, 8, 7)] if depth == 8 else [(0x1F0, 0x2F1, 0x3F2), (0x9F3, 0x8F4, 0x7F5)]
        colours = np.array(values, np.uint8 if depth == 8 else ">u2")
        key = struct.pack(">HHH", *values[0])
        data = png(2, 1, depth, 2, [colours.tobytes()], before=[(b"tRNS", key)])
        assert pixels(data)[0].tolist() == [[255] * 3, [9, 8, 7]]

    def test_a_palette_with_transparency(self, pixels):
        palette = (b"PLTE", bytes([200, 10, 20, 0, 0, 0, 30, 40, 50]))
        data = png(3, 1, 8, 3, [b"\0\1\2"], before=[palette, (b"tRNS", b"\xff\x00")])
        assert pixels(data)[0].tolist() == [[200, 10, 20], [255] * 3, [30, 40, 50]]

    def test_a_gif_with_transparency(self, pixels):
        source = Image.frombytes("P", (2, 1), b"\0\1")
        source.putpalette([200, 10, 20, 0, 0, 0])
        assert pixels(encoded(source, "gif", transparency=1))[0].tolist() == [[200, 10, 20], [255] * 3]


class TestOrientation:
    # As the EXIF standard words it: where the stored picture's row 0 and column 0 are when it is displayed.
    stored_from_upright: ClassVar = {
        1: lambda upright: upright,
        2: lambda upright: upright[:, ::-1],
        3: lambda upright: upright[::-1, ::-1],
        4: lambda upright: upright[::-1],
        5: lambda upright: upright.swapaxes(0, 1),
        6: lambda upright: np.rot90(upright),
        7: lambda upright: upright[::-1, ::-1].swapaxes(0, 1),
        8: lambda upright: np.rot90(upright, -1),
    }

    @pytest.mark.parametrize(
        ("codec", "orientation"),
        [*(("jpeg", number) for number in range(1, 9)), *((codec, 6) for codec in ("png", "webp", "tiff", "avif"))],
    )
    def test_every_orientation_comes_back_upright(self, opened, codec, orientation):
        exif = Image.Exif()
        exif[0x0112] = orientation
        options = {"jpeg": {"quality": 97, "subsampling": 0}, "webp": {"lossless": True}, "avif": {"quality": 95}}
        stored = np.ascontiguousarray(self.stored_from_upright[orientation](quarters(480, 320)))
        result = opened(
            encoded(stored, codec, exif=exif, **options.get(codec, {})), FULL, ViewSpec("small", long_side=60)
        )
        assert (result.medium.width, result.medium.height) == (480, 320)
        full, small = (result.chunks[0].views[name][0].astype(int) for name in ("full", "small"))
        assert small.shape == (40, 60, 3)
        for view in (full, small):
            height, width = view.shape[:2]
            for (y, x), colour in zip(
                [(0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)], (RED, GREEN, BLUE, YELLOW), strict=True
            ):
                assert np.abs(view[int(y * height), int(x * width)] - colour).max() <= 10

    def test_png_may_say_so_after_the_pixels(self, opened):
        exif = Image.Exif()
        exif[0x0112] = 6
        block = (b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0"))
        result = opened(png(3, 1, 8, 0, [b"\0\x64\xff"], after=[block]))
        assert (result.medium.width, result.medium.height) == (1, 3)
        assert result.chunks[0].views["full"][0, :, 0, 0].tolist() == [0, 100, 255]

    @pytest.mark.parametrize("value", [0, 9, 255])
    def test_values_without_meaning_are_upright(self, pixels, value):
        exif = Image.Exif()
        exif[0x0112] = value
        assert (pixels(encoded(quarters(), "png", exif=exif)) == quarters()).all()

    @pytest.mark.parametrize(
        ("exif", "code"),
        [(b"MM\0*\0\0\0\x08\xff\xff\x01\x12\0\3", "damaged_metadata"), (b"no table of tags", "exif_ignored")],
    )
    def test_damaged_exif_is_noted(self, opened, exif, code):
        result = opened(encoded(quarters(), "png", exif=b"Exif\0\0" + exif))
        assert code in codes(result)
        assert (result.medium.width, result.medium.height) == (48, 32)


SRGB_COLORANTS = [(0.43607, 0.22249, 0.01392), (0.38515, 0.71687, 0.09708), (0.14307, 0.06061, 0.71410)]
P3_COLORANTS = [(0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)]
GAMMA = 563 / 256  # as near to 2.2 as the curve's u8Fixed8 number comes


def icc_profile(space, tags):
    """Build an ICC version 2 input profile from its tags."""
    table, body = b"", b""
    start = 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        table += struct.pack(">4sII", name, start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    header = bytearray(128)
    struct.pack_into(">I4sI4s4s4s", header, 0, start + len(body), b"test", 0x02400000, b"scnr", space, b"XYZ ")
    header[36:40] = b"acsp"
    struct.pack_into(">iii", header, 68, *(round(v * 65536) for v in (0.9642, 1.0, 0.8249)))
    if b"A2B0" in tags:
        header[20:24] = b"Lab "
    return bytes(header) + struct.pack(">I", len(tags)) + table + body


def xyz(values):
    return b"XYZ \0\0\0\0" + struct.pack(">iii", *(round(v * 65536) for v in values))


def gamma(value):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(value * 256))


WHITE_POINT = xyz((0.9642, 1.0, 0.8249))


def matrix_profile(colorants):
    tags = {b"wtpt": WHITE_POINT}
    tags |= {name: xyz(c) for name, c in zip((b"rXYZ", b"gXYZ", b"bXYZ"), colorants, strict=True)}
    return icc_profile(b"RGB ", tags | dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), gamma(GAMMA)))


def to_srgb(pixels, colorants):
    """Colour science on its own: linearise, go through XYZ, encode as IEC 61966-2-1 says."""
    linear = (pixels / 255.0) ** GAMMA @ np.array(colorants) @ np.linalg.inv(np.array(SRGB_COLORANTS))
    linear = linear.clip(0, 1)
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


class TestColourProfiles:
    @pytest.mark.parametrize("codec", ["png", "tiff", "webp", "jpeg", "avif"])
    def test_display_p3_colours_move_as_colour_science_says(self, opened, codec):
        colours = [(200, 60, 70), (60, 190, 80), (70, 60, 180), (128, 128, 128), (255, 0, 0), (90, 160, 140)]
        source = np.repeat(np.repeat(np.array([colours], np.uint8), 16, axis=0), 16, axis=1)
        options = {"webp": {"lossless": True}, "jpeg": {"quality": 100, "subsampling": 0}, "avif": {"quality": 100}}
        data = encoded(source, codec, icc_profile=matrix_profile(P3_COLORANTS), **options.get(codec, {}))
        result = opened(data)
        view = result.chunks[0].views["full"][0, 8, 8::16].astype(float)
        assert result.problems == ()
        assert np.abs(view - to_srgb(source[8, 8::16], P3_COLORANTS)).max() <= {"jpeg": 4, "avif": 8}.get(codec, 2)
        assert np.abs(view - source[8, 8::16]).max() > 15

    def test_a_profile_with_swapped_colours_swaps_them(self, pixels):
        swapped = matrix_profile(SRGB_COLORANTS[::-1])
        view = pixels(encoded(quarters(), "png", icc_profile=swapped)).astype(float)
        assert np.abs(view - to_srgb(quarters()[..., ::-1], SRGB_COLORANTS)).max() <= 2

    def test_alpha_survives_the_conversion(self, pixels):
        source = np.array([[(255, 0, 0, 255), (255, 0, 0, 0)]], np.uint8)
        view = pixels(encoded(source, "png", icc_profile=matrix_profile(SRGB_COLORANTS[::-1]))).astype(int)
        assert np.abs(view[0] - [[0, 0, 255], [255, 255, 255]]).max() <= 2

    def test_a_grey_picture_with_a_colour_profile_stays_grey(self, opened):
        result = opened(encoded(np.array([[0, 100, 255]], np.uint8), "png", icc_profile=matrix_profile(P3_COLORANTS)))
        view = result.chunks[0].views["full"][0, 0].astype(int)
        assert result.problems == ()
        assert np.ptp(view, axis=1).max() <= 1
        assert np.abs(view[:, 0] - [0, 100, 255]).max() <= 2

    def test_cmyk_goes_through_its_profile(self, opened):
        """A profile in which cyan ink is red: what the plain complement would show as cyan must come out red."""
        lab = np.full((2, 2, 2, 2, 3), (0, 128, 128), np.uint8)
        lab[0, 0, 0, 0] = (255, 128, 128)
        lab[1, 0, 0, 0] = (136, 208, 195)  # L 53.3, a 80, b 67: the red of sRGB
        identity = bytes(range(256))
        matrix = struct.pack(">9i", *(65536 * (i % 4 == 0) for i in range(9)))
        table = b"mft1\0\0\0\0" + bytes([4, 3, 2, 0]) + matrix + identity * 4 + lab.tobytes() + identity * 3
        profile = icc_profile(b"CMYK", {b"wtpt": WHITE_POINT, b"A2B0": table})
        ink = np.zeros((16, 32, 4), np.uint8)
        ink[:, :16] = (255, 0, 0, 0)
        result = opened(encoded(Image.fromarray(ink, "CMYK"), "jpeg", quality=100, icc_profile=profile))
        view = result.chunks[0].views["full"][0].astype(int)
        assert result.problems == ()
        assert np.abs(view[8, 4] - (255, 0, 0)).max() <= 12
        assert np.abs(view[8, 28] - (255, 255, 255)).max() <= 4

    @pytest.mark.parametrize(
        "profile",
        [
            b"no profile at all",
            matrix_profile(P3_COLORANTS)[:200],
            icc_profile(b"GRAY", {b"wtpt": WHITE_POINT, b"kTRC": gamma(1.0)}),
            icc_profile(b"RGB ", {b"wtpt": WHITE_POINT}),
        ],
        ids=["garbage", "cut", "of another colour space", "without tags"],
    )
    def test_a_profile_that_cannot_be_used_is_noted_and_left_aside(self, opened, profile):
        result = opened(encoded(quarters(), "png", icc_profile=profile))
        assert codes(result) == ["colour_profile_ignored"]
        assert (result.chunks[0].views["full"][0] == quarters()).all()


class TestViews:
    @pytest.mark.parametrize("codec", ["jpeg", "png"])
    @pytest.mark.parametrize(("width", "height"), [(1601, 1067), (3000, 2000), (700, 466), (5003, 501)])
    def test_scaling_moves_nothing(self, opened, codec, width, height):
        """A ramp keeps its value at every place, also where JPEG is decoded at a fraction of its size."""
        ramp = np.repeat((255 * (np.arange(width) + 0.5) / width)[None].round(), height, axis=0).astype(np.uint8)
        result = opened(
            encoded(ramp, codec, **({"quality": 97} if codec == "jpeg" else {})), ViewSpec("v", long_side=333)
        )
        view = result.chunks[0].views["v"][0, :, :, 0].astype(float)
        wanted = 255 * (np.arange(333) + 0.5) / 333
        assert (result.medium.width, result.medium.height) == (width, height)
        assert np.abs(view - wanted).max() <= 2.0
        assert abs((view - wanted)[:, 5:-5].mean()) < 0.2

    def test_jpeg_at_a_fraction_looks_like_the_whole(self, opened):
        rng = np.random.default_rng(5)
        scene = Image.fromarray(rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)).resize(
            (2400, 1600), Image.Resampling.BICUBIC
        )
        data = encoded(scene, "jpeg", quality=95)
        view = opened(data, ViewSpec("v", long_side=500)).chunks[0].views["v"][0].astype(float)
        with Image.open(io.BytesIO(data)) as whole:
            reference = np.asarray(whole.resize((500, 333), Image.Resampling.BICUBIC)).astype(float)
        assert np.abs(view - reference).mean() < 1.0
        assert np.abs(view - reference).max() < 8

    def test_small_pictures_are_enlarged_when_asked(self, opened):
        spec = ViewSpec("v", long_side=480, upscale=True)
        view = opened(encoded(quarters(), "png"), spec).chunks[0].views["v"][0]
        assert view.shape == (320, 480, 3)
        assert view[10, 10].tolist() == list(RED)
        assert view[-10, -10].tolist() == list(YELLOW)

    def test_one_pixel(self, opened):
        view = opened(encoded(np.full((1, 1, 3), 77, np.uint8), "png"), ViewSpec("v", pixels=10**5, multiple=32))
        assert (view.chunks[0].views["v"] == 77).all()


def code_of(opened, data, **options):
    with pytest.raises(MediumError) as caught:
        opened(data, name="bad ad.jpg", **options)
    assert caught.value.message.startswith("bad ad.jpg: ")
    return caught.value.code


class TestRefusals:
    def test_a_bomb_is_refused_before_its_pixels(self, opened):
        assert code_of(opened, png(60_000, 60_000, 8, 2, [b""])) == "too_large"

    def test_a_line_without_end_is_refused_before_its_pixels(self, opened):
        """It keeps within the megapixels, but no scaler has room for it."""
        assert code_of(opened, png(99_000_000, 1, 8, 2, [b""])) == "too_large"
        assert opened(png(20_000, 1, 8, 0, [bytes(20_000)]), ViewSpec("v", long_side=64)).medium.width == 20_000

    def test_a_jpeg_that_says_it_is_huge(self, opened):
        data = encoded(quarters(), "jpeg")
        huge = data.replace(struct.pack(">HH", 32, 48), struct.pack(">HH", 65_500, 65_500))
        assert code_of(opened, huge) == "too_large"

    def test_the_limit_can_be_set_and_is_inclusive(self, opened):
        data = encoded(np.zeros((1000, 2000), np.uint8), "png")
        assert opened(data, max_megapixels=2.0).medium.width == 2000
        assert code_of(opened, data, max_megapixels=1.9) == "too_large"

    def test_a_file_that_is_too_long_for_any_picture_is_not_read(self, opened):
        assert code_of(opened, encoded(quarters(), "bmp") + bytes(2000), max_megapixels=1e-4) == "too_large"

    @pytest.mark.parametrize("codec", ["jpeg", "png", "webp", "tiff", "bmp", "avif", "gif"])
    def test_truncated_files(self, opened, codec):
        noise = np.random.default_rng(0).integers(0, 256, (96, 128, 3), dtype=np.uint8)
        data = encoded(noise, codec)
        for share in (0.4, 0.9):
            assert code_of(opened, data[: int(len(data) * share)]) == "truncated"

    def test_a_video_is_said_to_be_one(self, opened):
        with pytest.raises(MediumError, match=r"is a video \(matroska\) and not an image"):
            opened(b"\x1aE\xdf\xa3" + bytes(60))

    def test_the_raw_file_of_a_camera_is_not_mistaken_for_its_preview(self, opened):
        exif = Image.Exif()
        exif[254] = 1
        with pytest.raises(MediumError, match="raw file") as caught:
            opened(encoded(quarters(), "tiff", tiffinfo=exif))
        assert caught.value.code == "unsupported_format"


class TestHeic:
    def test_it_is_opened_with_the_extra(self, opened):
        heif = pytest.importorskip("pillow_heif", reason="the extra heif is not installed")
        source = Image.fromarray(quarters(480, 320))
        exif = Image.Exif()
        exif[0x0112] = 6
        buffer = io.BytesIO()
        try:
            heif.from_pillow(source.transpose(Image.Transpose.ROTATE_90)).save(buffer, quality=95, exif=exif.tobytes())
        except (RuntimeError, ValueError, OSError) as error:
            pytest.skip(f"this pillow-heif cannot write: {error}")
        result = opened(buffer.getvalue())
        assert result.medium.codec == "heic"
        assert (result.medium.width, result.medium.height) == (480, 320)
        assert (
            np.abs(
                result.chunks[0].views["full"][0, 80::160, 120::240].astype(int) - [[RED, GREEN], [BLUE, YELLOW]]
            ).max()
            < 12
        )

    def test_without_the_extra_the_error_names_it(self, opened, monkeypatch):
        monkeypatch.setitem(sys.modules, "pillow_heif", None)
        with pytest.raises(MediumError, match=re.escape("mediaan[heif]")) as caught:
            opened(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic")
        assert caught.value.code == "unsupported_format"
