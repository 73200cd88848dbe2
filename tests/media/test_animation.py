"""Animations against a compositor of our own, written from the specifications, and against what browsers do."""

import io
import struct
import zlib
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from make_media import png_chunk
from PIL import Image
from test_image import SRGB_COLORANTS, matrix_profile

from mediaan.errors import MediumError
from mediaan.media import MediaLimits, Sampling, open_medium
from mediaan.media import animation as animation_module
from mediaan.types.media import ViewSpec

FULL = ViewSpec("full", long_side=100_000)
LIMITS = MediaLimits()
WIDTH, HEIGHT = 24, 16


@dataclass(frozen=True)
class Drawn:
    """A frame as a test wants it: RGBA pixels, where they lie, and the rest."""

    pixels: np.ndarray
    left: int = 0
    top: int = 0
    delay_ms: int = 200
    disposal: str = "keep"
    blends: bool = True


def flat(colour, width=WIDTH, height=HEIGHT, **options):
    return Drawn(np.full((height, width, 4), (*colour, 255), np.uint8), **options)


RED, GREEN, BLUE = (200, 30, 30), (30, 200, 30), (30, 30, 200)


def composited(frames, width=WIDTH, height=HEIGHT):
    """What is on display with each frame, on white; colours multiplied by opacity, in floats."""
    canvas, shown = np.zeros((height, width, 4)), []
    for frame in frames:
        rows = slice(frame.top, min(height, frame.top + frame.pixels.shape[0]))
        columns = slice(frame.left, min(width, frame.left + frame.pixels.shape[1]))
        drawn = canvas.copy()
        patch = frame.pixels[: rows.stop - rows.start, : columns.stop - columns.start] / 255
        patch = np.dstack([patch[..., :3] * patch[..., 3:], patch[..., 3:]])
        below = drawn[rows, columns] * (1 - patch[..., 3:]) if frame.blends else 0
        drawn[rows, columns] = patch + below
        shown.append(255 * (drawn[..., :3] + 1 - drawn[..., 3:]))
        if frame.disposal == "keep":
            canvas = drawn
        elif frame.disposal == "clear":
            canvas = drawn
            canvas[rows, columns] = 0
    return shown


def gif(frames, width=WIDTH, height=HEIGHT, *, trailer=b";", background=0, interlaced=False, control=True):
    """Write a GIF whose frames have palettes of their own; codes stay at the 9 bits with which they begin."""
    data = b"GIF89a" + struct.pack("<HHBBB", width, height, 0, background, 0)
    for frame in frames:
        h, w = frame.pixels.shape[:2]
        visible = frame.pixels[..., 3] > 0
        colours, places = np.unique(frame.pixels[visible][:, :3], axis=0, return_inverse=True)
        assert len(colours) < 255, "a GIF frame has few colours"
        indices = np.full((h, w), 255, np.uint8)
        indices[visible] = places.ravel()
        if interlaced:
            indices = np.vstack([indices[0::8], indices[4::8], indices[2::4], indices[1::2]])
        if control:
            flags = {"keep": 1, "clear": 2, "restore": 3}[frame.disposal] << 2 | 1
            data += b"!\xf9\x04" + struct.pack("<BHBB", flags, frame.delay_ms // 10, 255, 0)
        data += b"," + struct.pack("<HHHHB", frame.left, frame.top, w, h, 0x87 | interlaced << 6)
        data += colours.tobytes().ljust(768, b"\0") + b"\x08" + gif_blocks(indices.tobytes())
    return data + trailer


def gif_blocks(indices):
    codes = []
    for at, index in enumerate(indices):
        codes += [256, index] if at % 200 == 0 else [index]
    bits = "".join(f"{code:09b}"[::-1] for code in [*codes, 257])
    packed = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))
    return (
        b"".join(bytes([len(packed[at : at + 255])]) + packed[at : at + 255] for at in range(0, len(packed), 255))
        + b"\0"
    )


def apng(frames, width=WIDTH, height=HEIGHT, *, colour_type=6, delay=None, hidden=None, before=(), stated=None):
    """Write an APNG; `hidden` is a picture that is no frame, `delay` a fraction for all frames."""
    channels = {0: [0], 2: [0, 1, 2], 4: [0, 3], 6: [0, 1, 2, 3]}[colour_type]

    def packed(pixels):
        return zlib.compress(b"".join(b"\0" + row[:, channels].tobytes() for row in pixels))

    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    blocks = [(b"IHDR", header), *before, (b"acTL", struct.pack(">II", stated or len(frames), 0))]
    blocks += [(b"IDAT", packed(hidden))] if hidden is not None else []
    number = 0
    for index, frame in enumerate(frames):
        h, w = frame.pixels.shape[:2]
        disposal, blend = {"keep": 0, "clear": 1, "restore": 2}[frame.disposal], int(frame.blends)
        times = delay or (frame.delay_ms, 1000)
        control = struct.pack(">5I2H2B", number, w, h, frame.left, frame.top, *times, disposal, blend)
        blocks.append((b"fcTL", control))
        number += 1
        data = packed(frame.pixels)
        if index == 0 and hidden is None:
            blocks.append((b"IDAT", data))
            continue
        for part in (data[:7], data[7:]):  # frames may come in pieces
            blocks.append((b"fdAT", struct.pack(">I", number) + part))
            number += 1
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*block) for block in [*blocks, (b"IEND", b"")])


