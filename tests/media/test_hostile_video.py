"""Files that lie, lead elsewhere or are broken: nothing else is opened, and the message says what is wrong."""

from __future__ import annotations

import os
import random
import struct
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest
from make_media import HEIGHT, WIDTH, numbered, numbers_in, truncated, write_clip, write_silence

from mediaan.errors import MediumError
from mediaan.media.limits import MediaLimits
from mediaan.media.source import Sampling
from mediaan.media.video.container import DEMUXERS
from mediaan.media.video.source import VideoSource, open_video
from mediaan.types.media import ViewSpec

VIEW = ViewSpec("view", long_side=96)


def opened(
    path: Path, codec: str = "mp4", limits: MediaLimits | None = None, *, threads: int = 1, fps: float = 5.0
) -> VideoSource:
    return open_video(path, codec, [VIEW], limits or MediaLimits(), Sampling(fps=fps, threads=threads))


def failure(path: Path, codec: str = "mp4", limits: MediaLimits | None = None) -> MediumError:
    """Read a file to its end, which must fail, and before its end no sample may come out of an unsafe one."""
    with pytest.raises(MediumError) as caught, opened(path, codec, limits) as source:
        list(source.chunks())
    assert path.name in caught.value.message
    return caught.value


class Canary:
    """A named pipe: whoever opens it for reading lets the thread on its other side go on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self.touched = False
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _wait(self) -> None:
        with self.path.open("wb"):
            self.touched = not self._released

    _released = False

    def release(self) -> bool:
        """Say whether anybody opened it, and end the thread."""
        self._thread.join(0.1)
        self._released = self._thread.is_alive()
        if self._released:
            with self.path.open("rb"):
                self._thread.join()
        return self.touched


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Canary]:
    bird = Canary(tmp_path / "canary.ts")
    yield bird
    bird.release()


def lures(target: Path) -> dict[str, bytes]:
    """Files that ask a player to open another."""
    path, url = str(target), f"file://{target}"
    return {
        "hls": f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\n{path}\n#EXT-X-ENDLIST\n".encode(),
        "hls, url": f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\n{url}\n#EXT-X-ENDLIST\n".encode(),
        "concat": f"ffconcat version 1.0\nfile '{path}'\n".encode(),
        "sdp": f"v=0\no=- 0 0 IN IP4 127.0.0.1\ns={path}\nt=0 0\nm=video 5004 RTP/AVP 96\n".encode(),
        "dash": (
            f'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet>'
            f'<Representation id="1"><BaseURL>{url}</BaseURL></Representation></AdaptationSet></Period></MPD>'
        ).encode(),
        "svg": f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{url}" width="9" height="9"/></svg>'.encode(),
        "imf": f'<?xml version="1.0"?><CompositionPlaylist><Id>{url}</Id></CompositionPlaylist>'.encode(),
        "image sequence": path.encode(),
    }


@pytest.mark.parametrize("codec", sorted(DEMUXERS))
def test_no_playlist_or_script_opens_another_file(codec: str, tmp_path: Path, canary: Canary) -> None:
    clip = write_clip(tmp_path / "valid.ts", [1] * 10)
    for name, data in [*lures(canary.path).items(), *lures(clip).items()]:
        path = tmp_path / "lure.mp4"
        # Some readers of scripts look past what comes first.
        for head in (b"", b"\n"):
            path.write_bytes(head + data)
            assert failure(path, codec).code in {"decode_failed", "unsupported_format", "truncated"}, name
    assert not canary.release()


def with_data_reference(clip: Path, target: Path) -> bytes:
    """Rewrite a QuickTime file so that its samples lie in another file, by an alias with an absolute path."""
    data = clip.read_bytes()
    at = data.index(b"dref") - 4
    length = struct.unpack(">I", data[at : at + 4])[0]
    name = str(target).encode()
    # Alias record: header, volume and file names, levels, then tagged strings; 2 is the absolute path.
    alias = struct.pack(">IHH", 0, 150, 2) + struct.pack(">H", 0) + bytes([1]) + b"/".ljust(27, b"\0") + bytes(12)
    alias += bytes([len(target.name)]) + target.name.encode()[:63].ljust(63, b"\0") + bytes(16)
    alias += struct.pack(">hh", 1, 1) + bytes(16)
    alias += struct.pack(">hH", 2, len(name)) + name + bytes(len(name) % 2) + struct.pack(">hH", -1, 0)
    entry = struct.pack(">I4sI", 12 + len(alias), b"alis", 0) + alias
    dref = struct.pack(">I4sII", 16 + len(entry), b"dref", 0, 1) + entry
    grown = len(dref) - length
    out = bytearray(data[:at] + dref + data[at + length :])
    for box in (b"moov", b"trak", b"mdia", b"minf", b"dinf"):
        place = out.index(box) - 4
        out[place : place + 4] = struct.pack(">I", struct.unpack(">I", out[place : place + 4])[0] + grown)
    return bytes(out)


def test_samples_in_another_file_are_not_fetched(tmp_path: Path, canary: Canary) -> None:
    clip = write_clip(tmp_path / "clip.mov", [1] * 10, muxer={"movflags": "use_metadata_tags"})
    path = tmp_path / "reference.mov"
    path.write_bytes(with_data_reference(clip, canary.path))
    assert failure(path, "quicktime").code == "decode_failed"
    assert not canary.release()


@pytest.mark.parametrize("name", ["concat:a|b.mp4", "http:clip.mp4", "pipe:0.mp4", "%03d.mp4", "café\udce9.mp4"])
def test_names_that_look_like_addresses_are_names(name: str, tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", [3]).rename(tmp_path / name)
    with opened(path) as source:
        (chunk,) = source.chunks()
    assert numbers_in(chunk.views["view"]) == [3]


def test_special_files_are_refused(tmp_path: Path, canary: Canary) -> None:
    assert failure(canary.path, "mpeg-ts").code == "unreadable"
    assert not canary.release()
    assert failure(tmp_path, "mp4").code == "unreadable"
    assert failure(tmp_path / "absent.mp4").code == "unreadable"


def test_size_is_checked_before_a_frame_is_decoded(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", [1], size=(320, 240))
    error = failure(path, limits=MediaLimits(max_video_megapixels=0.05))
    assert error.code == "too_large"
    assert "320 x 240" in error.message
    assert failure(path, limits=MediaLimits(max_side=300)).code == "too_large"
    # What the container states is enough: the frames themselves are gone.
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"mdat") + 4] + bytes(len(data) - data.index(b"mdat") - 4))
    assert failure(path, limits=MediaLimits(max_side=300)).code == "too_large"


def test_size_is_checked_when_it_changes(tmp_path: Path) -> None:
    small, large = (write_clip(tmp_path / f"{side}.ts", [1] * 25, size=(side, side)) for side in (64, 256))
    path = tmp_path / "both.ts"
    path.write_bytes(small.read_bytes() + large.read_bytes())
    assert failure(path, "mpeg-ts", MediaLimits(max_side=200)).code == "too_large"
    assert failure(path, "mpeg-ts", MediaLimits(max_video_megapixels=0.05)).code == "too_large"
    # Far above the limit the decoder itself refuses.
    assert failure(path, "mpeg-ts", MediaLimits(max_video_megapixels=0.02)).code == "decode_failed"


def test_time_limit(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", range(50))
    error = failure(path, limits=MediaLimits(time_limit_s=0.0))
    assert error.code == "time_limit"
    assert "--time-limit" in error.message
    # A frame that is to be held for most of a day must not be sampled to its end.
    path = write_clip(tmp_path / "held.mkv", [1, 2], times_s=[0.0, 8e4])
    assert failure(path, "matroska", MediaLimits(time_limit_s=0.5)).code == "time_limit"


def test_unknown_and_encrypted_codecs_are_refused(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", [1] * 5)
    path.write_bytes(path.read_bytes().replace(b"avc1", b"zzz9"))
    error = failure(path)
    assert error.code == "unsupported_format"
    assert "codec is not supported" in error.message
    path.write_bytes(path.read_bytes().replace(b"zzz9", b"encv"))
    assert failure(path).code == "unsupported_format"


def test_an_index_that_is_cut_off_is_truncation(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mp4", range(50), muxer={"movflags": "use_metadata_tags"})
    assert failure(truncated(path, 0.9)).code == "truncated"
    path.write_bytes(path.read_bytes().replace(b"moov", b"oops"))
    assert failure(path).code == "decode_failed"


def damaged(path: Path, share: float, seed: int = 1) -> Path:
    """Overwrite a share of the packets' bytes at the middle of a file."""
    data = bytearray(path.read_bytes())
    start = data.index(b"mdat") + 4 if b"mdat" in data else len(data) // 20
    middle, half = (start + len(data)) // 2, int(share * (len(data) - start) / 2)
    data[middle - half : middle + half] = random.Random(seed).randbytes(2 * half)
    path.write_bytes(data)
    return path


