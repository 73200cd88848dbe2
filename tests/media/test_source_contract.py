"""What every open medium keeps to, whatever it is made of; the truth is the number that each frame carries."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest
from make_media import HEIGHT, WIDTH, numbered, numbers_in, truncated, write_animation, write_clip
from PIL import Image

from mediaan.errors import MediumError
from mediaan.media import MediaLimits, Sampling, Source, medium_id, open_medium
from mediaan.types.media import Chunk, ViewSpec

FULL = ViewSpec("full", long_side=10_000)
SMALL = ViewSpec("small", long_side=48)
TILES = ViewSpec("tiles", pixels=128 * 96, multiple=32, upscale=True)
TICK_S = 0.001
"""Containers round times, Matroska to 1 ms."""

DELAYS_MS = [100, 50, 300, 20, 250, 500, 70, 70, 70, 600]
UNEVEN_S = [0, 0.04, 0.08, 0.5, 0.52, 1.0, 1.2, 1.9, 1.96, 2.3]


@dataclass(frozen=True)
class Case:
    """A medium that can be made, and the truth about it.

    Attributes
    ----------
    name : str
        Of the file.
    make : callable
        Writes it to the path that it is given.
    starts_s, duration_s
        When each of the frames 0, 1, 2 ... is displayed, s from the first, and when the last one ends.
    codec, kind, size
        As the medium shall state them; the size is that on display.
    key_every : int
        Frames from one key frame to the next.
    states_length : bool
        Whether a file that was cut tells how much is missing. Streams do not (MPEG-TS, MPEG-PS), and of ASF the length
        is not believed that was stated for another size of the file.
    """

    name: str
    make: Callable[[Path], Path]
    starts_s: list[float]
    duration_s: float
    codec: str
    kind: str = "video"
    size: tuple[int, int] = (WIDTH, HEIGHT)
    key_every: int = 12
    states_length: bool = True

    @property
    def last_s(self) -> float:
        """How long the last frame is displayed, or frames on average, if that is more: all that a duration may err."""
        return max(self.duration_s - self.starts_s[-1], self.duration_s / len(self.starts_s))


def clip(name: str, stated: str, *, frames: int = 50, rate: int = 25, **options: object) -> Case:
    """Describe a video of `frames` frames; what else there is to say about it is taken out of the options."""
    facts = {key: options.pop(key) for key in ("size", "key_every", "states_length") if key in options}
    times = options.get("times_s")
    starts = list(times) if times else [index / rate for index in range(frames)]
    stored = options.pop("stored_size", (WIDTH, HEIGHT))

    def make(path: Path) -> Path:
        return write_clip(path, range(len(starts)), rate=rate, size=stored, **options)

    return Case(name, make, starts, starts[-1] + 1 / rate, stated, **facts)


def animation(name: str, stated: str, *, delays_ms: Sequence[int] = DELAYS_MS, **facts: object) -> Case:
    starts = [0.0, *(ms / 1000 for ms in accumulate(delays_ms))]

    def make(path: Path) -> Path:
        return write_animation(path, range(len(delays_ms)), delays_ms)

    return Case(name, make, starts[:-1], starts[-1], stated, key_every=1, **facts)


def picture(name: str, stated: str) -> Case:
    def make(path: Path) -> Path:
        Image.fromarray(numbered(0)).save(path, quality=95)
        return path

    return Case(name, make, [0.0], 5.0, stated, kind="image")


CASES = [
    picture("still.png", "png"),
    picture("still.jpg", "jpeg"),
    picture("still.gif", "gif"),
    picture("still.webp", "webp"),
    animation("loop.gif", "gif", states_length=False),
    animation("loop.webp", "webp"),
    animation("loop.png", "png"),
    clip("h264.mp4", "h264"),
    clip("with sound.mp4", "h264", audio=True),
    clip("h264.mov", "h264"),
    clip("h264.mkv", "h264", audio=True),
    clip("h264.ts", "h264", states_length=False),
    clip("h264.flv", "h264"),
    clip("hevc.mp4", "hevc", codec="libx265"),
    clip("hevc 10 bit.mp4", "hevc", codec="libx265", pixel_format="yuv420p10le"),
    clip("av1.mp4", "av1", codec="libsvtav1"),
    clip("av1.webm", "av1", codec="libsvtav1"),
    clip("vp9.webm", "vp9", codec="libvpx-vp9", audio=True),
    clip("vp8.webm", "vp8", codec="libvpx"),
    clip("mpeg4.avi", "mpeg4", codec="mpeg4"),
    clip("mpeg2.mpg", "mpeg2video", codec="mpeg2video", states_length=False),
    clip("wmv2.wmv", "wmv2", codec="wmv2"),
    clip("prores.mov", "prores", codec="prores_ks", key_every=1),
    clip("uneven.mp4", "h264", times_s=UNEVEN_S),
    clip("uneven.mkv", "h264", times_s=UNEVEN_S),
    clip("late.mp4", "h264", start_s=5.0),
    clip("late.mkv", "h264", start_s=5.0),
    clip("quarter turn.mp4", "h264", rotation=90, size=(HEIGHT, WIDTH)),
    clip("half turn.mp4", "h264", rotation=180),
    clip("three quarters turn.mov", "h264", rotation=-90, size=(HEIGHT, WIDTH)),
    clip("wide pixels.mp4", "h264", pixel_aspect=Fraction(4, 3), size=(WIDTH * 4 // 3, HEIGHT)),
    clip("240 a second.mp4", "h264", frames=240, rate=240),
    clip("one frame.mp4", "h264", frames=1),
    clip("odd size.mp4", "h264", stored_size=(98, 66), size=(98, 66)),
]

UNEVEN_RATES = {"uneven.mkv"}
"""Matroska states no mean rate; the one that its encoder meant is taken."""

LONG = [
    animation("long.gif", "gif", delays_ms=[40] * 250, states_length=False),
    animation("long.webp", "webp", delays_ms=[40] * 250),
    animation("long.png", "png", delays_ms=[40] * 250),
    clip("long h264.mp4", "h264", frames=250),
    clip("long h264.mov", "h264", frames=250, audio=True),
    clip("long h264.mkv", "h264", frames=250),
    clip("long late.mkv", "h264", frames=250, start_s=5.0),
    clip("long h264.flv", "h264", frames=250),
    clip("long h264.ts", "h264", frames=250, states_length=False),
    clip("long hevc.mp4", "hevc", frames=250, codec="libx265"),
    clip("long av1.mp4", "av1", frames=250, codec="libsvtav1"),
    clip("long vp9.webm", "vp9", frames=250, codec="libvpx-vp9", audio=True),
    clip("long vp8.webm", "vp8", frames=250, codec="libvpx"),
    clip("long mpeg4.avi", "mpeg4", frames=250, codec="mpeg4"),
    clip("long mpeg2.mpg", "mpeg2video", frames=250, codec="mpeg2video", states_length=False),
    clip("long wmv2.wmv", "wmv2", frames=250, codec="wmv2", states_length=False),
    clip("long prores.mov", "prores", frames=250, codec="prores_ks"),
]
"""Media of 10 s, of which 3 % of the bytes are about 3 % of the time."""

MOVING = [case for case in CASES if case.kind == "video"]
CLOSING = [
    case for case in CASES if case.name in {"still.png", "loop.gif", "loop.webp", "loop.png", "h264.mp4", "vp9.webm"}
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make each medium once."""
    folder, paths = tmp_path_factory.mktemp("media"), {}

    def path_of(case: Case) -> Path:
        if case.name not in paths:
            paths[case.name] = case.make(folder / case.name)
        return paths[case.name]

    return path_of