def webp(frames, width=WIDTH, height=HEIGHT, *, before=b"", stated_flags=0x12):
    def chunk(kind, data):
        return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)

    def u24(value):
        return struct.pack("<I", value)[:3]

    body = b"WEBP" + chunk(b"VP8X", bytes([stated_flags, 0, 0, 0]) + u24(width - 1) + u24(height - 1))
    body += before + chunk(b"ANIM", bytes([255, 0, 0, 255, 0, 0]))
    for frame in frames:
        buffer = io.BytesIO()
        Image.fromarray(frame.pixels).save(buffer, "WEBP", lossless=True, exact=True)
        still = buffer.getvalue()
        bitstream = still[still.index(b"VP8L") :]
        h, w = frame.pixels.shape[:2]
        flags = (not frame.blends) << 1 | (frame.disposal == "clear")
        header = b"".join(u24(v) for v in (frame.left // 2, frame.top // 2, w - 1, h - 1, frame.delay_ms))
        body += chunk(b"ANMF", header + bytes([flags]) + bitstream)
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.fixture
def play(tmp_path):
    """Give the frames on display at each instant, and the source when it is through."""

    def read(data, *, fps=5.0, limits=LIMITS, view=FULL, fast=False):
        path = tmp_path / "ad.bin"
        path.write_bytes(data)
        with open_medium(path, [view], limits, Sampling(fps=fps, key_frames_only=fast)) as source:
            chunks = list(source.chunks())
            return np.concatenate([chunk.views[view.name] for chunk in chunks]), chunks, source

    return read


def joined(chunks, field):
    return np.concatenate([getattr(chunk, field) for chunk in chunks]).tolist()


def random_frames(seed, count, *, few_colours, even, disposals, blends, grey=False):
    rng = np.random.default_rng(seed)
    frames = []
    for index in range(count):
        w, h = (WIDTH, HEIGHT) if index == 0 else (int(rng.integers(1, WIDTH + 1)), int(rng.integers(1, HEIGHT + 1)))
        left, top = (int(rng.integers(0, room + 1)) for room in (WIDTH - w, HEIGHT - h))
        pixels = rng.integers(0, 256, (h, w, 4), dtype=np.uint8)
        if few_colours:
            pixels = rng.integers(0, 256, (16, 4), dtype=np.uint8)[rng.integers(0, 16, (h, w))]
            pixels[..., 3] = np.where(rng.random((h, w)) < 0.4, 0, 255)
        if grey:
            pixels[..., 1:3] = pixels[..., :1]
        step = 2 if even else 1
        disposal = disposals[rng.integers(len(disposals))]
        frames.append(Drawn(pixels, left // step * step, top // step * step, 200, disposal, bool(rng.choice(blends))))
    return frames


class TestComposition:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("kind", ["gif", "webp", "apng", "grey apng"])
    def test_random_frames_come_out_as_the_specifications_say(self, play, kind, seed):
        disposals = ["keep", "clear"] + ["restore"] * (kind != "webp")
        frames = random_frames(
            seed,
            14,
            few_colours=kind == "gif",
            even=kind == "webp",
            disposals=disposals,
            blends=[True] if kind == "gif" else [True, False],
            grey=kind == "grey apng",
        )
        write = {"gif": gif, "webp": webp, "apng": apng, "grey apng": lambda f: apng(f, colour_type=4)}[kind]
        shown, chunks, source = play(write(frames))
        wanted = np.array(composited(frames))
        assert shown.shape == wanted.shape
        # Each blend rounds to 8 bits; a GIF knows only all or nothing.
        assert np.abs(shown - wanted).max() <= (1e-9 if kind == "gif" else 4)
        assert joined(chunks, "t") == pytest.approx(np.arange(14) / 5)
        assert (source.share_read, source.problems) == (1.0, ())

    def test_a_cleared_box_is_white_whatever_the_background_colour_is(self, play):
        """Browsers leave the background colour of GIFs aside."""
        frames = [flat(RED, disposal="clear"), flat(GREEN, 4, 4)]
        shown, _, _ = play(gif(frames, background=7))
        assert shown[1, 10, 10].tolist() == [255, 255, 255]
        assert shown[1, 2, 2].tolist() == list(GREEN)

    def test_interlaced_rows_are_put_in_order(self, play):
        rows = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        rows[..., 0], rows[..., 3] = np.arange(HEIGHT)[:, None] * 15, 255
        shown, _, _ = play(gif([flat(RED), Drawn(rows)], interlaced=True))
        assert shown[1, :, 5, 0].tolist() == rows[:, 5, 0].tolist()

    def test_a_first_frame_larger_than_the_screen_enlarges_it_and_later_ones_are_cropped(self, play):
        shown, _, source = play(gif([flat(RED, 30, 20), flat(GREEN, 50, 50, left=10, top=10)]))
        assert (source.medium.width, source.medium.height) == (30, 20)
        assert shown[1, 19, 29].tolist() == list(GREEN)
        assert shown[1, 9, 9].tolist() == list(RED)

    def test_a_frame_outside_the_canvas_draws_nothing_but_the_one_before_is_disposed_of(self, play):
        shown, chunks, _ = play(gif([flat(RED, disposal="clear"), flat(GREEN, left=100), flat(BLUE)]))
        assert [frame[0, 0].tolist() for frame in shown] == [list(RED), [255] * 3, list(BLUE)]
        assert joined(chunks, "fresh") == [True] * 3

    def test_a_picture_for_readers_without_animation_is_no_frame(self, play):
        shown, _, source = play(apng([flat(RED), flat(BLUE)], hidden=flat(GREEN).pixels))
        assert [frame[0, 0].tolist() for frame in shown] == [list(RED), list(BLUE)]
        assert source.medium.duration_s == 0.4

    @pytest.mark.parametrize("kind", ["webp", "apng"])
    def test_a_colour_profile_counts(self, play, kind):
        profile = matrix_profile(SRGB_COLORANTS[::-1])
        frames = [flat((255, 0, 0)), flat((0, 255, 0))]
        if kind == "apng":
            data = apng(frames, before=[(b"iCCP", b"swapped\0\0" + zlib.compress(profile))])
        else:
            chunk = b"ICCP" + struct.pack("<I", len(profile)) + profile + bytes(len(profile) % 2)
            data = webp(frames, before=chunk, stated_flags=0x32)
        shown, _, source = play(data)
        assert source.problems == ()
        assert np.abs(shown[:, 0, 0].astype(int) - [(0, 0, 255), (0, 255, 0)]).max() <= 3


class TestDelays:
    @pytest.mark.parametrize(("stated_ms", "shown_s"), [(0, 0.1), (10, 0.1), (20, 0.02), (30, 0.03), (700, 0.7)])
    @pytest.mark.parametrize("write", [gif, webp, apng])
    def test_what_would_be_too_short_is_shown_for_100_ms_as_in_browsers(self, play, write, stated_ms, shown_s):
        frames = [flat(RED, delay_ms=stated_ms), flat(GREEN, delay_ms=stated_ms), flat(BLUE, delay_ms=400)]
        _, _, source = play(write(frames))
        assert source.medium.duration_s == pytest.approx(2 * shown_s + 0.4)

    def test_a_png_may_state_any_fraction_and_0_is_100(self, play):
        assert play(apng([flat(RED)] * 30, delay=(1, 30)))[2].medium.duration_s == pytest.approx(1.0)
        assert play(apng([flat(RED)] * 2, delay=(25, 0)))[2].medium.duration_s == pytest.approx(0.5)

    @pytest.mark.parametrize("fps", [1.0, 3.0, 5.0, 7.3, 12.5, 30.0])
    def test_each_sample_is_the_frame_on_display(self, play, fps):
        delays = [100, 50, 300, 20, 0, 500, 70, 70, 70, 1000]
        frames = [flat((10 + 20 * index, 0, 0), delay_ms=delay) for index, delay in enumerate(delays)]
        shown, chunks, source = play(gif(frames), fps=fps)
        ends_ms = np.cumsum([delay or 100 for delay in delays])
        instants = np.arange(0, np.ceil(ends_ms[-1] / 1000 * fps)) / fps
        wanted = [int(np.argmax(ends_ms > 1000 * t + 1e-6)) for t in instants]
        assert [(int(red) - 10) // 20 for red in shown[:, 0, 0, 0]] == wanted
        assert joined(chunks, "t") == pytest.approx(instants)
        assert joined(chunks, "fresh") == [True, *(a != b for a, b in pairwise(wanted))]
        assert sum(joined(chunks, "weight_s")) == pytest.approx(source.medium.duration_s)


class TestReading:
    def test_each_frame_is_decoded_once_however_long_it_is_held(self, play, monkeypatch):
        decoded = []

        class Counting(animation_module.ImageDecoder):
            def __init__(self, data, codec):
                decoded.append(len(data))
                super().__init__(data, codec)

        monkeypatch.setattr(animation_module, "ImageDecoder", Counting)
        shown, _, _ = play(gif([flat(RED, delay_ms=3000), flat(GREEN, delay_ms=3000)]))
        assert len(shown) == 30
        assert len(decoded) == 2

    def test_shots_begin_where_the_picture_is_another(self, play):
        scenes = [colour for colour in (RED, GREEN, BLUE) for _ in range(10)]
        _, chunks, source = play(gif([flat(colour, delay_ms=100) for colour in scenes]), fps=10.0)
        assert [(shot.start_s, shot.end_s) for shot in source.shots] == [
            pytest.approx(span) for span in [(0, 1), (1, 2), (2, 3)]
        ]
        assert joined(chunks, "shot") == [0] * 10 + [1] * 10 + [2] * 10


def code_of(play, data, **options):
    with pytest.raises(MediumError) as caught:
        play(data, **options)
    assert caught.value.message.startswith("ad.bin: ")
    return caught.value.code


FORTY = [flat((index * 6, 0, 0), delay_ms=100) for index in range(40)]


class TestDamage:
    @pytest.mark.parametrize("ending", [b"", b"\0", b"\0\0\0;", b"junk"])
    def test_a_gif_that_ends_between_frames_plays(self, play, ending):
        shown, _, source = play(gif(FORTY, trailer=ending), fps=10.0)
        assert len(shown) == 40
        assert source.share_read == 1.0

    @pytest.mark.parametrize("write", [gif, apng, webp])
    def test_a_damaged_frame_is_skipped_and_its_time_counts_as_lost(self, play, write):
        broken = replace(FORTY[20], pixels=np.random.default_rng(3).integers(0, 255, (HEIGHT, WIDTH, 4), np.uint8))
        broken.pixels[..., 3], broken.pixels[..., 1:3] = 255, 7
        data = bytearray(write([*FORTY[:20], broken, *FORTY[21:]]))
        for at in self.pixels_of_frame(data, write, 20):
            data[at] ^= 0xA5
        shown, chunks, source = play(bytes(data), fps=10.0)
        assert source.share_read == pytest.approx(39 / 40)
        assert [problem.code for problem in source.problems] == ["partly_read"]
        assert shown[:, 0, 0, 0].tolist() == [6 * (19 if index == 20 else index) for index in range(40)]
        assert joined(chunks, "fresh") == [index != 20 for index in range(40)]
        assert source.medium.duration_s == pytest.approx(4.0)

    @staticmethod
    def pixels_of_frame(data, write, number):
        """Give places in a frame's compressed pixels: those that no decoder passes over."""
        mark = {gif: b"!\xf9\x04", apng: b"fcTL", webp: b"ANMF"}[write]
        at = -1
        for _ in range(number + 1):
            at = data.index(mark, at + 1)
        if write is gif:
            return [at + 8 + 10 + 768]
        if write is webp:
            return [at + 8 + 16 + 8]
        middle = (at + data.index(mark, at + 1)) // 2
        return range(middle, middle + 12)

    def test_many_damaged_frames_are_an_error(self, play):
        data = bytearray(gif(FORTY))
        for number in range(3, 12):
            for at in self.pixels_of_frame(data, gif, number):
                data[at] ^= 0xA5
        assert code_of(play, bytes(data)) == "decode_failed"


class TestLimits:
    @pytest.mark.parametrize("write", [gif, webp, apng])
    def test_a_canvas_that_is_too_large_is_refused(self, play, write):
        frames = [flat(RED), flat(GREEN)]
        assert code_of(play, write(frames, 9000, 12_000)) == "too_large"
        assert code_of(play, write(frames), limits=MediaLimits(max_side=20)) == "too_large"
        assert play(write(frames), limits=MediaLimits(max_side=WIDTH))[2].medium.width == WIDTH

    def test_a_frame_that_is_far_larger_than_the_canvas_is_refused_before_it_is_decoded(self, play):
        data = gif([flat(RED), flat(GREEN)])
        second = data.index(b"!\xf9", 20) + 8
        huge = data[: second + 5] + struct.pack("<HH", 60_000, 60_000) + data[second + 9 :]
        assert code_of(play, huge) == "too_large"

    def test_more_bytes_than_any_encoder_writes_are_not_read(self, play):
        data = apng([flat(RED), flat(GREEN)])
        at = data.index(b"fdAT") - 4
        stuffed = data[:at] + png_chunk(b"fdAT", struct.pack(">I", 2) + bytes(3 << 20)) + data[at:]
        assert code_of(play, stuffed) == "decode_failed"

    def test_time_is_limited(self, play):
        assert code_of(play, gif(FORTY), limits=MediaLimits(time_limit_s=0.0)) == "time_limit"
