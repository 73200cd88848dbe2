"""The list of media on the web page: filters, paging, and what each row shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from mediaan.server.service.folder import DataFolder
from mediaan.server.service.media import AoiStatus, Kind, Media, Status, StoredMedium
from mediaan.server.service.review import stored_questions
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
    def verdict_words(self) -> str:
        """Its verdict, in the words of reports."""
        return VERDICT_WORDS[self.verdict].capitalize() if self.verdict else ""

    @property
    def brand(self) -> str | None:
        """Name of the brand that its objectives name."""
        brand = (self.medium.objectives or {}).get("brand")
        return str(brand.get("name")) if isinstance(brand, Mapping) else brand

    @property
    def brand_kit(self) -> str | None:
        """Name of the brand kit that its objectives name."""
        return (self.medium.objectives or {}).get("brand_kit")

    @property
    def collection(self) -> str:
        """Its group of API paths."""
        return COLLECTIONS[self.medium.kind]

    @property
    def kind(self) -> str:
        """Kind of medium in a word."""
        if self.medium.content_type == "image/gif":
            return "GIF"
        return "Image" if self.medium.kind == "image" else "Video"

    @property
    def report(self) -> str | None:
        """Address of its report, seen from the list; None before there is one."""
        return None if self.medium.run is None else f"media/{self.medium.media_id}/report/"

    @property
    def review(self) -> str:
        """Address of the questions about its areas, seen from the list."""
        return f"media/{self.medium.media_id}/review/"

    @property
    def thumbnail(self) -> str | None:
        """Address of its small picture, seen from the list; None before there is one."""
        if self.medium.run is None or "thumbnail" not in self.medium.results:
            return None
        return f"media/{self.medium.media_id}/thumbnail/{self.medium.run}"

    @property
    def state(self) -> str:
        """State of its prediction in words."""
        if self.medium.status == "init":
            return "Not uploaded" if self.medium.file is None else "Not started"
        if self.medium.status == "started" and self.medium.run is not None:
            return "Predicting again"
        return STATES[self.medium.status]

    @property
    def error(self) -> str | None:
        """Reason of a failure, without the name that stands beside it."""
        return _without_name(self.medium.error, self.medium.name)

    @property
    def aoi_status(self) -> AoiStatus:
        """State of the search for areas; `unspecified` before the first prediction."""
        return "unspecified" if self.medium.run is None else self.medium.aoi_status

    @property
    def aoi_error(self) -> str | None:
        """Reason why there are no areas."""
        return None if self.medium.run is None else _without_name(self.medium.aoi_error, self.medium.name)

    @property
    def busy(self) -> bool:
        """True while something is being done to it."""
        return "started" in (self.medium.status, self.medium.aoi_status)

    @property
    def created(self) -> datetime:
        """Time of its creation, UTC."""
        return datetime.fromisoformat(self.medium.created_at).astimezone(UTC)

    @property
    def purpose(self) -> str | None:
        """Its objectives in a few words; None: nobody has said."""
        settings = self.medium.objectives or {}
        words = (settings.get(key) for key in ("purpose", "platform", "industry"))
        return ", ".join(plain(word) for word in words if word) or None


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
    review = stored_questions(run)
    return ListedMedium(medium, _verdict(run), len(review["questions"]) if review else 0)


@lru_cache(maxsize=4096)
def _verdict(run: Path) -> Verdict | None:
    """Read the verdict from the answers of a run, which never changes; None where there are none."""
    try:
        stored = json.loads((run / "answers" / "checks.json").read_bytes()).get("verdict")
    except (OSError, ValueError):
        return None
    return next((verdict for verdict in VERDICTS if verdict == stored), None)


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


def _without_name(sentence: str | None, name: str) -> str | None:
    short = (sentence or "").removeprefix(f"{name}: ")
    return short[:1].upper() + short[1:] or None
