"""Name files that hold pictures or films without being any, so that whoever gave them knows how to export them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

DOCUMENTS: Mapping[str, str] = {
    "PDF": "export its pages as PNG",
    "PostScript document": "export it as PNG",
    "Illustrator document": "export it as PNG",
    "InDesign document": "export its pages as PNG",
    "design document": "export it as PNG",
    "presentation": "export its slides as PNG",
    "text document": "export its pages as PNG",
    "web page": "save a picture of it as PNG",
    "archive": "unpack it",
}
"""Advice for each kind."""

_SIGNATURES: Mapping[bytes, str] = {
    b"%!PS": "PostScript document",
    b"\xc5\xd0\xd3\xc6": "PostScript document",  # EPS with a preview
    b"\x06\x06\xed\xf5": "InDesign document",
    b"fig-kiwi": "design document",
    b"gimp xcf": "design document",
    b"\x00\xffKA": "design document",  # Affinity
    b"7z\xbc\xaf\x27\x1c": "archive",
    b"Rar!\x1a\x07": "archive",
    b"\x1f\x8b": "archive",
}
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BY_SUFFIX: Mapping[str, str] = {
    **dict.fromkeys((".pptx", ".ppsx", ".potx", ".ppt", ".pps", ".odp", ".key"), "presentation"),
    **dict.fromkeys((".docx", ".doc", ".odt", ".pages", ".pub"), "text document"),
    **dict.fromkeys((".sketch", ".fig", ".xd", ".kra", ".odg", ".procreate", ".afdesign"), "design document"),
    ".idml": "InDesign document",
    ".zip": "archive",
}
"""Of files in the containers of office programs (ZIP and OLE), which look alike at their beginning."""
_WEB_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})


def document_kind(head: bytes, name: str) -> str | None:
    """Name the kind of a document by its first bytes and, where these fit several, by its name.

    Parameters
    ----------
    head : bytes
        The first `probe.HEAD_BYTES`.
    name : str
        File name.

    Returns
    -------
    str or None
        A key of `DOCUMENTS`; None for anything else.

    Examples
    --------
    >>> document_kind(b"%PDF-1.7", "flyer.pdf"), document_kind(b"Dear all,", "letter.pdf")
    ('PDF', None)
    """
    suffix = PurePath(name).suffix.lower()
    content = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if content.startswith(b"%PDF-"):
        return "Illustrator document" if suffix == ".ai" else "PDF"
    if head.startswith(b"RIFF") and head[8:11] == b"CDR":
        return "design document"
    if head.startswith((_ZIP, _OLE)):
        return _BY_SUFFIX.get(suffix)
    if content[:64].lower().startswith((b"<!doctype html", b"<html")):
        return "web page" if suffix in _WEB_SUFFIXES else None  # else what a server sent instead of a file
    return next((kind for signature, kind in _SIGNATURES.items() if head.startswith(signature)), None)
