"""Frames are those that a full decode gives, at the right times, whatever was left out on the way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import pytest
from make_media import write_clip

from mediaan.media.limits import Deadline, MediaLimits
from mediaan.media.source import Sampling
from mediaan.media.video.container import open_container, video_decoder, video_stream
from mediaan.media.video.decoder import FrameReader, PresentationClock, UnreferencedFrames
from mediaan.media.video.sampling import TimedFrame, covers_instant, sample_at_instants

CODECS = {
    "h264, two B-frames": ("clip.mp4", "libx264", {"bf": "2", "b-pyramid": "none"}),
    "h264, pyramid of B-frames": ("clip.mkv", "libx264", {"bf": "5", "b-pyramid": "normal", "b_strategy": "0"}),
    "h264, open GOP": ("clip.mp4", "libx264", {"bf": "3", "x264-params": "open-gop=1:keyint=10"}),
    "h264, in AVI": ("clip.avi", "libx264", {"bf": "0"}),
    "h264, transport stream": ("clip.ts", "libx264", {"bf": "3"}),
    "hevc": ("clip.mp4", "libx265", {"x265-params": "log-level=none:bframes=4:keyint=20:pools=1"}),
    "vp9, hidden frames": ("clip.webm", "libvpx-vp9", {"auto-alt-ref": "1", "lag-in-frames": "12", "deadline": "good"}),
    "av1": ("clip.mp4", "libsvtav1", {"preset": "12", "g": "30", "svtav1-params": "lp=1"}),
    "av1, screen content": ("clip.webm", "libsvtav1", {"preset": "8", "g": "30", "svtav1-params": "lp=1:scm=1"}),
    "mpeg-4, B-frames": ("clip.mp4", "mpeg4", {"bf": "2"}),
    "mpeg-2": ("clip.mpg", "mpeg2video", {"bf": "2", "g": "12", "qscale": "2"}),
}
FORMATS = {".mp4": "mp4", ".mkv": "matroska", ".webm": "matroska", ".avi": "avi", ".mpg": "mpeg-ps", ".ts": "mpeg-ts"}
IRREGULAR_S = np.cumsum([0.0, *np.random.default_rng(4).choice([0.02, 0.04, 0.11, 0.45], 48)]).round(3).tolist()


def read(path: Path, sampling: Sampling) -> list[TimedFrame[av.VideoFrame]]:
    """Read a clip as the program does: what was decoded, with times."""
    opening = path, FORMATS[path.suffix], MediaLimits(), (deadline := Deadline(60))
    with open_container(*opening) as container:
        stream = video_stream(container)
        decoder = video_decoder(stream, *opening)
        return list(FrameReader(container, stream, decoder, sampling, None, deadline))


def read_all(path: Path) -> list[tuple[float, np.ndarray]]:
    """Decode every frame of a clip in one thread: times from the first one, and pixels as they are stored."""
    with av.open(str(path)) as container:
        container.streams.video[0].thread_count = 1
        frames = [(frame.pts * frame.time_base, frame.to_ndarray()) for frame in container.decode(video=0)]
    return [(float(time - frames[0][0]), pixels) for time, pixels in frames]


def on_display(frames: Sequence[tuple[float, np.ndarray]], instant: float) -> np.ndarray:
    return [pixels for time, pixels in frames if time <= instant + 1e-3][-1]


@pytest.mark.parametrize("times_s", [None, IRREGULAR_S], ids=["constant", "variable"])
@pytest.mark.parametrize("name", CODECS)
def test_samples_are_bit_for_bit_those_of_a_full_decode(name: str, times_s: list[float] | None, tmp_path: Path) -> None:
    file, codec, options = CODECS[name]
    if times_s and file.endswith((".avi", ".mpg")):
        pytest.skip("AVI and MPEG-2 have one frame rate")
    numbers = np.random.default_rng(1).permutation(256)[:49].tolist()
    path = write_clip(tmp_path / file, numbers, codec=codec, options=options, times_s=times_s)
    truth = read_all(path)
    assert len(truth) == 49
    frames = read(path, Sampling(fps=5.0, threads=2))
    samples = list(sample_at_instants(frames, 5.0, lambda: truth[-1][0] + 0.04))
    assert len(samples) == int((truth[-1][0] + 0.039) * 5) + 1
    for sample in samples:
        np.testing.assert_array_equal(sample.shown.frame.to_ndarray(), on_display(truth, sample.t))


def test_frames_on_which_nothing_depends_are_not_decoded(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", range(100), options={"bf": "2", "b-pyramid": "none", "b_strategy": "0"})
    # Of each P-frame and its two B-frames one is needed, and those on display at the 20 instants.
    assert 100 / 3 < len(read(path, Sampling(fps=5.0, threads=1))) < 70
    assert len(read(path, Sampling(fps=25.0, threads=1))) == 100


def test_av1_frames_on_which_nothing_depends_are_not_decoded(tmp_path: Path) -> None:
    _, codec, options = CODECS["av1"]
    path = write_clip(tmp_path / "clip.mp4", range(100), codec=codec, options=options)
    assert 20 <= len(read(path, Sampling(fps=5.0, threads=1))) < 75
    assert len(read(path, Sampling(fps=25.0, threads=1))) == 100


def test_av1_packets_that_cannot_be_read_stay_whole(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", range(20), codec="libsvtav1", options=CODECS["av1"][2])
    with av.open(str(path)) as container:
        packets = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    intact, random = UnreferencedFrames(), np.random.default_rng(5)
    assert any(len(intact.strip(packet)) < len(packet) for packet in packets)
    for packet in packets:
        cut = packet[: int(random.integers(len(packet)))]
        assert len(intact.strip(cut)) <= len(cut)
        assert UnreferencedFrames().strip(packet) == packet or packet is packets[0]  # no sequence header was seen
    assert intact.strip(packets[1][:-1]) == packets[1][:-1]


def test_a_frame_is_needed_when_an_instant_falls_into_its_time_on_display() -> None:
    assert covers_instant(0.0, 0.04, 5.0)
    assert not covers_instant(0.04, 0.2, 5.0)
    assert covers_instant(0.16, 0.24, 5.0)
    assert covers_instant(0.2009, 0.24, 5.0), "within 1 ms of the instant it is meant for it"
    assert not covers_instant(0.16, 0.2009, 5.0), "the next one is on display by then"


def test_instants_end_with_the_medium_and_weights_sum_to_its_duration() -> None:
    frames = [TimedFrame(i / 24, i) for i in range(49)]  # 2 s and one frame
    samples = list(sample_at_instants(frames, 5.0, lambda: 49 / 24))
    assert [s.t for s in samples] == pytest.approx([i / 5 for i in range(11)])
    assert [s.shown.frame for s in samples] == [int(i / 5 * 24 + 0.03) for i in range(11)]
    assert sum(s.weight_s for s in samples) == pytest.approx(49 / 24)
    # A medium that ends on an instant is not sampled there.
    assert len(list(sample_at_instants(frames[:48], 5.0, lambda: 2.0))) == 10
    assert list(sample_at_instants(frames[:48], 5.0, lambda: 2.0004))[-1].weight_s == pytest.approx(0.2004)


def test_where_every_frame_is_a_key_frame_few_are_decoded(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", range(50), options={"g": "1"})
    assert [round(f.time_s, 3) for f in read(path, Sampling(key_frames_only=True, fps=5.0))] == [
        round(i / 5, 3) for i in range(10)
    ]


@pytest.mark.parametrize(
    ("stamps", "wanted", "noted"),
    [
        ([5.0, 5.04, 5.08], [0, 0.04, 0.08], []),
        ([-0.08, -0.04, 0.0], [0, 0.04, 0.08], []),
        ([None, None, None], [0, 0.04, 0.08], ["times_missing"]),
        ([3.0, 3.04, 0.0, 0.04], [0, 0.04, 0.08, 0.12], ["times_jump"]),
        ([0.0, 0.04, 90000.0, 90000.04], [0, 0.04, 0.08, 0.12], ["times_jump"]),
        ([0.0, 0.04, 0.12, 0.08, 0.16], [0, 0.04, 0.12, None, 0.16], ["frames_late"]),
        ([0.0, 8.0], [0, 8.0], []),
    ],
    ids=["starts late", "starts early", "missing", "jumps back", "jumps on", "late", "held"],
)
def test_times_count_from_the_first_frame(
    stamps: list[float | None], wanted: list[float | None], noted: list[str]
) -> None:
    clock = PresentationClock(step_s=0.04, stated_s=10.0)
    times = [clock.read(stamp) for stamp in stamps]
    assert [time if time is None else round(time, 6) for time in times] == wanted
    assert [problem.code for problem in clock.problems] == noted
