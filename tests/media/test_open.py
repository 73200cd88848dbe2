from fractions import Fraction

import numpy as np
import pytest
from make_media import numbers_in, write_animation, write_audio, write_clip
from PIL import Image

from mediaan.errors import MediumError
from mediaan.media import MediaLimits, Sampling, is_moving, open_medium
from mediaan.types.media import ViewSpec

FULL = ViewSpec("full", long_side=10_000)
MIXED = MediaLimits(mixed=True)


def opened(path, limits=None, **sampling):
    with open_medium(path, [FULL], limits or MediaLimits(), Sampling(**sampling)) as source:
        list(source.chunks())
        return source


def code_of(path, limits=None):
    with pytest.raises(MediumError) as caught:
        opened(path, limits)
    assert caught.value.message.startswith(f"{path.name}: ")
    return caught.value.code


def still(path, size=(8, 8), **options):
    Image.new("RGB", size, "red").save(path, **options)
    return path


class TestContentDecides:
    @pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
    def test_one_frame_is_a_picture_and_several_are_a_video(self, tmp_path, suffix):
        one = still(tmp_path / f"one{suffix}")
        several = write_animation(tmp_path / f"several{suffix}", range(3))
        assert (opened(one).medium.kind, opened(several).medium.kind) == ("image", "video")
        assert opened(several).problems == ()
        assert (is_moving(one), is_moving(several)) == (False, True)

    def test_an_animation_of_one_frame_is_a_picture(self, tmp_path):
        path = tmp_path / "one.webp"
        frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=100)
        data = path.read_bytes()
        second = data.index(b"ANMF", data.index(b"ANMF") + 4)
        path.write_bytes(data[:4] + (second - 8).to_bytes(4, "little") + data[8:second])
        assert opened(path).medium.kind == "image"

    def test_the_exposure_is_for_pictures_alone(self, tmp_path):
        assert opened(still(tmp_path / "a.png"), exposure_s=3.0).shots[0].end_s == 3.0
        clip = write_clip(tmp_path / "a.mp4", range(25))
        assert opened(clip, exposure_s=3.0).shots[-1].end_s == pytest.approx(1.0)

    def test_limits_reach_every_kind(self, tmp_path):
        narrow = MediaLimits(max_side=90)
        assert code_of(still(tmp_path / "a.png", (100, 20)), narrow) == "too_large"
        assert code_of(write_animation(tmp_path / "a.gif"), narrow) == "too_large"
        assert code_of(write_clip(tmp_path / "a.mp4", range(3)), narrow) == "too_large"
        assert opened(still(tmp_path / "b.png", (90, 20)), narrow).medium.width == 90

    def test_what_lasts_longer_than_the_limit_is_refused(self, tmp_path):
        clip, play = write_clip(tmp_path / "a.mp4", range(30)), write_animation(tmp_path / "a.gif")
        for path in (clip, play):
            seconds = opened(path).medium.duration_s
            assert code_of(path, MediaLimits(max_duration_s=seconds / 2)) == "too_long"
            opened(path, MediaLimits(max_duration_s=2 * seconds))


