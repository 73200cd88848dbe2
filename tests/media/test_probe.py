import hashlib
import io
from uuid import UUID

import pytest
from PIL import Image

from mediaan.media.image_checks import is_truncated
from mediaan.media.probe import file_medium_id, medium_id, sniff


@pytest.mark.parametrize("codec", ["jpeg", "png", "webp", "tiff", "bmp", "avif", "gif"])
def test_a_format_is_told_by_content_and_only_whole_files_end_where_they_say(codec):
    buffer = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(
        buffer, codec, **({"compression": "tiff_lzw"} if codec == "tiff" else {})
    )
    data = buffer.getvalue()
    assert sniff(data[:512]) == codec
    assert not is_truncated(data, codec)
    if codec in {"webp", "tiff", "avif"}:
        assert is_truncated(data[: len(data) * 2 // 3], codec)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "heic"),
        (b"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic", "heic"),
        (b"\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf", "avif"),
        (b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41", "mp4"),
        (b"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ", "quicktime"),
        (b"\x00\x00\x10\x00moov" + bytes(20), "quicktime"),
        (b"\x1aE\xdf\xa3\x01\x00\x00\x00webm", "matroska"),
        (b"RIFF\x00\x10\x00\x00AVI LIST", "avi"),
        ((b"G" + bytes(187)) * 2 + b"G", "mpeg-ts"),
        ((b"1234G" + bytes(187)) * 2 + b"1234G", "mpeg-ts"),
        ((b"G" + bytes(186)) * 2 + b"G", None),
        (b"\x00\x00\x00\x1cftypM4A \x00\x00\x02\x00", "mp4"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<svg xmlns="x"/>', "svg"),
        (b"  <svg width='3'>", "svg"),
        (b"RIFF\x00\x10\x00\x00WAVEfmt ", None),
        (b"BMW is a maker of cars, and this is a text about them.", None),
        (b"path,score\nads/a.png,3\n", None),
        (b"<?xml version='1.0'?><report/>", None),
        (b"", None),
    ],
)
def test_other_content(head, name):
    assert sniff(head) == name


def test_the_identity_is_the_sha256_with_the_bits_of_a_custom_uuid():
    identity = medium_id(b"some picture")
    digest = hashlib.sha256(b"some picture").digest()[:16]
    assert identity.version == 8
    assert identity.variant == UUID(int=0x8000 << 48).variant
    free_bits = ~((0xF << 76) | (0x3 << 62))
    assert identity.int & free_bits == int.from_bytes(digest, "big") & free_bits
    assert medium_id(b"some picture") == identity != medium_id(b"some picture.")


@pytest.mark.parametrize("length", [0, 1, 1 << 20, (1 << 20) + 1, 3_000_000])
def test_a_file_read_in_pieces_is_the_same_medium(tmp_path, length):
    data = bytes(range(251)) * (length // 251 + 1)
    (tmp_path / "ad").write_bytes(data[:length])
    assert file_medium_id(tmp_path / "ad") == medium_id(data[:length])
