"""Pictures of web pages, taken by a real browser from pages served on this machine."""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PIL import Image
from web_pages import SHOP_COLOURS, needs_web, self_signed, served_pages

from mediaan.errors import MediumError, SetupError, UsageError
from mediaan.media.pages import browser
from mediaan.media.pages.addresses import SCREENS, PageAddress, page_pictures, parse_page_address, split_addresses
from mediaan.media.pages.browser import PageCamera, Screenshot, read_origin

DESKTOP, PHONE = SCREENS


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served_pages() as address:
        yield address


@pytest.fixture(scope="module")
def camera() -> Iterator[PageCamera]:
    with PageCamera() as camera:
        yield camera


def take(camera: PageCamera, address: str, screen: object = DESKTOP) -> tuple[Screenshot, Image.Image]:
    (picture,) = page_pictures([parse_page_address(address)], [screen])  # type: ignore[list-item]
    shot = camera.take(picture)
    return shot, Image.open(io.BytesIO(shot.png)).convert("RGB")


def refusal(camera: PageCamera, address: str) -> MediumError:
    with pytest.raises(MediumError) as caught:
        take(camera, address)
    assert caught.value.message.startswith(f"{parse_page_address(address).url}: ")
    return caught.value


def codes(shot: Screenshot) -> list[str]:
    return [problem.code for problem in shot.problems]


def count(image: Image.Image, colour: tuple[int, int, int]) -> int:
    """Pixels of a colour."""
    return sum(n for n, value in image.getcolors(1 << 24) or () if value == colour)


def running() -> set[psutil.Process]:
    """Return the processes below this one."""
    return set(psutil.Process().children(recursive=True))


def started(before: set[psutil.Process]) -> list[psutil.Process]:
    """Return those that run and did not run before."""
    return [process for process in running() - before if process.status() != psutil.STATUS_ZOMBIE]


