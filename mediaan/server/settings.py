"""How a server runs: where its data lies, where it listens, and what it lets in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of a server.

    Attributes
    ----------
    data : Path
        Folder of everything that the server keeps.
    host, port
        Where it listens; port 0 takes a free one.
    workers : int
        Processes that analyse, at least 1; the first takes short jobs only, so that pictures never wait for videos.
    device : {'auto', 'cpu', 'cuda'}
    films : bool
        Whether videos get heatmaps and fog maps that are videos themselves, which costs about as much as predicting.
    max_image_bytes, max_video_bytes : int
        Larger uploads are refused.
    max_body_bytes : int
        Of JSON bodies; thousands of areas with their scores, as GET gives them, can be sent back.
    max_side_px : int
        Longest side of videos and mixed media; the service takes up to 3000x3000.
    link_lifetime_s : int
        How long the address of a result file is good for, s; at most 300.
    upload_lifetime_s : int
        How long an upload may take from its creation to its last byte, s.
    answer_within_s : float
        How long a picture's upload waits for its prediction before it answers that it has started, s.
    lease_s : float
        A worker that says nothing for so long is taken for dead, s.
    tries : int
        How often a medium may kill its worker before it has failed.
    public_url : str or None
        Address under which clients reach the server, where that is not what their requests say (behind a proxy).
    header_timeout_s, body_timeout_s, keep_alive_s : float
        A client must send all headers within the first, and something of a body within each of the second.
    stop_within_s : float
        When it is asked to end, requests under way have half of this, and then workers what is left, s.
    max_connections : int
        Beyond it the one that has been idle longest is closed.
    access_log : bool
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 2
    device: str = "auto"
    films: bool = True
    max_image_bytes: int = 64 * MIB
    max_video_bytes: int = 2048 * MIB
    max_body_bytes: int = 8 * MIB
    max_side_px: int = 3000
    link_lifetime_s: int = 300
    upload_lifetime_s: int = 7 * 24 * 3600
    answer_within_s: float = 60.0
    lease_s: float = 30.0
    tries: int = 3
    public_url: str | None = None
    header_timeout_s: float = 10.0
    body_timeout_s: float = 30.0
    keep_alive_s: float = 30.0
    stop_within_s: float = 8.0
    max_connections: int = 1000
    access_log: bool = True