def each(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


@dataclass(frozen=True)
class Played:
    """An exhausted source and all that it gave, joined."""

    source: Source
    chunks: list[Chunk]

    def __getattr__(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(chunk, name) for chunk in self.chunks])

    def view(self, name: str) -> np.ndarray:
        return np.concatenate([chunk.views[name] for chunk in self.chunks])


def play(path: Path, *views: ViewSpec, limits: MediaLimits | None = None, **sampling: object) -> Played:
    with open_medium(path, views or (FULL,), limits or MediaLimits(), Sampling(**sampling)) as source:
        return Played(source, list(source.chunks()))


def frames_at(case: Case, times: np.ndarray) -> list[int]:
    """Which frame is on display, by definition: the last one that has come."""
    return [bisect_right(case.starts_s, t + TICK_S) - 1 for t in times]


@each(CASES)
class TestFacts:
    def test_the_medium_is_described(self, made, case):
        path = made(case)
        played = play(path)
        medium = played.source.medium
        assert (medium.name, medium.kind, medium.codec) == (case.name, case.kind, case.codec)
        assert (medium.width, medium.height) == case.size
        assert medium.medium_id == medium_id(path.read_bytes())
        assert played.source.size_bytes == path.stat().st_size
        assert (played.source.share_read, played.source.problems) == (1.0, ())
        if case.kind == "image":
            assert (medium.duration_s, medium.frame_rate) == (None, None)
        else:
            mean_rate = len(case.starts_s) / case.duration_s
            assert float(medium.frame_rate) == pytest.approx(mean_rate, rel=0.02) or case.name in UNEVEN_RATES
            assert medium.duration_s == pytest.approx(case.duration_s, abs=case.last_s + TICK_S)
        for chunk in played.chunks:
            assert 1 <= len(chunk.t) <= 8
            fields = (chunk.t, chunk.weight_s, chunk.shot, chunk.fresh)
            assert {len(each) for each in fields} == {len(chunk.t)}
            assert [field.dtype for field in fields] == [np.float64, np.float64, np.int32, np.bool_]

    def test_pixels_have_the_sizes_and_the_form_that_were_asked_for(self, made, case):
        played = play(made(case), FULL, SMALL, TILES)
        width, height = case.size
        scale = 48 / max(width, height)
        wanted = {"full": (height, width), "small": (round(height * scale), round(width * scale))}
        for chunk in played.chunks:
            assert {name: view.shape for name, view in chunk.views.items() if name != "tiles"} == {
                name: (len(chunk.t), *size, 3) for name, size in wanted.items()
            }
            assert chunk.views["tiles"].shape[1] % 32 == chunk.views["tiles"].shape[2] % 32 == 0
            assert {view.dtype for view in chunk.views.values()} == {np.dtype(np.uint8)}
            # Reading a number checks the colours of each view: red at the left, blue at the right, both below.
            assert (
                numbers_in(chunk.views["full"]) == numbers_in(chunk.views["tiles"]) == numbers_in(chunk.views["small"])
            )