def test_damage_in_the_middle_is_passed_over_and_counted(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [5] * 100, options={"g": "5", "bf": "0"})
    with opened(damaged(clip, 0.04)) as source:
        chunks = list(source.chunks())
        assert 0.9 <= source.share_read < 1
        assert "partly_read" in [p.code for p in source.problems]
        assert "damaged" in source.problems[-1].message
    assert sum(chunk.weight_s.sum() for chunk in chunks) == pytest.approx(4.0)
    clip = write_clip(tmp_path / "clip.mp4", [5] * 100, options={"g": "5", "bf": "0"})
    error = failure(damaged(clip, 0.5))
    assert error.code == "decode_failed"


def with_edits(path: Path, *edits: tuple[int, int]) -> Path:
    """Put another edit list into an MP4: of each edit its length, ms, and its first tick; -1 for an empty one."""
    data = path.read_bytes()
    at = data.index(b"elst") + 12
    (count,) = struct.unpack_from(">I", data, at - 4)
    entries = b"".join(struct.pack(">IiI", length, start, 1 << 16) for length, start in edits)
    made = bytearray(data[:at] + entries + data[at + 12 * count :])
    struct.pack_into(">I", made, at - 4, len(edits))
    for box in (b"elst", b"edts", b"trak", b"moov"):
        (size,) = struct.unpack_from(">I", data, place := data.index(box) - 4)
        struct.pack_into(">I", made, place, size + 12 * (len(edits) - count))
    edited = path.with_stem("edited")
    edited.write_bytes(made)
    return edited


