"""What the second pass promises: every frame, at its own time, at full size, with its sound in step."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from make_media import number_in, numbered, write_animation, write_clip

from mediaan.errors import MediumError
from mediaan.media import limits as limits_module
from mediaan.media import overlay_video
from mediaan.media.limits import MediaLimits
from mediaan.media.overlay_video import write_overlay_video

UNEVEN_S = (0.0, 0.04, 0.1, 0.133, 0.5, 0.54, 1.7, 1.74)
RATE_HZ = 48_000
BEEP_S = 0.5


def bare(rgb: np.ndarray, _: float) -> np.ndarray:
    return rgb


def film_of(source: Path) -> Path:
    target = source.with_name("film.mp4")
    write_overlay_video(source, target, bare, MediaLimits())
    return target


def frames_in(path: Path) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def numbers_and_times(path: Path) -> tuple[list[int], list[Fraction]]:
    """Times are exact, from the first frame."""
    frames = frames_in(path)
    times = [frame.pts * frame.time_base for frame in frames]
    return [number_in(frame.to_ndarray(format="rgb24")) for frame in frames], [t - times[0] for t in times]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("uneven.mp4", {"numbers": range(8), "times_s": UNEVEN_S}),
        ("uneven.mkv", {"numbers": range(8), "times_s": UNEVEN_S, "start_s": 5.0}),
        ("b-frames.mp4", {"numbers": range(30), "rate": Fraction(30000, 1001)}),
        ("film.webm", {"numbers": range(12), "codec": "libvpx-vp9"}),
        ("fast.mp4", {"numbers": range(24), "rate": 240}),
        ("old.avi", {"numbers": range(12), "codec": "mpeg4"}),
        ("one.mp4", {"numbers": [9]}),
    ],
)
def test_every_frame_is_there_at_its_own_time(tmp_path: Path, name: str, settings: dict[str, Any]) -> None:
    source = write_clip(tmp_path / name, **settings)
    numbers, times = numbers_and_times(film_of(source))
    assert numbers == list(settings["numbers"])
    assert times == numbers_and_times(source)[1]
    assert frames_in(tmp_path / "film.mp4")[0].pts == 0


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
def test_animations_become_films_with_their_own_delays(tmp_path: Path, suffix: str) -> None:
    source = write_animation(tmp_path / f"a{suffix}", [5, 6, 7, 8], [100, 40, 1000, 250])
    film = film_of(source)
    numbers, times = numbers_and_times(film)
    assert numbers == [5, 6, 7, 8]
    assert times == [0, Fraction(1, 10), Fraction(14, 100), Fraction(114, 100)]
    last = frames_in(film)[-1]
    assert float(last.duration * last.time_base) == pytest.approx(0.25)


def test_what_is_drawn_is_shown_and_the_time_is_told(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mkv", range(8), times_s=UNEVEN_S, start_s=3.0)
    seen: list[tuple[int, float]] = []

    def relabelled(rgb: np.ndarray, t_s: float) -> np.ndarray:
        seen.append((number_in(rgb), t_s))
        return numbered(200 + number_in(rgb))

    write_overlay_video(source, tmp_path / "film.mp4", relabelled, MediaLimits())
    assert [number for number, _ in seen] == list(range(8))
    np.testing.assert_allclose([t for _, t in seen], UNEVEN_S, atol=1e-6)
    assert numbers_and_times(tmp_path / "film.mp4")[0] == list(range(200, 208))


@pytest.mark.parametrize(
    ("settings", "size"),
    [
        ({"rotation": 90}, (64, 96)),
        ({"rotation": 180}, (96, 64)),
        ({"pixel_aspect": Fraction(4, 3)}, (128, 64)),
        ({"size": (94, 62), "pixel_aspect": Fraction(1, 2)}, (48, 62)),  # 47 px, padded
    ],
)
def test_frames_are_upright_and_as_wide_as_displayed(
    tmp_path: Path, settings: dict[str, Any], size: tuple[int, int]
) -> None:
    film = film_of(write_clip(tmp_path / "a.mp4", [3, 4, 5], **settings))
    frames = frames_in(film)
    assert {(frame.width, frame.height) for frame in frames} == {size}
    assert numbers_and_times(film)[0] == [3, 4, 5]


def write_beep(
    path: Path, sound: str, *, codec: str = "libx264", video_from_s: float = 0.0, sound_from_s: float = 0.0
) -> Path:
    """Write a second of frames, and a tone that sets in half a second after the sound does."""
    with av.open(str(path), "w") as container:
        video: Any = container.add_stream(codec, rate=25)
        video.width, video.height = 96, 64
        track: Any = container.add_stream(sound, rate=RATE_HZ)
        for number in range(25):
            frame = av.VideoFrame.from_ndarray(numbered(number), format="rgb24")
            frame.pts, frame.time_base = number + round(25 * video_from_s), Fraction(1, 25)
            container.mux(video.encode(frame))
        t = np.arange(RATE_HZ) / RATE_HZ
        wave = np.where(t >= BEEP_S, 0.5 * np.sin(2 * np.pi * 440 * t), 0.0).astype(np.float32)
        for start in range(0, RATE_HZ - 1023, 1024):
            samples = av.AudioFrame.from_ndarray(np.stack([wave[start : start + 1024]] * 2), "fltp", "stereo")
            samples.sample_rate, samples.time_base = RATE_HZ, Fraction(1, RATE_HZ)
            samples.pts = start + round(sound_from_s * RATE_HZ)
            container.mux(track.encode(samples))
        container.mux([*track.encode(None), *video.encode(None)])
    return path


def sound_packets(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(audio=0) if packet.size]


def beep_heard_s(path: Path) -> float:
    """When the tone sets in, s from the first frame."""
    with av.open(str(path)) as container:
        first = next(container.decode(video=0)).time
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            loud = np.flatnonzero(np.abs(_first_channel(frame)) > 0.1)
            if loud.size:
                return float(frame.time + loud[0] / frame.sample_rate - first)
    raise AssertionError("no tone")


def _first_channel(frame: av.AudioFrame) -> np.ndarray:
    samples = frame.to_ndarray()
    full = np.iinfo(samples.dtype).max if samples.dtype.kind == "i" else 1.0
    return (samples[0] if frame.format.is_planar else samples.ravel()[:: len(frame.layout.channels)]) / full


def sound_codec(path: Path) -> str:
    with av.open(str(path)) as container:
        return str(container.streams.audio[0].codec_context.codec.canonical_name)


@pytest.mark.parametrize(
    ("name", "sound"), [("a.mp4", "aac"), ("a.mkv", "libopus"), ("a.mkv", "flac"), ("a.mkv", "ac3"), ("a.mkv", "alac")]
)
def test_sound_that_mp4_can_hold_is_copied_bit_by_bit(tmp_path: Path, name: str, sound: str) -> None:
    source = write_beep(tmp_path / name, sound)
    film = film_of(source)
    assert sound_codec(film) == sound_codec(source)
    assert sound_packets(film) == sound_packets(source)
    assert beep_heard_s(film) == pytest.approx(beep_heard_s(source), abs=0.002)


@pytest.mark.parametrize(("name", "sound"), [("a.mov", "pcm_s16le"), ("a.ts", "mp2")])
def test_other_sound_becomes_aac_in_step_with_the_frames(tmp_path: Path, name: str, sound: str) -> None:
    source = write_beep(tmp_path / name, sound)
    film = film_of(source)
    assert sound_codec(film) == "aac"
    assert beep_heard_s(film) == pytest.approx(beep_heard_s(source), abs=0.003)


@pytest.mark.parametrize("sound", ["aac", "pcm_s16le"])
@pytest.mark.parametrize("offsets", [{"video_from_s": 0.4}, {"sound_from_s": 0.4}])
def test_sound_stays_in_step_when_it_starts_apart(tmp_path: Path, sound: str, offsets: dict[str, float]) -> None:
    film = film_of(write_beep(tmp_path / "a.mkv", sound, **offsets))
    wanted = BEEP_S + offsets.get("sound_from_s", 0) - offsets.get("video_from_s", 0)
    assert beep_heard_s(film) == pytest.approx(wanted, abs=0.005)


def test_a_silent_film_has_no_sound_track(tmp_path: Path) -> None:
    with av.open(str(film_of(write_clip(tmp_path / "a.mp4", range(5))))) as container:
        assert [stream.type for stream in container.streams] == ["video"]


def test_damage_leaves_the_other_frames_at_their_times(tmp_path: Path) -> None:
    """Every frame is a key frame here, and two of them are overwritten."""
    source = write_clip(tmp_path / "a.mkv", range(20), options={"g": "1", "bf": "0"})
    with av.open(str(source)) as container:
        places = [packet.pos for packet in container.demux(video=0) if packet.size]
    data = bytearray(source.read_bytes())
    for place in places[8:10]:
        data[place + 4 : place + 120] = bytes([0xFF] * 116)
    source.write_bytes(data)
    numbers, times = numbers_and_times(film_of(source))
    assert set(range(20)) - {8, 9} <= set(numbers)
    for number, t in zip(numbers, times, strict=True):
        assert number in (8, 9) or t == number / Fraction(25)


@pytest.mark.parametrize("limits", [MediaLimits(max_video_megapixels=0.005), MediaLimits(max_side=90)])
def test_what_is_too_large_is_refused(tmp_path: Path, limits: MediaLimits) -> None:
    source = write_clip(tmp_path / "a.mp4", [1, 2])
    with pytest.raises(MediumError, match=r"^a\.mp4: has 96 x 64 px") as caught:
        write_overlay_video(source, tmp_path / "film.mp4", bare, limits)
    assert caught.value.code == "too_large"
    assert list(tmp_path.iterdir()) == [source]


def test_a_playlist_is_not_followed(tmp_path: Path) -> None:
    write_clip(tmp_path / "other.ts", [1, 2])
    source = tmp_path / "list.mp4"
    source.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nother.ts\n#EXT-X-ENDLIST\n")
    with pytest.raises(MediumError, match="playlist"):
        write_overlay_video(source, tmp_path / "film.mp4", bare, MediaLimits())


@pytest.mark.parametrize("name", ["a.mp4", "a.gif"])
def test_a_fault_of_the_drawing_leaves_nothing(tmp_path: Path, name: str) -> None:
    source = write_clip(tmp_path / name, range(4)) if name == "a.mp4" else write_animation(tmp_path / name, range(4))

    def fail(rgb: np.ndarray, t_s: float) -> np.ndarray:
        if t_s > 0:
            raise ZeroDivisionError
        return rgb

    with pytest.raises(ZeroDivisionError):
        write_overlay_video(source, tmp_path / "film.mp4", fail, MediaLimits())
    assert list(tmp_path.iterdir()) == [source]


class SlowClock:
    """A clock that is set by hand; each look takes `looking_s`."""

    def __init__(self, looking_s: float) -> None:
        self.now_s, self.looking_s = 0.0, looking_s

    def __call__(self) -> float:
        self.now_s += self.looking_s
        return self.now_s


@pytest.mark.parametrize(("looking_s", "fails"), [(1e-6, False), (1.0, True)])
def test_only_reading_counts_towards_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looking_s: float, fails: bool
) -> None:
    source = write_clip(tmp_path / "a.mp4", range(20))
    clock = SlowClock(looking_s)
    for module in (limits_module, overlay_video):
        monkeypatch.setattr(module, "monotonic", clock)

    def slow(rgb: np.ndarray, _: float) -> np.ndarray:
        clock.now_s += 60
        return rgb

    if fails:
        with pytest.raises(MediumError) as caught:
            write_overlay_video(source, tmp_path / "film.mp4", slow, MediaLimits(time_limit_s=10))
        assert caught.value.code == "time_limit"
    else:
        write_overlay_video(source, tmp_path / "film.mp4", slow, MediaLimits(time_limit_s=10))
        assert len(frames_in(tmp_path / "film.mp4")) == 20


def test_no_file_stays_open(tmp_path: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("open files cannot be counted here")
    source = write_beep(tmp_path / "a.mp4", "aac")

    def ours() -> Sequence[str]:
        links = [path.readlink() for path in descriptors.iterdir() if path.is_symlink()]
        return [str(link) for link in links if str(link).startswith(str(tmp_path))]

    film_of(source)
    assert not ours()
