import os
import sys
import tracemalloc

import pytest
from PIL import Image

from mediaan.errors import MediumError, UsageError
from mediaan.media import open_medium
from mediaan.media.listing import find_files
from mediaan.media.probe import DOCUMENTS


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), "red").save(path, "PNG")
    return path


def shown(*paths, **options):
    return [file.display_path for file in find_files(paths, **options).files]


def skipped(*paths, **options):
    return [(entry.path.name, entry.reason) for entry in find_files(paths, **options).skipped]


def test_a_folder_is_walked_in_plain_order_without_hidden_entries(tmp_path):
    for name in [
        "b.png",
        "a10.png",
        "a2.png",
        "sub/c.png",
        "sub.png",
        ".hidden.png",
        ".git/x.png",
        "sub/.thumbs/y.png",
    ]:
        picture(tmp_path / name)
    assert shown(tmp_path) == ["a10.png", "a2.png", "b.png", "sub.png", "sub/c.png"]
    assert skipped(tmp_path) == []


def test_content_decides_inside_a_folder_and_a_promising_name_is_kept(tmp_path):
    picture(tmp_path / "no_suffix")
    (tmp_path / "notes.txt").write_text("not a picture")
    (tmp_path / "scores.csv").write_text("a,b\n")
    (tmp_path / "empty").touch()
    (tmp_path / "broken.JPG").write_text("not a picture")
    (tmp_path / "empty.png").touch()
    (tmp_path / "film.bin").write_bytes(b"\x00\x00\x00\x20ftypisom" + bytes(30))
    assert shown(tmp_path) == ["broken.JPG", "empty.png", "film.bin", "no_suffix"]
    assert skipped(tmp_path) == [("empty", "not_media"), ("notes.txt", "not_media"), ("scores.csv", "not_media")]


def test_names_that_promise_a_video_are_kept_but_typescript_is_not_one(tmp_path):
    for name in ["cut.MP4", "page.ts", "sound.mp3", "ad.webm", "tv.mts"]:
        (tmp_path / name).write_text("export const answer = 42;")
    (tmp_path / "tv.ts").write_bytes((b"G" + bytes(187)) * 3)
    assert shown(tmp_path) == ["ad.webm", "cut.MP4", "tv.mts", "tv.ts"]
    assert skipped(tmp_path) == [("page.ts", "not_media"), ("sound.mp3", "not_media")]


def test_several_folders_are_told_apart_by_name(tmp_path):
    picture(tmp_path / "spring" / "a.png")
    picture(tmp_path / "summer" / "a.png")
    assert shown(tmp_path / "spring", tmp_path / "summer") == ["spring/a.png", "summer/a.png"]


def test_two_files_are_never_shown_alike(tmp_path):
    picture(tmp_path / "x" / "ads" / "a.png")
    picture(tmp_path / "y" / "ads" / "a.png")
    picture(tmp_path / "y" / "ads" / "only_here.png")
    assert shown(tmp_path / "x" / "ads", tmp_path / "y" / "ads") == ["ads/only_here.png", "x/ads/a.png", "y/ads/a.png"]
    names = shown(tmp_path / "x" / "ads" / "a.png", tmp_path / "y" / "ads" / "a.png", tmp_path / "y" / "ads")
    assert names == ["ads/only_here.png", "x/ads/a.png", "y/ads/a.png"]


def test_what_is_reached_twice_is_listed_once(tmp_path, monkeypatch):
    picture(tmp_path / "ads" / "new" / "a.png")
    assert len(shown(tmp_path / "ads", tmp_path / "ads" / "new", tmp_path / "ads" / "new" / "a.png")) == 1
    monkeypatch.chdir(tmp_path / "ads")
    assert len(shown(tmp_path / "ads", tmp_path / "ads" / ".." / "ads")) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="these names are not allowed on Windows")
@pytest.mark.parametrize(
    "name", ["Grüße aus Köln.png", "two words.png", "two\nlines.png", "日本.png", "-rf.png", "a%b.png"]
)
def test_strange_names_stay_what_they_are(tmp_path, name):
    picture(tmp_path / name)
    assert shown(tmp_path) == [name]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any bytes")
def test_names_that_are_no_text_are_shown_as_text(tmp_path):
    picture(tmp_path / os.fsdecode(b"caf\xe9.png"))
    (file,) = find_files([tmp_path]).files
    assert file.display_path == "caf\\xe9.png"
    file.display_path.encode("utf-8")
    assert file.path.read_bytes().startswith(b"\x89PNG")


def test_links_do_not_lead_outside_unless_asked(tmp_path):
    ads, elsewhere = tmp_path / "ads", tmp_path / "elsewhere"
    picture(ads / "real.png")
    picture(elsewhere / "secret.png")
    (ads / "inside.png").symlink_to(ads / "real.png")
    (ads / "outside.png").symlink_to(elsewhere / "secret.png")
    (ads / "folder").symlink_to(elsewhere)
    assert shown(ads) == ["inside.png", "real.png"]
    assert skipped(ads) == [("folder", "link_outside"), ("outside.png", "link_outside")]
    assert shown(ads, follow_links=True) == ["folder/secret.png", "inside.png", "outside.png", "real.png"]