@each(CASES)
@pytest.mark.parametrize("fps", [2.0, 5.0, 12.5])
class TestSamples:
    def test_they_are_the_frames_on_display_at_even_times_and_say_their_shot(self, made, case, fps):
        played = play(made(case), fps=fps)
        numbers = frames_at(case, played.t)
        assert numbers_in(played.view("full")) == numbers
        assert played.fresh.tolist() == [True, *(a != b for a, b in pairwise(numbers))]
        count = 1 if case.kind == "image" else round(np.ceil((played.source.medium.duration_s - TICK_S) * fps))
        assert played.t == pytest.approx(np.arange(count) / fps)
        assert (played.weight_s > 0).all()
        assert played.weight_s.sum() == pytest.approx(played.source.medium.duration_s or 5.0)
        assert np.diff(played.t) == pytest.approx(played.weight_s[:-1])
        assert played.source.read_s == pytest.approx(played.weight_s.sum())
        shots = played.source.shots
        assert shots[0].start_s == 0.0
        assert shots[-1].end_s == pytest.approx(played.source.medium.duration_s or 5.0)
        assert [shot.begins == "start" for shot in shots] == [True] + [False] * (len(shots) - 1)
        assert all(shot.end_s == following.start_s for shot, following in pairwise(shots))
        assert all(shot.start_s < shot.end_s for shot in shots)
        starts = [shot.start_s for shot in shots]
        assert played.shot.tolist() == [bisect_right(starts, t + TICK_S) - 1 for t in played.t]


@each(CASES)
class TestRepeated:
    def test_the_same_file_gives_the_same_chunks_with_any_number_of_threads(self, made, case):
        first, second = (play(made(case), threads=threads) for threads in (1, 2))
        assert first.source.medium == second.source.medium
        assert first.source.shots == second.source.shots
        assert len(first.chunks) == len(second.chunks)
        for one, other in zip(first.chunks, second.chunks, strict=True):
            assert (one.t == other.t).all()
            assert (one.views["full"] == other.views["full"]).all()