def test_time_before_the_first_frame_of_an_edit_list_is_not_lost(tmp_path: Path) -> None:
    """Nothing is shown for 5 s, then the first half of the frames."""
    whole = write_clip(tmp_path / "whole.mp4", range(100), muxer={"movflags": "+disable_chpl"})
    with opened(with_edits(whole, (5000, -1), (2000, 1024))) as source:
        list(source.chunks())
    assert (source.share_read, source.problems) == (1.0, ())
    assert source.medium.duration_s == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("later", ["sound", "subtitles"])
def test_what_outlasts_the_video_of_a_matroska_file_is_not_lost(later: str, tmp_path: Path) -> None:
    path = tmp_path / "clip.mkv"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        other: Any = container.add_stream("aac", rate=48000) if later == "sound" else container.add_mux_stream("subrip")
        for number in range(25):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(numbered(number), format="rgb24")))
        container.mux(stream.encode(None))
        if later == "sound":
            write_silence(container, other, 1.1)
        else:
            text = av.Packet(b"Now in shops")
            text.stream, text.pts, text.dts, text.duration = other, 100, 100, 3000
            text.time_base = Fraction(1, 1000)
            container.mux(text)
    # other programs leave out the durations of tracks
    path.write_bytes(path.read_bytes().replace(b"DURATION", b"WHATEVER"))
    with opened(path, codec="matroska") as source:
        list(source.chunks())
    assert (source.share_read, source.problems) == (1.0, ())
    assert source.medium.duration_s == pytest.approx(1.0)


HOURLY, ONE_JUMP = [3600.0 * number for number in range(40)], [0.0, 0.04, 0.08, 200_000.0, 200_000.04]
JUMPS: dict[str, tuple[str, list[float], dict[str, Any]]] = {
    "Matroska": ("a.mkv", HOURLY, {}),
    "Matroska without a duration": ("a.mkv", HOURLY, {"muxer": {"live": "1"}}),
    "WebM without a duration": ("a.webm", HOURLY, {"muxer": {"live": "1"}, "codec": "libvpx"}),
    "MP4": ("a.mp4", HOURLY, {}),
    "MP4 in fragments": ("a.mp4", HOURLY, {"muxer": {"movflags": "frag_every_frame+empty_moov"}}),
    "FLV": ("a.flv", HOURLY, {}),
}


@pytest.mark.parametrize("key_frames_only", [False, True], ids=["all", "fast"])
@pytest.mark.parametrize("kind", JUMPS)
def test_times_that_jump_past_the_limit_are_refused_before_anything_is_sampled(
    kind: str, key_frames_only: bool, tmp_path: Path
) -> None:
    """Each frame held for an hour would be sampled 18,000 times, which takes until the time limit."""
    name, times_s, options = JUMPS[kind]
    path = write_clip(tmp_path / name, range(len(times_s)), times_s=times_s, **options)
    codec = {".mkv": "matroska", ".webm": "matroska", ".mp4": "mp4", ".flv": "flv"}[path.suffix]
    assert path.stat().st_size < 20_000
    with pytest.raises(MediumError, match="more than 24 hours") as caught:
        open_video(path, codec, [VIEW], MediaLimits(), Sampling(key_frames_only=key_frames_only))
    assert caught.value.code == "too_long"


def test_times_that_jump_in_a_transport_stream_are_joined(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.ts", range(40), times_s=HOURLY)
    with opened(path, "mpeg-ts") as source:
        samples = sum(len(chunk.t) for chunk in source.chunks())
    assert "times_jump" in [problem.code for problem in source.problems]
    assert samples < 2 * 18_000
