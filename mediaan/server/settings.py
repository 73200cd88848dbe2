"""How a server runs: where its data and brand kits lie, where it listens, and what it lets in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mediaan.analysis.options import Device
from mediaan.config.brand import KIT_FILE
from mediaan.errors import UsageError, did_you_mean, shorten

MIB = 1 << 20
LONGEST_LINK_S = 300
"""The service's results can be fetched for at most 5 minutes."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of a server; times in s."""

    data: Path  # folder of everything that the server keeps
    host: str = "127.0.0.1"
    port: int = 8000  # 0 takes a free one
    workers: int = 2  # processes that analyze; of several the first takes short jobs only: images never wait for videos
    device: Device = "auto"
    films: bool = True  # whether videos get heatmaps and fog maps that are videos, which costs as much as predicting
    max_image_bytes: int = 64 * MIB
    max_video_bytes: int = 2048 * MIB
    min_free_bytes: int = 1024 * MIB  # of the disk: below it files are refused, so that deletes and running jobs fit
    max_company_bytes: int | None = None  # of all files that a company has here; None: no limit
    max_body_bytes: int = 8 * MIB  # of JSON: thousands of areas with their scores, as GET gives them, can be sent back
    max_side_px: int = 3000  # longest side of videos and mixed media
    link_lifetime_s: int = 300  # of the address of a result file; at most 300
    upload_lifetime_s: int = 7 * 24 * 3600  # from the creation of an upload to its last byte
    answer_within_s: float = 60.0  # a request that waits for a job says then that the job has started
    lease_s: float = 30.0  # a worker that says nothing for so long is taken for dead
    tries: int = 3  # how often a medium may kill its worker before it has failed
    brand_kits: Path | None = None  # folder of brand kits that objectives may name
    public_url: str | None = None  # address of the server for clients, where requests do not say it (behind a proxy)
    body_timeout_s: float = 30.0  # without a byte of a body, or without any taken of an answer
    keep_alive_s: float = 30.0  # between two requests of a connection
    stop_within_s: float = 8.0  # asked to end, requests under way have half of this, and workers what is left
    max_connections: int = 1000
    access_log: bool = True

    def kit_names(self) -> tuple[str, ...]:
        """List the brand kits by name, as they are there now: each is a folder of its own."""
        kits = () if self.brand_kits is None else self.brand_kits.glob(f"*/{KIT_FILE}")
        return tuple(sorted(file.parent.name for file in kits))

    def kit_folder(self, name: str) -> Path:
        """Return the folder of a brand kit.

        Raises UsageError: ``unknown_kit``: there is none; those that there are are named.
        """
        names = self.kit_names()
        if self.brand_kits is None or name not in names:
            there = f"there are {', '.join(names)}" if names else "this server has none"
            near = did_you_mean(name, names) or f"; {there}"
            raise UsageError(f"brand_kit: no brand kit is called {shorten(name)!r}{near}", code="unknown_kit")
        return self.brand_kits / name

    def without_kit_folder(self, message: str) -> str:
        """Remove from a sentence for clients where the brand kits lie."""
        folder = self.brand_kits
        for path in () if folder is None else (folder.resolve(), folder.absolute(), folder):
            message = message.replace(f"{path}{os.sep}", "")
        return message