@each(MOVING)
@pytest.mark.parametrize("fps", [2.0, 5.0])
class TestFast:
    """With key frames alone every sample is a key frame, at its own time."""

    def test_each_is_a_key_frame_and_none_that_comes_late_enough_is_left_out(self, made, case, fps):
        played = play(made(case), fps=fps, key_frames_only=True)
        numbers = numbers_in(played.view("full"))
        assert numbers == frames_at(case, played.t)
        assert numbers[0] == 0
        assert all(number % case.key_every == 0 for number in numbers)
        assert played.t == pytest.approx([case.starts_s[number] for number in numbers], abs=TICK_S)
        assert (np.diff(played.t) >= 1 / fps - 2 * TICK_S).all()
        assert (played.weight_s > 0).all()
        assert played.weight_s.sum() == pytest.approx(case.duration_s, abs=case.last_s + TICK_S)
        assert played.weight_s.sum() == pytest.approx(played.source.medium.duration_s)
        wanted = [0]
        for number in range(0, len(case.starts_s), case.key_every):
            if case.starts_s[number] >= case.starts_s[wanted[-1]] + 1 / fps - TICK_S:
                wanted.append(number)
        assert numbers == wanted


@each(CLOSING)
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
class TestClosing:
    def test_in_mid_stream_at_the_end_and_after_an_error_no_thread_and_no_file_is_left(self, made, case, tmp_path):
        path = made(case)
        play(path)  # what the libraries open once and for all
        files, threads = open_files(), set(threading.enumerate())
        with open_medium(path, [FULL]) as source:
            next(source.chunks())
        assert open_files() == files
        assert set(threading.enumerate()) <= threads
        play(path)
        cut = tmp_path / case.name
        cut.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(MediumError):
            play(cut)
        assert open_files() == files
        assert set(threading.enumerate()) <= threads

    def test_ends_what_was_begun(self, made, case):
        with open_medium(made(case), [FULL]) as source:
            chunks = source.chunks()
        assert list(chunks) == []
        source.close()  # twice is once

    def test_and_reading_twice_are_told_apart(self, made, case):
        source = open_medium(made(case), [FULL])
        with source:
            list(source.chunks())
            with pytest.raises(ValueError, match="only once"):
                source.chunks()
        with pytest.raises(ValueError, match="closed"):
            source.chunks()


def open_files() -> list[str]:
    """Give what this process has open, by name; where the system does not tell, the tests have nothing to compare."""
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("this system does not say which files are open")
    return sorted(str(link.readlink()) for link in folder.iterdir() if link.exists())


@each(LONG)
class TestCutFiles:
    def test_half_of_a_file_is_an_error_where_its_length_is_stated(self, made, case):
        path = truncated(made(case), 0.5)
        if case.states_length or case.codec == "gif":
            with pytest.raises(MediumError) as caught:
                play(path)
            assert caught.value.code in {"truncated", "decode_failed"}
            assert caught.value.message.startswith(f"{path.name}: ")
        else:
            played = play(path)
            assert_right_but_at_the_cut(case, played)
            assert 0.3 * case.duration_s < played.source.medium.duration_s < 0.7 * case.duration_s

    def test_most_of_a_file_is_read_and_said_to_be_a_part(self, made, case):
        path = truncated(made(case), 0.97)
        if case.codec == "gif":
            with pytest.raises(MediumError, match="how much is missing it does not say"):
                play(path)
            return
        played = play(path)
        assert_right_but_at_the_cut(case, played)
        read_s = played.source.medium.duration_s
        assert 0.9 * case.duration_s < read_s <= case.duration_s + TICK_S
        if case.states_length and read_s < 0.985 * case.duration_s:
            assert [problem.code for problem in played.source.problems] == ["partly_read"]
            assert played.source.share_read == pytest.approx(read_s / case.duration_s, abs=0.02)


def assert_right_but_at_the_cut(case: Case, played: Played) -> None:
    """Compare frames; what is gone may include some that come between others, which then are shown for longer."""
    whole = played.t < played.source.medium.duration_s - 0.5
    assert numbers_in(played.view("full")[whole]) == frames_at(case, played.t[whole])
