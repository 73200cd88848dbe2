"""Read a file that a user names: regular files only, up to a size, and say of what kind any other is."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.types.arguments import as_path

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP image or an AVI video"),
    (b"PAR1", "a Parquet table"),
    (b"SQLite format 3", "a SQLite database"),
)
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def check_file(path: str | Path, code: str, most_bytes: int | None = None) -> Path:
    """Return a path that leads to a regular file of at most `most_bytes`.

    A pipe or a device might never end, so nothing else is opened.

    Raises UsageError: with `code`, naming the path, what lies there, and what to give instead.
    """
    path = as_path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code=code) from error
    if not stat.S_ISREG(status.st_mode):
        kind = next((kind for test, kind in _KINDS if test(status.st_mode)), "no regular file")
        raise UsageError(f"{path}: is {kind}; give a file", code=code)
    if most_bytes is not None and status.st_size > most_bytes:
        raise UsageError(f"{path}: is larger than {_size(most_bytes)}; is it the right file?", code=code)
    return path


def read_file(path: str | Path, code: str, most_bytes: int) -> bytes:
    """Return the bytes of a regular file of at most `most_bytes`.

    Raises UsageError: as of `check_file`; or it grew while it was read, or cannot be read.
    """
    path = check_file(path, code, most_bytes)
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code=code) from error
    if len(data) > most_bytes:
        raise UsageError(f"{path}: is larger than {_size(most_bytes)}; is it the right file?", code=code)
    return data


def describe_content(data: bytes) -> str | None:
    """Return what a file that is no text is, by its first bytes; None where they tell nothing.

    >>> describe_content(b"PK\\x03\\x04..."), describe_content(b"name,type")
    ('a ZIP archive or an Excel workbook', None)
    """
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def detect_encoding(path: Path, *, legacy: str | None = None) -> str | None:
    """Return the encoding of a text file: UTF-8 or UTF-16, with or without a byte order mark, else `legacy`.

    The file is read once, in blocks. None where it is neither.
    """
    with path.open("rb") as file:
        head = file.read(4096)
        if utf16 := next((name for mark, name in _UTF16 if head.startswith(mark)), None):
            return utf16
        if len(head) > 3 and 0 in head:
            even, odd = head[0::2].count(0), head[1::2].count(0)
            if describe_content(head) or max(even, odd) * 4 < len(head):  # Latin letters have a zero in every pair
                return None
            return "utf-16-le" if odd > even else "utf-16-be"
        decoder = codecs.getincrementaldecoder("utf-8")()
        block = head
        try:
            while block:
                decoder.decode(block)
                block = file.read(1 << 20)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return None if describe_content(head) else legacy
    return "utf-8-sig"


def _size(most_bytes: int) -> str:
    return f"{most_bytes // 1_000_000} MB" if most_bytes >= 1_000_000 else f"{most_bytes // 1000} kB"
