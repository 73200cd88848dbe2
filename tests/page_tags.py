"""Tags of a page, as a browser without scripts would see them."""

from __future__ import annotations

from html.parser import HTMLParser


class PageTags(HTMLParser):
    """Every tag with its attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def values(self, tag: str, attribute: str) -> list[str]:
        return [value for name, found in self.tags if name == tag and (value := found.get(attribute)) is not None]