@needs_web
@pytest.mark.parametrize("screen", SCREENS, ids=["desktop", "phone"])
def test_whole_page_with_late_pictures_and_each_bar_once(camera: PageCamera, site: str, screen: object) -> None:
    shot, image = take(camera, f"{site}/shop", screen)
    scale = image.width / (1440 if screen is DESKTOP else 390)
    assert not shot.problems
    assert image.size == (1440, 60 + 20 * 320 + 20) if screen is DESKTOP else image.width == 780
    middle = [image.getpixel((image.width // 2, y)) for y in range(image.height)]
    drawn = [colour for colour in SHOP_COLOURS if middle.count(colour) > 200 * scale]
    assert drawn == SHOP_COLOURS  # also those that come only when they are scrolled to
    order = [middle.index(colour) for colour in SHOP_COLOURS]
    assert order == sorted(order)
    for bar, height in (((0, 0, 250), 60), ((0, 250, 0), 40)):
        rows = [y for y in range(image.height) if image.getpixel((image.width - 3, y)) == bar]
        assert len(rows) == pytest.approx(height * scale, abs=2)
        assert rows[-1] < screen.viewport.height * scale + 2  # type: ignore[attr-defined]  # in the first screen


@needs_web
def test_a_page_that_is_not_made_for_phones_is_reduced_as_phones_do(camera: PageCamera, site: str) -> None:
    _, image = take(camera, f"{site}/wide-table", PHONE)
    assert image.width == 780
    assert image.getpixel((770, 30)) == (255, 0, 0)  # 980 px wide in the page
    assert image.height == pytest.approx(2 * 844, abs=4)


@needs_web
@pytest.mark.parametrize("path", ["/cookies", "/cookies-in-shadow", "/cookies-in-frame"])
def test_cookie_layers_are_named_and_closed(camera: PageCamera, site: str, path: str) -> None:
    shot, image = take(camera, site + path)
    (problem,) = shot.problems
    assert problem.code == "page_layer"
    assert "cookie layer" in problem.message
    assert count(image, (255, 0, 0)) > 100_000
    button = "reject" if "frame" in path else "accept all"
    with PageCamera([button]) as other:
        closed, image = take(other, site + path)
    assert count(image, (255, 0, 0)) == 0
    if "frame" not in path:
        assert "'Accept all', 'Settings'" in problem.message
        assert not closed.problems


@needs_web
def test_clicks_by_selector_and_what_is_not_there(site: str) -> None:
    with PageCamera(["#notice > button", "Nowhere", "]["]) as camera:
        shot, image = take(camera, f"{site}/cookies")
    assert count(image, (255, 0, 0)) == 0
    assert codes(shot) == ["page_not_clicked", "page_not_clicked"]
    assert "'Nowhere'" in shot.problems[0].message


@needs_web
def test_other_layers_are_named_and_backgrounds_and_bars_are_not(camera: PageCamera, site: str) -> None:
    shot, _ = take(camera, f"{site}/newsletter")
    assert codes(shot) == ["page_layer"]
    assert "cookie" not in shot.problems[0].message
    assert not take(camera, f"{site}/background")[0].problems


@needs_web
@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/missing", "page_refused", "404"),
        ("/403", "page_refused", "403"),
        ("/500", "page_refused", "500"),
        ("/503", "page_refused", "503"),  # without a page
        ("/private", "page_refused", "USER:PASSWORD"),
        ("/flyer.pdf", "not_a_page", "application/pdf"),
        ("/colour/1", "not_a_page", "image/png"),
        ("/data.json", "not_a_page", "application/json"),
        ("/text.txt", "not_a_page", "text/plain"),
        ("/download", "not_a_page", "download"),
        ("/nothing", "not_a_page", "nothing"),
        ("/empty", "page_empty", "empty"),
        ("/empty-answer", "page_empty", "empty"),
        ("/closes", "page_unreachable", "without an answer"),
        ("/resets", "page_unreachable", "broke"),
        ("/circle", "page_unreachable", "circle"),
    ],
)
def test_pages_that_fail(camera: PageCamera, site: str, path: str, code: str, words: str) -> None:
    error = refusal(camera, site + path)
    assert error.code == code
    assert words in error.message.removeprefix(site + path)


@needs_web
def test_hosts_that_fail(camera: PageCamera, site: str, tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert "nothing answers" in refusal(camera, f"http://127.0.0.1:{closed.getsockname()[1]}/").message
    assert refusal(camera, "http://nobody.invalid/").code == "page_unreachable"
    assert "http://" in refusal(camera, site.replace("http:", "https:")).message
    with served_pages(self_signed(tmp_path)) as secret_site:
        error = refusal(camera, f"{secret_site}/plain")
    assert error.code == "page_unreachable"
    assert "certificate" in error.message


@needs_web
def test_passwords_open_pages_and_are_not_told(camera: PageCamera, site: str) -> None:
    shot, _ = take(camera, site.replace("//", "//me:s%20ecret@") + "/private")
    origin = read_origin(io.BytesIO(shot.png))
    assert origin.address == f"{site}/private"
    assert b"ecret" not in shot.png


@needs_web
def test_what_never_ends(camera: PageCamera, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(browser, "_ANSWER_S", 2.0)
        assert "within 2 s" in refusal(camera, f"{site}/never").message
    with monkeypatch.context() as patch:
        patch.setattr(browser, "_LOAD_S", 2.0)
        assert set(codes(take(camera, f"{site}/unfinished")[0])) == {"page_unfinished"}
    monkeypatch.setattr(browser, "MAX_SCREENS", 3.0)
    for path in ("/long", "/endless"):
        shot, image = take(camera, site + path)
        assert codes(shot) == ["page_cut"]
        assert image.size == (1440, 2700)
    with monkeypatch.context() as patch:
        patch.setattr(browser, "_PAGE_S", 6.0)
        error = refusal(camera, f"{site}/hangs")
    assert (error.code, "busy" in error.message) == ("page_failed", True)
    assert not take(camera, f"{site}/plain")[0].problems  # the next page is none the worse


@needs_web
def test_what_pages_do_meanwhile(camera: PageCamera, site: str) -> None:
    assert codes(take(camera, f"{site}/alert")[0]) == ["page_dialog"] * 3
    assert codes(take(camera, f"{site}/app")[0]) == ["page_cut"]
    for path in ("/moved", "/goes-on"):
        assert codes(take(camera, site + path)[0]) == ["page_redirected"]
    for path in ("/stays", "/pop-up"):
        assert not take(camera, site + path)[0].problems
    assert codes(take(camera, f"{site}/missing-picture")[0]) == ["page_unfinished"]


@needs_web
def test_a_browser_that_dies_fails_one_page(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = running()
    with PageCamera() as camera:
        take(camera, f"{site}/plain")
        (main,) = [p for p in started(before) if "--headless" in p.cmdline() and "--type=" not in " ".join(p.cmdline())]
        original = browser._PageView._look
        for kind in ("renderer", "browser"):

            async def killing(self: object, page: object, kind: str = kind) -> Screenshot:
                victims = [p for p in started(before) if f"--type={kind}" in p.cmdline()]
                for victim in victims or [main]:
                    victim.kill()
                return await original(self, page)  # type: ignore[arg-type]

            monkeypatch.setattr(browser._PageView, "_look", killing)
            assert refusal(camera, f"{site}/plain").code == "page_failed"
            monkeypatch.setattr(browser._PageView, "_look", original)
            take(camera, f"{site}/plain")


@needs_web
def test_nothing_is_left_running(site: str) -> None:
    before = running()
    with PageCamera() as camera:
        take(camera, f"{site}/plain")
    psutil.wait_procs(started(before), timeout=30)
    assert not started(before)


def test_without_browser_or_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MEDIAAN_BROWSER", raising=False)
    if os.name == "posix":
        with pytest.raises(SetupError, match="none was found") as caught:
            browser.check_browser()
        assert caught.value.code == "no_browser"
    monkeypatch.setattr(browser, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install 'mediaan\[web\]'"):
        browser.check_browser()


@pytest.mark.parametrize(
    "address",
    ["https://", "https:///x", "https://x:abc/", "https://x:99999/", "http://a b/", "http://x/a b", "https://me:pw@/"],
)
def test_addresses_that_cannot_be(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_page_address(address)
    assert caught.value.code == "bad_address"
    assert "pw" not in caught.value.message


def test_names_follow_from_addresses_and_differ() -> None:
    addresses = ["https://a.example/", "https://a.example/index", "https://a.example/x/y", "https://a.example/X/y/"]
    addresses += ["http://a.example/x/y", "https://a.example/x?y", "https://a.example/x#y", "https://a.example/x%2fy"]
    addresses += ["https://a.example/" + "z" * 3000, "https://a.example/con/../../etc", "https://a.example:8443/"]
    pages = [parse_page_address(address) for address in addresses]
    names = [picture.name for picture in page_pictures(pages, SCREENS)]
    assert len({name.casefold() for name in names}) == 2 * len(pages)
    assert all(len(name) < 150 and ".." not in name for name in names)
    alone = PageAddress("https://a.example/x?y")
    assert {picture.name for picture in page_pictures([alone], SCREENS)} <= set(names)


def test_lists_of_addresses(tmp_path: Path) -> None:
    listed = tmp_path / "pages.txt"
    listed.write_text("\ufeff# campaign\n\nhttps://a.example/\r\n  http://b.example/x  \nhttps://a.example/\n")
    pages, others = split_addresses([f"@{listed}", "https://c.example", tmp_path, "ads/a.txt"])
    assert [page.url for page in pages] == ["https://a.example/", "http://b.example/x", "https://c.example"]
    assert others == [tmp_path, "ads/a.txt"]
    for content, words in ((b"https://a.example\nads/a.png\n", "line 2"), (b"\n# none\n", "no address")):
        listed.write_bytes(content)
        with pytest.raises(UsageError, match=words):
            split_addresses([f"@{listed}"])
    for content in (b"\xff\xfeh\0t\0", b"https://a.example:x/"):
        listed.write_bytes(content)
        with pytest.raises(UsageError, match=r"pages\.txt"):
            split_addresses([f"@{listed}"])
    with pytest.raises(UsageError, match="cannot be read"):
        split_addresses([f"@{tmp_path / 'none.txt'}"])


def test_other_pictures_say_of_no_page(tmp_path: Path) -> None:
    data = io.BytesIO()
    Image.new("RGB", (9, 9)).save(data, "PNG")
    assert read_origin(io.BytesIO(data.getvalue())) is None
    assert read_origin(io.BytesIO(b"no picture")) is None
