"""What a written film promises: each frame at its time, its colours, quick seeking, and whole or not there at all."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from make_media import number_in, numbered

from mediaan.errors import SetupError
from mediaan.media import overlay_video
from mediaan.media.overlay_video import VideoWriter

TIMES_S = (0.0, 0.04, 0.1, 0.5, 1.2, 1.2417, 2.5, 4.75)


def plain(colour: tuple[int, int, int], width: int = 64, height: int = 48) -> np.ndarray:
    return np.full((height, width, 3), colour, np.uint8)


def write(path: Path, times_s: tuple[float, ...] = TIMES_S, last_s: float = 0.3) -> Path:
    with VideoWriter(path, (96, 64), 25) as writer:
        for number, (t, end) in enumerate(zip(times_s, (*times_s[1:], times_s[-1] + last_s), strict=True)):
            writer.add(numbered(number), t, end - t)
    return path


def decoded(path: Path) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def test_frames_are_shown_when_they_shall_be(tmp_path: Path) -> None:
    frames = decoded(write(tmp_path / "film.mp4"))
    assert [number_in(frame.to_ndarray(format="rgb24")) for frame in frames] == list(range(len(TIMES_S)))
    np.testing.assert_allclose([frame.time for frame in frames], TIMES_S, atol=1 / 240_000)
    ends = [float((frame.pts + frame.duration) * frame.time_base) for frame in frames]
    np.testing.assert_allclose(ends, (*TIMES_S[1:], 5.05), atol=1 / 120_000)


@pytest.mark.parametrize("rate", [Fraction(24000, 1001), Fraction(30000, 1001), Fraction(25), Fraction(120)])
def test_usual_rates_are_kept_without_rounding(tmp_path: Path, rate: Fraction) -> None:
    with VideoWriter(tmp_path / "film.mp4", (96, 64), rate) as writer:
        for number in range(30):
            writer.add(numbered(number), float(number / rate), float(1 / rate))
    frames = decoded(tmp_path / "film.mp4")
    assert [frame.pts * frame.time_base for frame in frames] == [number / rate for number in range(30)]


def test_a_key_frame_is_never_far(tmp_path: Path) -> None:
    """At 5 per second each fifth; where frames last for longer than a second, each."""
    times = (*(i / 5 for i in range(14)), 4.0, 6.0, 6.2)
    keys = [frame.time for frame in decoded(write(tmp_path / "film.mp4", times)) if frame.key_frame]
    np.testing.assert_allclose(keys, [0.0, 1.0, 2.0, 4.0, 6.0])


@pytest.mark.parametrize(
    "colour", [(255, 0, 0), (0, 200, 0), (20, 30, 220), (255, 255, 255), (0, 0, 0), (128, 128, 128)]
)
def test_colours_are_bt_709_and_say_so(tmp_path: Path, colour: tuple[int, int, int]) -> None:
    """Luma and chroma by the equations of ITU-R BT.709 in limited range, worked out here."""
    with VideoWriter(tmp_path / "film.mp4", (64, 48), 5, crf=10) as writer:
        writer.add(plain(colour), 0.0, 1.0)
    (frame,) = decoded(tmp_path / "film.mp4")
    assert (frame.format.name, frame.colorspace, frame.color_range) == ("yuv420p", 1, 1)
    assert (frame.color_primaries, frame.color_trc) == (1, 1)
    r, g, b = (channel / 255 for channel in colour)
    luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
    wanted = (16 + 219 * luma, 128 + 224 * (b - luma) / 1.8556, 128 + 224 * (r - luma) / 1.5748)
    found = [np.frombuffer(bytes(plane), np.uint8)[0] for plane in frame.planes]
    np.testing.assert_allclose(found, wanted, atol=2)
    np.testing.assert_allclose(frame.to_ndarray(format="rgb24")[20, 20].astype(int), colour, atol=4)


def test_odd_sides_are_padded_by_their_last_pixels(tmp_path: Path) -> None:
    rgb = plain((40, 90, 200), 95, 63)
    with VideoWriter(tmp_path / "film.mp4", (95, 63), 5, crf=10) as writer:
        writer.add(rgb, 0.0, 1.0)
    (frame,) = decoded(tmp_path / "film.mp4")
    shown = frame.to_ndarray(format="rgb24")
    assert shown.shape == (64, 96, 3)
    np.testing.assert_allclose(shown.astype(int), np.broadcast_to((40, 90, 200), shown.shape), atol=5)


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (16, 16)])
def test_small_frames_can_be_written(tmp_path: Path, size: tuple[int, int]) -> None:
    with VideoWriter(tmp_path / "film.mp4", size, 5) as writer:
        writer.add(plain((90, 90, 90), *size), 0.0, 1.0)
    assert len(decoded(tmp_path / "film.mp4")) == 1


def test_frames_that_lie_turned_in_memory_are_written_as_they_look(tmp_path: Path) -> None:
    stored = np.ascontiguousarray(np.rot90(numbered(77), -1))
    stored.flags.writeable = False
    with VideoWriter(tmp_path / "film.mp4", (96, 64), 5) as writer:
        writer.add(np.rot90(stored), 0.0, 1.0)
    assert number_in(decoded(tmp_path / "film.mp4")[0].to_ndarray(format="rgb24")) == 77


def test_the_index_lies_in_front_so_that_players_can_start_at_once(tmp_path: Path) -> None:
    data = write(tmp_path / "film.mp4").read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")


def test_an_error_leaves_what_was_there_before(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    path.write_text("the film of before")
    with pytest.raises(RuntimeError, match="halfway"), VideoWriter(path, (96, 64), 25) as writer:  # noqa: PT012
        writer.add(numbered(1), 0.0, 0.1)
        raise RuntimeError("halfway")
    assert path.read_text() == "the film of before"
    assert list(tmp_path.iterdir()) == [path]


def test_the_film_appears_when_it_is_complete(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "film.mp4", (96, 64), 25) as writer:
        writer.add(numbered(1), 0.0, 0.1)
        assert not (tmp_path / "film.mp4").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize("shape", [(64, 98, 3), (62, 96, 3), (64, 96), (64, 96, 4)])
def test_a_frame_of_another_size_is_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="does not fit"), VideoWriter(tmp_path / "film.mp4", (96, 64), 25) as writer:
        writer.add(np.zeros(shape, np.uint8), 0.0, 1.0)


@pytest.mark.parametrize("t_s", [0.5, 0.4, 0.500001])
def test_times_must_rise(tmp_path: Path, t_s: float) -> None:
    with pytest.raises(ValueError, match="comes after"), VideoWriter(tmp_path / "film.mp4", (96, 64), 25) as writer:  # noqa: PT012
        writer.add(numbered(1), 0.5, 1.0)
        writer.add(numbered(2), t_s, 1.0)


def test_without_the_encoder_nothing_else_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlay_video, "_CODEC", "no_such_encoder")
    with pytest.raises(SetupError, match="no film can be written") as caught:
        VideoWriter(tmp_path / "film.mp4", (96, 64), 25)
    assert caught.value.code == "no_encoder"
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match=r"film\.mp4 cannot be written") as caught:
        VideoWriter(tmp_path / "file" / "film.mp4", (96, 64), 25)
    assert caught.value.code == "cannot_write"
