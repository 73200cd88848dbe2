"""A folder as an enemy would make it: links, pipes, names, lures, bombs, files that are two things at once."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from pathlib import Path

from bombs import BOMBS
from mutations import mutations
from PIL import Image
from whole_files import whole_files

NAMES = (
    b"<img src=x onerror=window.pwned=1>.png",
    b"<!--<script>window.pwned=1;--><!--.png",
    b"'\"><svg onload=window.pwned=1>.png",
    b"{{7*7}}${7*7}<%=7*7%>#{7*7}.png",
    b'=HYPERLINK("x","y").png',
    b"+1+1.png",
    b"@SUM(1).png",
    b"-rf.png",
    b"--out=x.png",
    b"\tTab.png",
    b"two\nlines\r.png",
    b"'; DROP TABLE media; --.png",
    b"\x1b]0;owned\x07\x1b[31mred.png",
    b"\xe2\x80\xaegnp.drow\xe2\x81\xa6.png",
    b"caf\xe9 \xff\xfe.png",
    b"..png",
    b"...\\..\\up.png",
    b"CON.png",
    b" leading and trailing .png",
    b"%2e%2e%2fup%00.png",
    b"javascript:window.pwned=1.png",
    "Überraschung \N{GRINNING FACE}\N{ZERO WIDTH JOINER}.png".encode(),
    b"a" * 251 + b".png",
    b"]]>--%><![CDATA[.png",
)
"""Names of files that people, browsers, spreadsheets, shells, databases and terminals could take for something else."""


def small_png(number: int) -> bytes:
    """A sound picture that no other number gives."""
    buffer = io.BytesIO()
    Image.new("RGB", (48, 32), (number * 37 % 256, number % 256, 90)).save(buffer, "PNG")
    return buffer.getvalue()


def write_names(folder: Path) -> list[str]:
    """Sound pictures with the names above; returns what they are to be called."""
    for number, name in enumerate(NAMES):
        if not name.startswith(b"."):
            Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(small_png(number))
    return [name.decode("utf-8", "backslashreplace") for name in NAMES if not name.startswith(b".")]


def write_places(folder: Path, outside: Path) -> None:
    """Things that are no regular files, and links to wherever; `outside` holds what must not be opened."""
    (folder / "folder.mp4").mkdir()
    (folder / "folder.mp4" / "inside.png").write_bytes(small_png(200))
    for link, target in {
        "dangling.png": "nowhere.png",
        "itself.jpg": "itself.jpg",
        "round.mp4": "round2.mp4",
        "round2.mp4": "round.mp4",
        "up": "..",
        "out.png": str(outside / "secret.png"),
        "out": str(outside),
        "roundabout.png": "folder.mp4/../" + os.path.relpath(outside, folder) + "/secret.png",
        "zero.png": "/dev/zero",
        "memory.mp4": "/proc/self/mem",
        "inside.png": "folder.mp4/inside.png",
    }.items():
        (folder / link).symlink_to(target)
    os.mkfifo(folder / "pipe.png")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(folder)  # paths of sockets are short
        try:
            server.bind("socket.jpg")
        finally:
            os.chdir(here)
    deep = folder.joinpath(*["deep"] * 120)
    deep.mkdir(parents=True)
    (deep / "at the bottom.png").write_bytes(small_png(201))


def write_lures(folder: Path, secret: Path, url: str) -> None:
    """Files that ask whoever opens them to open another, or an address."""
    lures = {
        "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\n{}\n#EXT-X-ENDLIST\n",
        "hls key": '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI="{}"\n#EXTINF:2,\na.ts\n',
        "concat": "ffconcat version 1.0\nfile '{}'\n",
        "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns={}\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
        "dash": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>{}</BaseURL></MPD>',
        "svg": '<svg xmlns="http://www.w3.org/2000/svg"><image href="{}" width="9" height="9"/></svg>',
        "svg entity": '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "{}">]><svg><text>&x;</text></svg>',
        "laughs": '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "'
        + "&a;" * 99
        + '"><!ENTITY c "'
        + "&b;" * 99
        + '"><!ENTITY d "'
        + "&c;" * 99
        + '">]><svg id="{}"><text>&d;&d;</text></svg>',
        "pls": "[playlist]\nFile1={}\nNumberOfEntries=1\n",
        "asx": '<asx version="3.0"><entry><ref href="{}"/></entry></asx>',
        "html": '<!DOCTYPE html><meta http-equiv="refresh" content="0;url={}"><img src="{}">',
        "postscript": "%!PS-Adobe-3.0 EPSF-3.0\n({}) (r) file\n",
        "mvg": "push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 9,9 '{}'\npop graphic-context\n",
    }
    for name, text in lures.items():
        for suffix, target in (("mp4", str(secret)), ("jpg", f"file://{secret}"), ("webm", url), ("png", url)):
            (folder / f"lure {name}.{suffix}").write_text(text.replace("{}", target))


def _flat(width: int, height: int, content: tuple[int, int, int, int] | None = None) -> bytes:
    image = Image.new("RGB", (width, height), (200, 30, 60))
    if content:
        image.paste((20, 90, 250), content)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def write_doubles(folder: Path) -> None:
    """Files that are two things at once, or nothing much."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../evil.png", small_png(1))
    jpeg = whole_files()["jpg"]
    for name, data in {
        **{f"{width} x {height}.png": _flat(width, height) for width, height in ((1, 1), (1, 3000), (3000, 1), (2, 3))},
        "thin bars.png": _flat(60, 40, (0, 1, 60, 39)),
        "thin content.png": _flat(48, 32, (4, 3, 24, 19)),
        "empty.jpg": b"",
        "one byte.mp4": b"\0",
        "text.jpg": b"Dear all, this is no picture.\n",
        "zip.png": small_png(210) + packed.getvalue(),
        "zip alone.png": packed.getvalue(),
        "page.jpg": jpeg[:2] + b"\xff\xfe\x00\x27<script>window.pwned='comment'</script>" + jpeg[2:],
        "pdf.jpg": b"%PDF-1.7\n" + jpeg,
        "gif and script.gif": b"GIF89a/*" + whole_files()["gif"] + b"*/=1;window.pwned=1",
        "elf.mov": b"\x7fELF" + bytes(500),
        "pickle.png": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x0etouch hacked.p\x85R.",
        "mp4 with a picture before.mp4": small_png(211) + whole_files()["mp4"],
        "picture named.mp4": small_png(212),
        "video named.png": whole_files()["webm"],
    }.items():
        (folder / name).write_bytes(data)


def write_bombs(folder: Path) -> None:
    """All bombs."""
    for name, make in BOMBS.items():
        (folder / f"bomb {name}").write_bytes(make())


def write_mutations(folder: Path, count: int) -> None:
    """Some of the mutations, of another seed than elsewhere."""
    for mutation in mutations(whole_files(), count, seed=77):
        (folder / f"{mutation.name}.{mutation.suffix}").write_bytes(mutation.data)