def test_a_link_may_itself_be_the_given_folder(tmp_path):
    picture(tmp_path / "ads" / "a.png")
    (tmp_path / "current").symlink_to(tmp_path / "ads")
    assert shown(tmp_path / "current") == ["a.png"]


@pytest.mark.parametrize("follow_links", [True, False])
def test_links_in_a_circle_end(tmp_path, follow_links):
    picture(tmp_path / "sub" / "a.png")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    assert shown(tmp_path, follow_links=follow_links) == ["sub/a.png"]


def test_a_dangling_link_is_kept_only_if_its_name_promises_a_picture(tmp_path):
    (tmp_path / "gone.png").symlink_to(tmp_path / "nowhere.png")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert shown(tmp_path) == ["gone.png"]
    assert skipped(tmp_path) == [("gone", "broken_link")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    assert shown(tmp_path) == []
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        find_files([tmp_path / "pipe.png"])


def test_a_path_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(UsageError, match=r"missing\.png"):
        find_files([tmp_path / "missing.png"])
    with pytest.raises(UsageError, match="no path"):
        find_files([])


def test_a_file_takes_little_memory(tmp_path):
    """A million files have to fit: their paths are texts."""
    for folder in range(4):
        (tmp_path / f"campaign {folder}").mkdir()
        for i in range(500):
            (tmp_path / f"campaign {folder}" / f"creative {i:04d}.png").touch()
    find_files([tmp_path])
    tracemalloc.start()
    listing = find_files([tmp_path])
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(listing.files) == 2000
    assert kept / 2000 < 400 + len(str(tmp_path))
    assert peak / 2000 < 800 + len(str(tmp_path))


ZIP, OLE = b"PK\x03\x04" + bytes(60), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(60)
DOCUMENT_FILES = {
    "flyer.pdf": (b"%PDF-1.7\n", "PDF"),
    "flyer": (b"\n%PDF-1.4", "PDF"),
    "logo.ai": (b"%PDF-1.6", "Illustrator document"),
    "old logo.ai": (b"%!PS-Adobe-3.0", "PostScript document"),
    "logo.eps": (b"\xc5\xd0\xd3\xc6" + bytes(28), "PostScript document"),
    "ad.indd": (b"\x06\x06\xed\xf5\xd8\x1d" + bytes(20), "InDesign document"),
    "ad.idml": (ZIP, "InDesign document"),
    "deck.pptx": (ZIP, "presentation"),
    "deck.ppt": (OLE, "presentation"),
    "deck.KEY": (ZIP, "presentation"),
    "brief.docx": (ZIP, "text document"),
    "brief.doc": (OLE, "text document"),
    "ad.sketch": (ZIP, "design document"),
    "ad.fig": (b"fig-kiwi" + bytes(20), "design document"),
    "ad.xcf": (b"gimp xcf v011", "design document"),
    "ad.afdesign": (b"\0\xffKA" + bytes(20), "design document"),
    "ad.cdr": (b"RIFF\0\0\0\0CDRAvrsn", "design document"),
    "banner.html": (b"<!DOCTYPE html><html>", "web page"),
    "banner.htm": (b"\xef\xbb\xbf\n<HTML><body>", "web page"),
    "ads.zip": (ZIP, "archive"),
    "ads.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(20), "archive"),
    "ads.rar": (b"Rar!\x1a\x07\x01\0", "archive"),
    "ads.tar.gz": (b"\x1f\x8b\x08" + bytes(20), "archive"),
    "tool.jar": (ZIP, None),
    "table.xls": (OLE, None),
    "empty.pdf": (b"", None),
    "letter.pdf": (b"Dear all,", None),
    "notes.txt": (b"it begins with %PDF-", None),
}


def test_documents_are_known_by_content(tmp_path):
    for name, (content, _) in DOCUMENT_FILES.items():
        (tmp_path / name).write_bytes(content)
    kinds = {entry.path.name: entry.document for entry in find_files([tmp_path]).skipped}
    assert kinds == {name: kind for name, (_, kind) in DOCUMENT_FILES.items()}
    reasons = {entry.reason for entry in find_files([tmp_path]).skipped if entry.document}
    assert reasons == {"document"}


def test_a_document_that_is_named_itself_is_refused_with_advice(tmp_path):
    for name, (content, kind) in DOCUMENT_FILES.items():
        (tmp_path / name).write_bytes(content)
        if kind:
            with pytest.raises(MediumError, match=f"is an? {kind}: {DOCUMENTS[kind]}") as caught:
                open_medium(tmp_path / name, [])
            assert caught.value.code == "unsupported_format"


def test_what_may_not_be_read_is_told_apart(tmp_path, monkeypatch):
    picture(tmp_path / "ads" / "a.png")
    (tmp_path / "ads" / "secret").mkdir()
    (tmp_path / "ads" / "private").write_bytes(b"x")
    scandir = os.scandir

    def refuse_folder(path):
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def refuse_file(path, *arguments):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("mediaan.media.listing.os.scandir", refuse_folder)
    monkeypatch.setattr("mediaan.media.listing.open", refuse_file, raising=False)
    assert shown(tmp_path / "ads") == ["a.png"]
    assert skipped(tmp_path / "ads") == [("private", "unreadable_file"), ("secret", "unreadable_folder")]
