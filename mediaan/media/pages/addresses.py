"""Read addresses of web pages, and name the pictures that are taken of them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mediaan.errors import UsageError, shorten
from mediaan.media.names import displayable
from mediaan.saliency.folds import AUTO, WHOLE, Viewport

LIST_MARK = "@"
"""Before the name of a file that lists addresses."""

_PLAIN = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
"""Paths that name a file on any system as they are."""
_MAX_NAME, _HASH_DIGITS = 80, 8
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
_MOST_ADDRESS = 8000


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The address of a web page."""

    url: str
    """Without user and password."""
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """What a picture of the page is called, which follows from the address alone.

        Where characters are replaced or left out, digits that stand for the whole address are added.

        >>> PageAddress("https://www.shop.example/").name, PageAddress("https://shop.example/summer/sale").name
        ('www.shop.example/index', 'shop.example/summer/sale')
        >>> PageAddress("https://shop.example/item?id=3").name
        'shop.example/item_id_3-537a1184'
        """
        parts = urlsplit(self.url)
        host = re.sub(r"[^\w.-]", "_", parts.hostname or "") + (f"_{parts.port}" if parts.port else "")
        asked = parts.path.strip("/") or "index"
        rest = "".join(f"_{part}" for part in (parts.query, parts.fragment) if part)
        is_plain = not rest and len(asked) <= _MAX_NAME and _PLAIN.fullmatch(asked)
        if is_plain and not any(_RESERVED.match(part) or part.endswith(".") for part in asked.split("/")):
            return f"{host}/{asked}"
        words = re.sub(r"[^\w~-]+", "_", unquote(asked + rest), flags=re.ASCII).strip("_")[:_MAX_NAME] or "page"
        return f"{host}/{words}-{self.digits}"

    @property
    def digits(self) -> str:
        """Hexadecimal digits that stand for the address."""
        return hashlib.sha256(self.url.encode()).hexdigest()[:_HASH_DIGITS]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen on which a page is looked at."""

    name: str
    """In the name of the picture."""
    viewport: Viewport
    scale: int = 1
    """Pixels of the picture for each CSS pixel."""

    @property
    def is_phone(self) -> bool:
        """True if pages are asked for as by a phone."""
        return self.viewport.is_phone


SCREENS = (Screen("desktop", Viewport(1440, 900)), Screen("phone", Viewport(390, 844), 2))
"""Small print of a phone is read at two pixels per CSS pixel only."""


def screens_of(viewport: str) -> tuple[Screen, ...]:
    """Return the screens on which pages are looked at, given the option ``viewport``.

    >>> [screen.name for screen in screens_of("auto")], [screen.name for screen in screens_of("1280x720")]
    (['desktop', 'phone'], ['1280x720'])
    """
    if viewport in (AUTO, WHOLE):
        return SCREENS
    stated = Viewport.parse(viewport)
    return (Screen(viewport, stated, 2 if stated.is_phone else 1),)


def is_page_address(text: str) -> bool:
    """Return True for the address of a web page.

    >>> is_page_address("https://shop.example"), is_page_address("s3://bucket/ads"), is_page_address("ads")
    (True, False, False)
    """
    return text.partition("://")[0].lower() in ("http", "https") and "://" in text


def parse_page_address(text: str) -> PageAddress:
    """Parse the address of a web page.

    Raises UsageError: ``bad_address``: it names no host, or its port is no number. A password is not repeated.

    >>> parse_page_address("https://me:secret@shop.example/sale")
    PageAddress(url='https://shop.example/sale')
    """
    without_user = re.sub(r"(?<=://)[^/?#]*@", "", text.strip())
    name = shorten(without_user)
    try:
        parts = urlsplit(text.strip())
        port = parts.port
        host = parts.hostname
    except ValueError as error:
        raise UsageError(f"{name}: is no address of a page ({error})", code="bad_address") from error
    wrong = ""
    if not host or re.search(r"[\s\\<>\"|^`{}]", host) or host.strip(".") == "" or ".." in host:
        wrong = "it names no host"
    elif port == 0:
        wrong = "its port is 0"
    elif re.search(r"\s", without_user):
        wrong = "it holds a blank; write %20"
    elif len(without_user) > _MOST_ADDRESS:
        wrong = f"it is longer than {_MOST_ADDRESS:,} characters"
    if wrong:
        message = f"{name}: {wrong}; write it as in the browser's address bar, such as https://shop.example/sale"
        raise UsageError(message, code="bad_address")
    return PageAddress(without_user, unquote(parts.username or ""), unquote(parts.password or ""))


def split_addresses(paths: Sequence[str | Path]) -> tuple[list[PageAddress], list[str | Path]]:
    """Split what was given to analyze into addresses of pages, each once, and other paths.

    `paths`: an address is a text; ``@addresses.txt`` is a file that lists addresses, one a line.
    Raises UsageError: an address or a line of such a file that cannot be used.
    """
    addresses: dict[str, PageAddress] = {}
    others: list[str | Path] = []
    for path in paths:
        text = str(path)
        if is_page_address(text):
            page = parse_page_address(text)
            addresses.setdefault(page.url, page)
        elif text.startswith(LIST_MARK) and not Path(path).exists():
            addresses |= {page.url: page for page in read_addresses(Path(text.removeprefix(LIST_MARK)))}
        else:
            others.append(path)
    return list(addresses.values()), others


def read_addresses(file: Path) -> Iterator[PageAddress]:
    """Yield the addresses that a text file lists, one a line; empty lines and those that begin with # are passed over.

    Raises UsageError: ``bad_addresses``: it cannot be read, a line is no address, or there is none.
    """
    name = displayable(str(file))
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})", code="bad_addresses") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: is no text in UTF-8; save it as such", code="bad_addresses") from error
    is_empty = True
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if not is_page_address(line):
            message = f"{name}, line {number}: {shorten(line)!r} is no address; write one a line, with https://"
            raise UsageError(message, code="bad_addresses")
        is_empty = False
        try:
            yield parse_page_address(line)
        except UsageError as error:
            raise UsageError(f"{name}, line {number}: {error.message}", code="bad_addresses") from error
    if is_empty:
        message = f"{name}: lists no address; write one a line, such as https://shop.example/sale"
        raise UsageError(message, code="bad_addresses")


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture that is to be taken: a page on a screen."""

    page: PageAddress
    screen: Screen
    name: str
    """Path of the picture, with slashes, relative to the folder of all."""


def page_pictures(addresses: Sequence[PageAddress], screens: Sequence[Screen]) -> list[PagePicture]:
    """Name the pictures of pages, each different, also where case does not count; sorted by name."""
    counts = Counter(page.name.lower() for page in addresses)
    pictures = []
    for page in addresses:
        name = page.name if counts[page.name.lower()] == 1 else f"{page.name}-{page.digits}"
        pictures += [PagePicture(page, screen, f"{name}.{screen.name}.png") for screen in screens]
    return sorted(pictures, key=lambda picture: picture.name)
