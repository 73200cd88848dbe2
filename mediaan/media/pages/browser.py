"""Take a picture of a whole web page with the browser that the machine has.

A page is opened as by somebody who comes for the first time: no cookies, nothing kept. It is scrolled through once, so
that what loads late is there, and then taken from its top as one picture, in which fixed bars stand where the first
screen shows them.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from threading import Thread
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, TypeVar

from PIL import Image, PngImagePlugin

from mediaan.errors import MediumError, SetupError, shorten
from mediaan.media.installed_browser import find_browser
from mediaan.media.pages.addresses import PagePicture
from mediaan.saliency.folds import MAX_SCREENS
from mediaan.types.media import Problem

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Dialog, Frame, Locator, Page, Playwright, Response

WEB_EXTRA = "mediaan[web]"

_ANSWER_S, _LOAD_S, _QUIET_S, _CLICK_S, _IMAGES_S = 30.0, 30.0, 3.0, 5.0, 8.0
"""How long a page may take to answer, to load, to stop loading more, to show what is to be clicked, and to show its
pictures once it was scrolled through."""
_PAGE_S, _CLOSE_S = 120.0, 5.0
"""Nothing about a page takes longer; its scripts may hang."""
_STEP, _STEP_S, _END_S = 0.8, 0.15, 0.6
"""Screens and seconds of one step of scrolling, and seconds at the end, where more may be loaded."""
_TRIES = 3
"""Pages that go on to another address while they are looked at are looked at again."""

_UNREACHABLE = {
    "NAME_NOT_RESOLVED": "there is no such host; check the address",
    "CONNECTION_REFUSED": "the host is there, but nothing answers at this port",
    "ADDRESS_UNREACHABLE": "the host cannot be reached from here",
    "INTERNET_DISCONNECTED": "this machine has no connection",
    "NETWORK_CHANGED": "the connection of this machine changed; run the command again",
    "TOO_MANY_REDIRECTS": "it redirects in a circle",
    "EMPTY_RESPONSE": "the server closed the connection without an answer",
    "CONNECTION_RESET": "the server broke the connection off",
    "CONNECTION_CLOSED": "the server broke the connection off",
    "SSL_PROTOCOL_ERROR": "the server does not speak https at this address; try http://",
    "UNSAFE_PORT": "browsers refuse this port",
    "INVALID_RESPONSE": "the answer is not one of a web server",
    "INVALID_HTTP_RESPONSE": "the answer is not one of a web server",
    "TIMED_OUT": "the server did not answer in time",
}
"""What the browser's own codes mean."""

