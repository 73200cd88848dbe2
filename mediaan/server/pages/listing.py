"""The list of media on the web page: filters, paging, and what templates show of each medium."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.judge.benchmark import norm_set_names
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.media import Kind, Media, Status, StoredMedium
from mediaan.types.checks import VERDICT_WORDS, VERDICTS, Verdict
from mediaan.types.placement import SEEN_ON, platform_title

PAGE_SIZE = 50

STATES: Mapping[Status, str] = {"done": "Ready", "started": "In progress", "failed": "Failed", "init": "Not started"}
TYPES: Mapping[str, str] = {"image": "Images", "video": "Videos"}
COLLECTIONS: Mapping[Kind, str] = {"image": "images", "video": "videos", "mixed": "mixed-media"}
"""Group of API paths by kind of medium."""

SCORES = {
    "focus": "Focus",
    "cognitive_demand": "Cognitive demand",
    "clarity": "Clarity",
    "engagement": "Engagement",
    "design": "Design",
    "memory": "Memory",
}
PROXIES = ("memory",)


@dataclass(frozen=True, slots=True)
class MediaFilter:
    """Filters of the list (None: all), and which page of it, from 1, the newest."""

    status: Status | None = None
    type: Literal["image", "video"] | None = None
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> MediaFilter:
        """Read the query of an address, ignoring unknown values, as in old bookmarks."""
        page = query.get("page", "")
        return cls(
            status=next((state for state in STATES if state == query.get("status")), None),
            type="image" if query.get("type") == "image" else "video" if query.get("type") == "video" else None,
            page=min(int(page), 10**9) if page.isascii() and page.isdigit() and int(page) else 1,
        )

    def address(self, **changes: str | int | None) -> str:
        """Return the relative address of the list with changes; the first page unless `page` is changed."""
        query = {"status": self.status, "type": self.type, "page": 1} | changes
        parts = {key: value for key, value in query.items() if value not in (None, 1)}
        return f"?{urlencode(parts)}" if parts else "./"


@dataclass(frozen=True, slots=True)
class ListedMedium:
    """A medium in the list."""

    medium: StoredMedium
    verdict: Verdict | None = None  # of its checks; None before there are any
    questions: int = 0  # about its areas, that are open

    @property
    def state(self) -> str:
        """State of its prediction in words."""
        if self.medium.status == "init":
            return "Not uploaded" if self.medium.file is None else "Not started"
        if self.medium.status == "started" and self.medium.run is not None:
            return "Predicting again"
        return STATES[self.medium.status]

    @property
    def busy(self) -> bool:
        """True while something is being done to it."""
        return "started" in (self.medium.status, self.medium.aoi_status)


@dataclass(frozen=True, slots=True)
class MediaPage:
    """A page of media."""

    choice: MediaFilter  # with the page that is shown: the last where there are not as many as was asked for
    rows: list[ListedMedium]
    total: int  # media that fit
    counts: Mapping[str, int] = field(default_factory=dict)  # by state, of the type that is chosen; "": all
    empty: bool = False  # the company has no media at all

    @property
    def pages(self) -> int:
        """Number of pages, at least 1."""
        return max(1, -(-self.total // PAGE_SIZE))

    @property
    def busy(self) -> bool:
        """True while any listed medium is being worked on."""
        return any(row.busy for row in self.rows) or self.counts.get("started", 0) > 0

    @property
    def first(self) -> int:
        """Number of the first that is shown, from 1."""
        return (self.choice.page - 1) * PAGE_SIZE + 1


def list_media(media: Media, folder: DataFolder, company_id: int, choice: MediaFilter) -> MediaPage:
    """Return a company's media that fit a filter, newest first."""
    by_status = media.counts(company_id, choice.type)
    counts: dict[str, int] = {state: by_status.get(state, 0) for state in STATES}
    counts[""] = sum(by_status.values())
    page = min(choice.page, max(1, -(-counts[choice.status or ""] // PAGE_SIZE)))
    listed, total = media.page(
        company_id,
        status=choice.status,
        type=choice.type,
        limit=PAGE_SIZE,
        offset=(page - 1) * PAGE_SIZE,
        newest_first=True,
    )
    empty = not counts[""] and not media.counts(company_id)
    rows = [_listed(medium, folder) for medium in listed]
    return MediaPage(replace(choice, page=page), rows, total, counts, empty)


def _listed(medium: StoredMedium, folder: DataFolder) -> ListedMedium:
    if medium.run is None:
        return ListedMedium(medium)
    run = folder.run(medium.media_id, medium.run)
    stored = stored_questions(run)
    return ListedMedium(medium, _verdict(run), len(stored["questions"]) if stored else 0)


@lru_cache(maxsize=4096)
def _verdict(run: Path) -> Verdict | None:
    """Read the verdict from the answers of a run, which never changes; None where there are none."""
    try:
        stored = json.loads((run / "answers" / "checks.json").read_bytes()).get("verdict")
    except (OSError, ValueError):
        return None
    return next((verdict for verdict in VERDICTS if verdict == stored), None)


def stored_questions(run: Path) -> Mapping[str, Any] | None:
    """Read what is asked about a medium, from the answers of a run; None where an earlier version wrote them."""
    try:
        return _questions(run)
    except FileNotFoundError:
        return None


@lru_cache(maxsize=4096)
def _questions(run: Path) -> Mapping[str, Any]:
    content: dict[str, Any] = json.loads((run / "answers" / "questions.json").read_bytes())
    return content


def purpose(objectives: Mapping[str, Any]) -> str:
    """Say what a medium is for in a few words; empty: nobody has said.

    >>> purpose({"purpose": "brand_building", "industry": {"category": "food", "subcategory": "snacks"}})
    'Brand building, Snacks'
    """
    words = (objectives.get(key) for key in ("purpose", "platform", "industry"))
    return ", ".join(plain(word) for word in words if word)


def plain(word: object) -> str:
    """Write a word of the vocabulary as people do; of a category with a subcategory, the finer one.

    >>> plain("brand_building"), plain({"category": "food", "subcategory": "snacks"}), plain("youtube")
    ('Brand building', 'Snacks', 'YouTube')
    """
    if isinstance(word, Mapping):
        word = word.get("subcategory") or word.get("category") or ""
    if word in SEEN_ON:
        return platform_title(str(word))
    text = str(word).replace("_", " ")
    return text[:1].upper() + text[1:]


def without_name(sentence: str | None, name: str) -> str:
    """Remove the name of a medium, which stands beside it, from the reason of a failure."""
    short = (sentence or "").removeprefix(f"{name}: ")
    return short[:1].upper() + short[1:]


def moment(created_at: str) -> str:
    """Write a time as people do.

    >>> moment("2026-08-03T14:05:09.000000Z")
    '3 Aug 2026, 14:05 UTC'
    """
    time = datetime.fromisoformat(created_at)
    return f"{time.day} {time:%b %Y, %H:%M} UTC"


def mebibytes(size: int) -> str:
    """Format a limit.

    >>> mebibytes(64 << 20), mebibytes(2 << 30), mebibytes(100 << 10)
    ('64 MiB', '2 GiB', '0.1 MiB')
    """
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{round(size / 2**20, 1):g} MiB"


def file_size(size: int) -> str:
    """Format the size of a file as file managers do.

    >>> file_size(443), file_size(75_400), file_size(2_310_000), file_size(1_500_000_000)
    ('1 kB', '75 kB', '2.3 MB', '1.5 GB')
    """
    if size < 1e6:
        return f"{max(1, round(size / 1e3))} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


@cache
def environment() -> Environment:
    """Return the environment of the templates, with autoescape and without undefined names."""
    # by path, not as packages: to import mediaan.report is to load arrays and decoders
    pages, report = PackageLoader("mediaan.server.pages"), PackageLoader("mediaan", "report/web/views")
    templates = Environment(
        loader=ChoiceLoader([pages, report]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(mebibytes=mebibytes, file_size=file_size, moment=moment)
    templates.filters.update(plain=plain, purpose=purpose, without_name=without_name)
    templates.globals.update(words=BUILT_IN_VOCABULARY.built_in, norm_sets=norm_set_names())
    templates.globals.update(scores=SCORES, proxies=PROXIES, states=STATES, types=TYPES)
    templates.globals.update(collections=COLLECTIONS, verdicts=VERDICT_WORDS)
    return templates