class TestMixedMedia:
    """The rules of the v2 media analysis service: MP4, WebM, MOV, MKV, AVI and GIF, 3000 px a side."""

    @pytest.mark.parametrize(
        ("name", "codec"),
        [
            ("a.mp4", "libx264"),
            ("a.webm", "libvpx-vp9"),
            ("a.mov", "libx264"),
            ("a.mkv", "libx264"),
            ("a.avi", "mpeg4"),
        ],
    )
    def test_videos_are_taken(self, tmp_path, name, codec):
        assert opened(write_clip(tmp_path / name, range(3), codec=codec), MIXED).medium.kind == "mixed"

    @pytest.mark.parametrize(("delays_ms", "duration_s"), [([300] * 3, 0.9), ([70], 0.07), ([10], 0.1), ([0], 0.1)])
    def test_a_gif_plays_even_if_it_has_one_frame(self, tmp_path, delays_ms, duration_s):
        path = write_animation(tmp_path / "a.gif", range(len(delays_ms)), delays_ms)
        source = opened(path, MIXED)
        assert (source.medium.kind, source.medium.codec) == ("mixed", "gif")
        assert source.medium.duration_s == pytest.approx(duration_s)
        assert source.medium.frame_rate == Fraction(len(delays_ms) / duration_s).limit_denominator(100)
        assert is_moving(path, MIXED)

    def test_a_gif_of_one_frame_is_looked_at(self, tmp_path):
        path = write_animation(tmp_path / "a.gif", [5], [700])
        with open_medium(path, [FULL], MIXED) as source:
            (chunk,) = source.chunks()
        assert numbers_in(chunk.views["full"]) == [5] * 4
        assert chunk.weight_s == pytest.approx([0.2, 0.2, 0.2, 0.1])
        assert chunk.fresh.tolist() == [True, False, False, False]

    @pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.webp", "a.flv", "a.ts", "a.mpg", "a.apng"])
    def test_others_are_refused_with_the_list_of_what_is_taken(self, tmp_path, name):
        path = tmp_path / name
        if name in {"a.png", "a.jpg"}:
            still(path)
        elif name in {"a.webp", "a.apng"}:
            write_animation(path)
        else:
            write_clip(path, codec="mpeg2video" if name == "a.mpg" else "libx264")
        assert code_of(path, MIXED) == "not_mixed_media"
        with pytest.raises(MediumError, match="MP4, WebM, MOV, MKV, AVI and GIF"):
            opened(path, MIXED)
        assert opened(path).medium.kind in {"image", "video"}

    def test_sides_are_limited_to_3000_px_unless_said_otherwise(self, tmp_path):
        fits, exceeds = (still(tmp_path / f"{width}.gif", (width, 4)) for width in (3000, 3001))
        assert opened(fits, MIXED).medium.width == 3000
        assert code_of(exceeds, MIXED) == "too_large"
        assert opened(exceeds, MediaLimits(mixed=True, max_side=4000)).medium.width == 3001
        assert opened(exceeds).medium.width == 3001
        assert code_of(fits, MediaLimits(mixed=True, max_side=2000)) == "too_large"
        assert code_of(write_clip(tmp_path / "a.mp4", [1], size=(3008, 64)), MIXED) == "too_large"


class TestWhatIsNoMedium:
    @pytest.mark.parametrize(
        ("content", "code", "says"),
        [
            (b"", "empty_file", "empty"),
            (b"Dear customer, the film is attached.", "not_a_picture", "neither an image nor a video"),
            (b"<!DOCTYPE html><html><body>404</body></html>", "not_a_picture", "neither"),
            (b"const answer: number = 42;\n", "not_a_picture", "neither"),
            (b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\ncanary.mp4\n", "unsupported_format", "playlist"),
            (b"\xef\xbb\xbf#EXTM3U\ncanary.mp4\n", "unsupported_format", "playlist"),
            (b"ffconcat version 1.0\nfile canary.mp4\n", "unsupported_format", "concat script"),
            (b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n", "unsupported_format", "SDP"),
            (b"[playlist]\nFile1=canary.mp4\n", "unsupported_format", "playlist"),
            (b'<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011">', "unsupported_format", "DASH"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'><image href='canary.mp4'/></svg>", "unsupported_format", "svg"),
            (b"%PDF-1.7\n", "unsupported_format", "PDF"),
            (b"\xff\x0a" + bytes(30), "unsupported_format", "jpeg-xl"),
            (b"OggS\0\2" + bytes(30), "unsupported_format", "Ogg"),
            (b"fLaC\0\0\0\x22" + bytes(30), "no_video", "sound"),
        ],
    )
    def test_it_is_named_and_what_it_points_to_is_not_read(self, tmp_path, content, code, says):
        write_clip(tmp_path / "canary.mp4", range(3))
        path = tmp_path / "ad.mp4"
        path.write_bytes(content)
        assert code_of(path) == code
        with pytest.raises(MediumError, match=says):
            opened(path)
        assert not is_moving(path)

    @pytest.mark.parametrize("name", ["a.mp3", "a.wav", "a.m4a", "a.mp4", "a.webm"])
    @pytest.mark.parametrize("limits", [MediaLimits(), MIXED], ids=["", "mixed"])
    def test_sound_alone(self, tmp_path, name, limits):
        assert code_of(write_audio(tmp_path / name), limits) == "no_video"

    def test_noise_after_any_beginning_is_an_error_of_the_medium(self, tmp_path):
        beginnings = [b"GIF89a", b"\x89PNG\r\n\x1a\n", b"RIFF\xff\0\0\0WEBP", b"RIFF\xff\0\0\0AVI ", b"\x1aE\xdf\xa3"]
        beginnings += [b"\0\0\0\x18ftypisom\0\0\2\0isommp42", b"FLV\x01", b"\0\0\x01\xba", b"\xff\xd8\xff"]
        rng = np.random.default_rng(8)
        for number, beginning in enumerate(beginnings):
            for length in (0, 7, 40, 3000):
                path = tmp_path / f"{number}-{length}"
                path.write_bytes(beginning + rng.bytes(length))
                assert code_of(path) in {"truncated", "decode_failed", "too_large", "no_video", "unsupported_format"}
