"""Hook of MkDocs: pages that lie elsewhere in the repository join the site, and links work in both places.

The site's root is `docs/`; what lies outside keeps its path from the repository's root. A link that is right on a code
host, such as `../models/attention.md`, is turned into the one that is right in the site; so nothing is kept twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from commands import commands_page
from mkdocs.structure.files import File, Files
from notebook import page_of
from tables import with_tables

ROOT = Path(__file__).resolve().parents[2]
RENAMED = {"README.md": "index.md"}
JOINING = ("*.md", "LICENSE", "models/*.md", "models/*.jpg", "models/training/**/README.md", "benchmarks_data/*.md")
FILES = ("notebooks/*.ipynb",)
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
CODE = re.compile(r"(^ *```.*?^ *```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def outside() -> Iterable[str]:
    """Paths, from the repository's root, of what joins the site although it lies outside docs/."""
    return sorted(path.relative_to(ROOT).as_posix() for glob in (*JOINING, *FILES) for path in ROOT.glob(glob))


def page_name(path: str) -> str:
    """Name in the site of what lies outside docs/; of a notebook that of its page."""
    return RENAMED.get(path, path.replace(".ipynb", ".md"))


def in_site(path: str) -> str | None:
    """Where the site has a file of the repository, None if it has not."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return page_name(path) if path in outside() else None


def in_repository(page: str) -> str:
    """Where the repository has a page of the site."""
    back = {page_name(path): path for path in outside()}
    return back.get(page, f"docs/{page}")


def on_files(files: Files, config: Any) -> Files:
    """Add what lies outside docs/."""
    for path in outside():
        files.append(File.generated(config, RENAMED.get(path, path), abs_src_path=str(ROOT / path)))
        if path.endswith(".ipynb"):
            files.append(File.generated(config, page_name(path), content=page_of(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in the tables that the program knows, and turn links into those of the site."""
    here = page.file.src_uri
    markdown = with_tables(markdown)
    if here == "cli.md":
        markdown += commands_page()
    parts = enumerate(CODE.split(markdown))  # every second one is code
    return "".join(part if number % 2 else with_links_of_site(part, here) for number, part in parts)


def with_links_of_site(text: str, page: str) -> str:
    """Text of a page, its relative links turned; one that leads nowhere stays, for MkDocs to complain of."""
    here = in_repository(page)

    def turned(found: re.Match[str]) -> str:
        target = os.path.normpath(PurePosixPath(here).parent / found[2])
        there = in_site(target)
        if there is None:
            return found[0]
        relative = os.path.relpath(there, PurePosixPath(page).parent)
        return f"{found[1]}{PurePosixPath(relative).as_posix()}{found[3] or ''}{found[4]}"

    return LINK.sub(turned, text)