_STATUS = {
    401: "the page asks for a user and a password: write them as in https://USER:PASSWORD@shop.example",
    403: "the server refuses it; open it in a browser and save a picture of it",
    404: "there is no such page; check the address",
    410: "the page is gone",
    429: "the server is asked too often; try again later",
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture of a page."""

    png: bytes = field(repr=False)
    """With what it was taken of and how, see `read_origin`."""
    problems: tuple[Problem, ...] = ()
    """What a reader of its numbers should know."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a picture of a page says of itself."""

    address: str
    screen: str
    clicks: tuple[str, ...]
    problems: tuple[Problem, ...]


def read_origin(data: IO[bytes]) -> Origin | None:
    """Read of which page a picture was taken; None for any other picture, or a damaged one."""
    try:
        with Image.open(data, formats=["PNG"]) as image:
            facts = json.loads(image.info[_KEY])
        problems = tuple(Problem(code, message) for code, message in facts["problems"])
        return Origin(facts["address"], facts["screen"], tuple(facts["clicks"]), problems)
    except (OSError, KeyError, TypeError, ValueError, SyntaxError):
        return None


_KEY = "mediaan page"
_WORK = "pictures of web pages are taken"


def check_browser() -> None:
    """Refuse where no picture of a page can be taken.

    Raises SetupError: ``no_web_extra``, ``no_browser``.
    """
    if find_spec("playwright") is None:
        message = f"web pages need an extra package: pip install '{WEB_EXTRA}'; it uses the browser that you have"
        raise SetupError(message, code="no_web_extra")
    find_browser(work=_WORK)


class PageCamera:
    """Takes pictures of pages, one after the other, with one browser that is started when it is first needed.

    The browser runs beside a thread of its own, so that pictures can also be taken where a loop of events runs already,
    as in a notebook.

    `clicks`: CSS selectors, or texts of buttons and links, that are clicked in this order before a picture is taken.
    """

    def __init__(self, clicks: Sequence[str] = ()) -> None:
        self._clicks = tuple(clicks)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._driver: Playwright | None = None
        self._browser: Browser | None = None

    def __enter__(self) -> PageCamera:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._thread is not None:
            self._run(self._loop, self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None

    def take(self, picture: PagePicture) -> Screenshot:
        """Take a picture.

        Raises MediumError: the page cannot be had, or is none: ``page_unreachable``, ``page_refused``, ``not_a_page``,
            ``page_empty`` or ``page_failed``. The message begins with its address.
        Raises SetupError: there is no browser, or it cannot be started.
        """
        if self._loop is None:
            check_browser()
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=self._loop.run_forever, name="browser", daemon=True)
            self._thread.start()
        try:
            return self._run(self._loop, self._take(picture))
        except MediumError as error:
            raise MediumError(f"{picture.page.url}: {error.message}", code=error.code) from error

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _take(self, picture: PagePicture) -> Screenshot:
        from playwright.async_api import Error

        browser = await self._started()
        screen, page = picture.screen, picture.page
        context: BrowserContext | None = None
        try:
            async with asyncio.timeout(_PAGE_S):
                context = await browser.new_context(
                    viewport={"width": screen.viewport.width, "height": screen.viewport.height},
                    device_scale_factor=screen.scale,
                    is_mobile=screen.is_phone,
                    has_touch=screen.is_phone,
                    user_agent=_phone_agent(browser.version) if screen.is_phone else None,
                    http_credentials={"username": page.user, "password": page.password} if page.user else None,
                    reduced_motion="reduce",
                    accept_downloads=False,
                )
                return await _PageView(context, picture, self._clicks).taken()
        except TimeoutError as error:
            message = f"its scripts were still busy after {_PAGE_S:.0f} s; save a picture of it in a browser"
            raise MediumError(message, code="page_failed") from error
        except Error as error:
            if not browser.is_connected():
                self._browser = None
                raise MediumError("the browser ended while it showed the page", code="page_failed") from error
            raise _translated(error) from error
        finally:
            if context is not None:
                await self._close(context)

    async def _close(self, context: BrowserContext) -> None:
        """Close a page; where it hangs, the browser with it."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(_CLOSE_S):
                with suppress(Error):
                    await context.close()
        except TimeoutError:
            await self._end()

    async def _started(self) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            from playwright.async_api import async_playwright

            await self._end()
            self._driver = await async_playwright().start()
            self._browser = await _launch(self._driver)
        return self._browser

    async def _end(self) -> None:
        from playwright.async_api import Error

        for part in (self._browser and self._browser.close, self._driver and self._driver.stop):
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(_CLOSE_S):
                    if part:
                        await part()
        self._browser = self._driver = None


async def _launch(driver: Playwright) -> Browser:
    """Start the browser of the machine."""
    from playwright.async_api import Error

    program = find_browser(work=_WORK)
    sandbox = not hasattr(os, "geteuid") or os.geteuid() != 0  # Chromium refuses to sandbox what the administrator runs
    try:
        return await driver.chromium.launch(
            executable_path=program, chromium_sandbox=sandbox, handle_sigint=False, args=["--disable-gpu"]
        )
    except Error as error:
        raise SetupError(f"{program} cannot be started: {_first_line(error.message)}", code="no_browser") from error


class _PageView:
    """A page that is opened, looked through and taken."""

    def __init__(self, context: BrowserContext, picture: PagePicture, clicks: Sequence[str]) -> None:
        self._context, self._picture, self._clicks = context, picture, clicks
        self._problems: list[Problem] = []
        self._page: Page | None = None
        self._status = 200
        self._crashed = asyncio.Event()

    async def taken(self) -> Screenshot:
        """Open the page and take it."""
        page = self._page = await self._context.new_page()
        page.on("dialog", self._dismiss)
        page.on("crash", lambda _: self._crashed.set())
        page.on("response", self._answered)
        self._context.on("page", lambda other: None if other is page else other.close())
        work, crash = asyncio.ensure_future(self._work(page)), asyncio.ensure_future(self._crashed.wait())
        try:
            await asyncio.wait((work, crash), return_when=asyncio.FIRST_COMPLETED)
            if self._crashed.is_set():
                raise MediumError("the page crashed the browser's tab; save a picture of it", code="page_failed")
            return await work
        finally:
            for task in (work, crash):
                task.cancel()
            await asyncio.gather(work, crash, return_exceptions=True)

    async def _work(self, page: Page) -> Screenshot:
        from playwright.async_api import Error

        await self._open(page)
        for left in reversed(range(_TRIES)):
            kept = list(self._problems)
            try:
                return await self._look(page)
            except Error as error:
                if "navigati" not in error.message:
                    raise
                if not left:
                    message = "it goes on to another page again and again; give the address where it ends"
                    raise MediumError(message, code="page_failed") from error
                self._problems = kept
                await asyncio.sleep(_END_S)
        raise AssertionError("unreachable")

    async def _open(self, page: Page) -> None:
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as LateError

        url = self._picture.page.url
        try:
            await page.goto(url, wait_until="commit", timeout=_ANSWER_S * 1000)
            await page.wait_for_load_state("domcontentloaded", timeout=_LOAD_S * 1000)
        except LateError as error:
            message = f"no page came within {_ANSWER_S:.0f} s; try again, or check the address"
            raise MediumError(message, code="page_unreachable") from error
        except Error:
            _check_status(self._status)  # of an error without a page, the browser's own words say less
            raise
        _check_status(self._status)

    async def _look(self, page: Page) -> Screenshot:
        from playwright.async_api import TimeoutError as LateError

        await _check_kind(page)
        try:
            await page.wait_for_load_state("load", timeout=_LOAD_S * 1000)
        except LateError:
            self._note("page_unfinished", f"was still loading after {_LOAD_S:.0f} s, and was taken as it was")
        with suppress(LateError):  # pages that never stop loading are taken as they are
            await page.wait_for_load_state("networkidle", timeout=_QUIET_S * 1000)
        _check_status(self._status)  # of where it went on to
        for wanted in self._clicks:
            await self._click(page, wanted)
        shown = await _call(page, "screen")
        height = await self._scroll_through(page, shown["height"])
        await _call(page, "scroll", 0)
        await asyncio.sleep(_END_S)
        for layer in await _call(page, "layers"):
            self._note("page_layer", _describe_layer(layer, self._clicks))
        if await _call(page, "scrollsInside"):
            self._note("page_cut", "scrolls inside a part of itself; only its first screen was taken")
        if _place(page.url) != _place(self._picture.page.url):
            self._note("page_redirected", f"led to {shorten(page.url)}, which was taken")
        is_reduced = shown["width"] > self._picture.screen.viewport.width
        png = await page.screenshot(
            full_page=True,
            clip={"x": 0, "y": 0, "width": shown["width"], "height": height},
            animations="disabled",
            scale="css" if is_reduced else "device",
            timeout=_PAGE_S * 1000,
        )
        return self._signed(png)

    async def _scroll_through(self, page: Page, screen: int) -> int:
        """Scroll down until the page ends, and wait for its pictures; return the height to take, CSS px."""
        most = round(MAX_SCREENS * screen)
        depth, height = 0.0, await _call(page, "height")
        while depth < min(height, most):
            await _call(page, "scroll", round(depth))
            depth += _STEP * screen
            is_last = depth >= height
            await asyncio.sleep(_END_S if is_last else _STEP_S)
            height = await _call(page, "height")
        images: dict[str, int] = {}
        for _ in range(round(_IMAGES_S / _STEP_S)):
            images = await _call(page, "images")
            if not images["loading"]:
                break
            await asyncio.sleep(_STEP_S)
        if lost := images["loading"] + images["missing"]:
            self._note("page_unfinished", f"was taken with {lost} of its pictures missing")
        if height > most:
            self._note("page_cut", f"is longer than {MAX_SCREENS:.0f} screens; the rest was left out")
        return int(min(height, most))

    async def _click(self, page: Page, wanted: str) -> None:
        """Click what a selector or a text means, in the page or in a frame of it."""
        from playwright.async_api import Error

        for _ in range(round(_CLICK_S / _STEP_S)):
            for frame in page.frames:
                for target in _targets(frame, wanted):
                    with suppress(Error):
                        visible = target.filter(visible=True)
                        if await visible.count():
                            await visible.first.click(timeout=_CLICK_S * 1000)
                            await asyncio.sleep(_END_S)
                            return
            await asyncio.sleep(_STEP_S)
        self._note("page_not_clicked", f"shows nothing called {wanted!r} to click")

    def _answered(self, response: Response) -> None:
        if response.request.is_navigation_request() and response.frame == self._page.main_frame:  # type: ignore[union-attr]
            self._status = response.status

    async def _dismiss(self, dialog: Dialog) -> None:
        if dialog.message:
            self._note("page_dialog", f"opened a dialog, which was dismissed: {shorten(dialog.message)!r}")
        await dialog.dismiss()

    def _note(self, code: str, message: str) -> None:
        problem = Problem(code, f"the page {message}")
        if problem not in self._problems:
            self._problems.append(problem)

    def _signed(self, png: bytes) -> Screenshot:
        """Refuse a picture without anything in it; write into it what it was taken of."""
        with Image.open(io.BytesIO(png)) as opened:
            image = opened.convert("RGB")
        width = self._picture.screen.viewport.width * self._picture.screen.scale
        if image.width > width:  # a page that is not made for phones, which show it reduced
            image = image.resize((width, max(1, round(image.height * width / image.width))), Image.Resampling.LANCZOS)
        if image.getcolors(1) is not None:
            raise MediumError("the page is empty: its picture has one colour alone", code="page_empty")
        facts = {
            "address": self._picture.page.url,
            "screen": self._picture.screen.name,
            "clicks": self._clicks,
            "problems": [(problem.code, problem.message) for problem in self._problems],
        }
        chunks = PngImagePlugin.PngInfo()
        chunks.add_itxt(_KEY, json.dumps(facts))
        signed = io.BytesIO()
        image.save(signed, "PNG", pnginfo=chunks)
        return Screenshot(signed.getvalue(), tuple(self._problems))


def _check_status(status: int) -> None:
    """Refuse an answer that is an error."""
    if status >= 400:
        why = _STATUS.get(status, "the server failed; try again later" if status >= 500 else "the server refuses it")
        raise MediumError(f"answers with the status {status}: {why}", code="page_refused")


async def _check_kind(page: Page) -> None:
    """Refuse what is shown by a browser and is no page."""
    kind = str(await page.evaluate("document.contentType"))
    if kind not in ("text/html", "application/xhtml+xml"):
        raise MediumError(f"is no page but {kind}; {_SAVE}", code="not_a_page")


_SAVE = "save it, and analyze the file"


def _targets(frame: Frame, wanted: str) -> list[Locator]:
    """Return what a selector or a text may mean, the surest first."""
    text = re.compile(rf"^\s*{re.escape(wanted.strip())}\s*$", re.IGNORECASE)
    by_role = [frame.get_by_role(role, name=text) for role in ("button", "link")]
    return [*by_role, frame.get_by_text(text), frame.locator(f"css={wanted}")]


def _describe_layer(layer: dict[str, Any], clicks: Sequence[str]) -> str:
    kind = "a cookie layer" if layer["ofCookies"] else "a layer"
    text = f" (“{layer['text']}”)" if layer["text"] else ""
    buttons = [name for name in layer["buttons"] if name not in clicks]
    way_out = "--click closes it, given a selector or the text of its button"
    if buttons:
        way_out = f"--click closes it, given the text of its button: {', '.join(map(repr, buttons))}"
    return f"shows {kind} over {max(1, round(100 * layer['share']))} % of its first screen{text}; {way_out}"


@cache
def _script() -> str:
    return files("mediaan.media.pages").joinpath("page.js").read_text(encoding="utf-8")


async def _call(page: Page, name: str, value: Any = None) -> Any:
    return await page.evaluate(f"(value) => {_script().strip()}.{name}(value)", value)


def _phone_agent(version: str) -> str:
    """Return how the browser calls itself on a phone."""
    major = version.partition(".")[0]
    return (
        f"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/{major}.0.0.0 "
        "Mobile Safari/537.36"
    )


def _place(url: str) -> str:
    """Return what of an address says where it leads: without scheme, www and a slash at its end."""
    return re.sub(r"^https?://(www\.)?", "", url.partition("#")[0].lower()).rstrip("/")


def _translated(error: Exception) -> MediumError:
    """Translate an error of the browser about a page."""
    message = str(error)
    if "Download is starting" in message:
        return MediumError(f"is no page but a file to download; {_SAVE}", code="not_a_page")
    code = match[1] if (match := re.search(r"net::ERR_([A-Z0-9_]+)", message)) else ""
    if code == "ABORTED":
        return MediumError("no page came: the server sent nothing to show", code="not_a_page")
    if code.startswith(("CERT", "SSL_")) and code not in _UNREACHABLE:
        reason = code.removeprefix("CERT_").replace("_", " ").lower()
        message = f"its certificate is not valid ({reason}); open it in a browser and save a picture of it"
        return MediumError(message, code="page_unreachable")
    if code:
        ends = (text for name, text in _UNREACHABLE.items() if code.endswith(name))
        return MediumError(next(ends, f"the browser cannot open it ({code})"), code="page_unreachable")
    return MediumError(f"the browser failed on it: {_first_line(message)}", code="page_failed")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason was given")
