"""A small server that keeps a made-up review in memory, to test the page of the review alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from PIL import Image

import mediaan

TOKEN = "a-token"
CSP = "default-src 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'; connect-src 'self'"
UNDECIDED = {"status": "open", "text": "undecided"}
WORKS = {"status": "works", "text": "works"}
_PAGE = Path(mediaan.__file__).parent / "review" / "page"
_TYPES = {"css": "text/css", "js": "text/javascript", "html": "text/html; charset=utf-8"}


def question(number: int, n_proposals: int = 3, folder: str = "acme/", **facts: Any) -> dict[str, Any]:
    """Ask where the logo of a picture is; the proposals lie beside each other."""
    boxes = [[0.1 + 0.3 * i, 0.2, 0.2, 0.3] for i in range(n_proposals)]
    proposals = [
        {
            "number": i + 1,
            "box": box,
            "type": "branding",
            "label": ("Acme", "</script><b>Sale</b>", "")[i % 3],
            "confidence": 0.8 - 0.2 * i,
            "area_id": f"area-{number}-{i}" if i == 0 else None,
        }
        for i, box in enumerate(boxes)
    ]
    headline = {
        "number": 2,
        "box": [0.1, 0.6, 0.5, 0.1],
        "type": "headline_text",
        "label": "Sale",
        "confidence": 0.9,
        "area_id": f"headline-{number}",
    }
    return {
        "id": f"q{number}",
        "medium_id": f"m{number}",
        "path": f"{folder}ad {number:02d}.png",
        "folder": folder,
        "picture": f"pictures/{number}.png?token={TOKEN}",
        "width": 800,
        "height": 1000 if number % 3 else 450,
        "type": "branding",
        "text": "Where is the brand?",
        "why": "Whether the brand is seen decides the verdict.",
        "brand": "Acme",
        "verdict": UNDECIDED,
        "proposals": proposals,
        "areas": [*proposals[:1], headline],
    } | facts


@dataclass
class FakeReview:
    """A review whose medium works as soon as its question is answered."""

    questions: Sequence[Mapping[str, Any]]
    answers: list[dict[str, Any]] = field(default_factory=list)
    others: Sequence[Mapping[str, Any]] = ()
    """Questions that are not open."""
    refuses: str = ""
    """What the server says instead of taking an answer."""
    pictures_asked_for: list[str] = field(default_factory=list)
    url: str = ""

    @cached_property
    def by_id(self) -> dict[str, Mapping[str, Any]]:
        return {question["id"]: question for question in (*self.questions, *self.others)}

    @property
    def settled(self) -> set[str]:
        """Ids of questions that are answered; that all areas are right answers all questions about a medium."""
        complete = {
            self.by_id[answer["question"]]["medium_id"] for answer in self.answers if answer["answer"] == "confirm_all"
        }
        ids = {
            answer["question"]
            for answer in self.answers
            if answer["answer"] != "brand_for_folder" or answer["numbers"] or answer["boxes"]
        }
        return ids | {question["id"] for question in self.questions if question["medium_id"] in complete}

    @property
    def asked(self) -> dict[str, Mapping[str, Any]]:
        """Open questions by id, each with the brand that was given to its folder."""
        brands = {
            self.by_id[answer["question"]]["folder"]: answer["brand"]
            for answer in self.answers
            if answer["answer"] == "brand_for_folder"
        }
        settled = self.settled
        return {
            question["id"]: dict(question)
            | ({"brand": brand, "text": f"Where is {brand}?"} if (brand := brands.get(question["folder"])) else {})
            for question in self.questions
            if question["id"] not in settled
        }

    def load(self) -> dict[str, Any]:
        left = list(self.asked.values())
        progress = {"answered": len(self.answers), "left": len(left), "undecided": len(left)}
        return {"title": "Review of a run", "progress": progress, "questions": left, "others": list(self.others)}

    def change(self, answer: dict[str, Any] | None) -> dict[str, Any]:
        """Take an answer, or take the last one back."""
        before = self.asked
        changed = self.answers.pop() if answer is None else answer
        if answer is not None:
            self.answers.append(answer)
        asked = self.by_id[changed["question"]]
        medium = {
            "medium_id": asked["medium_id"],
            "verdict": UNDECIDED if answer is None else WORKS,
            "areas": asked["areas"],
        }
        ids = [name for name in self.by_id if before.get(name) != self.asked.get(name)]
        return {"medium": medium, "questions": ids, "progress": self.load()["progress"]}


class _Handler(BaseHTTPRequestHandler):
    review: ClassVar[FakeReview]

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        name = address.path.removeprefix("/") or "review.html"
        if name == "api/review":
            self._answer_api(lambda _: self.review.load())
        elif name.startswith("pictures/"):
            self.review.pictures_asked_for.append(name)
            assert parse_qs(address.query) == {"token": [TOKEN]}
            size = (400, 500) if int(name[9:-4]) % 3 else (400, 225)
            picture = BytesIO()
            Image.linear_gradient("L").resize(size).convert("RGB").save(picture, "PNG")
            self._send(200, picture.getvalue(), "image/png")
        else:
            content = (_PAGE / name).read_bytes()
            self._send(200, content, _TYPES[name.rsplit(".", 1)[1]])

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer_api(lambda review: review.change(None if self.path.endswith("undo") else body))

    def _answer_api(self, make: Any) -> None:
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._send(401, b'{"detail": "no token"}', "application/json")
        elif self.review.refuses and self.command == "POST":
            self._send(507, json.dumps({"detail": self.review.refuses}).encode(), "application/json")
        else:
            self._send(200, json.dumps(make(self.review)).encode(), "application/json")

    def _send(self, status: int, content: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", CSP)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving(review: FakeReview) -> Iterator[FakeReview]:
    """Serve a review, and its page at `review.url`."""
    handler = type("Handler", (_Handler,), {"review": review})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        review.url = f"http://127.0.0.1:{server.server_port}/?token={TOKEN}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield review
        server.shutdown()
        thread.join()
