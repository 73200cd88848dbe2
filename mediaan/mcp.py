"""Give an assistant tools over standard input and output, by the Model Context Protocol.

Each tool calls the function of the library that its command calls, for files in folders that the user names, and
answers with numbers, their units, intervals and evidence, and no more than an assistant needs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from mediaan import __version__
from mediaan.analysis.progress import AnalysisProgress, set_progress_listener
from mediaan.errors import MediaanError, UsageError, shorten
from mediaan.explanations import find, nearest_name
from mediaan.maps.encode import encode_image
from mediaan.media import find_files, is_moving
from mediaan.metrics.guide import GRADES_TEXT, agreement
from mediaan.placements.placed import PlacedMedium
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.compare.workflow import compare as compare_files
from mediaan.studies.whatif import apply_edits, open_editable
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import UInt8
from mediaan.types.edits import Action, Edit, WhatIf
from mediaan.types.media import Purpose
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.medium import analyze as analyze_medium
from mediaan.workflow.placements import analyzed, find_placements, placed_result, placement_sheet, shown_picture

READING = (
    "Numbers are predictions of where people look, not of sales. lo and hi bound a 90 % interval; repeatability is how "
    "far a score moves when the image is mirrored, cropped or resized. evidence grades how well a score agreed with "
    f"people, by rank correlation r: {GRADES_TEXT}; null: not compared with people."
)
_AREA_METRICS = ("attention", "percentage_seen", "time_spent", "first_seen_s")
_DIGITS = 3


def analysis(result: Result, name: str) -> dict[str, Any]:
    """Return what is known of a medium, without its scores over time."""
    medium = result.medium
    return _rounded(
        {
            "file": name,
            "type": medium.kind,
            "size_px": [medium.width, medium.height],
            "duration_s": medium.duration_s,
            "domain": result.domain,
            "verdict": result.verdict,
            "checks": [
                {"name": c.name, "status": c.status, "required": c.required, "text": c.text, "todo": c.todo}
                for c in result.checks
            ],
            "scores": [_score(result, score) for score in result.scores if score is result[score.metric]],
            "areas": [
                _area(result, aoi) for aoi in sorted(result.aois or (), key=lambda aoi: aoi.attention, reverse=True)
            ],
            "folds": [{"fold": f.fold, "viewers_%": f.viewers, "attention_%": f.attention} for f in result.folds],
            "suggestions": [suggestion.text for suggestion in result.suggestions],
            "problems": [problem.message for problem in result.problems],
            "reading": READING,
        }
    )


def comparison(result: CompareResult, names: dict[str, str]) -> dict[str, Any]:
    """Return which medium leads, and each score with its difference; `names` are what files are called, by path."""
    plain = result.to_dict()
    kept = {key: plain[key] for key in ("summary", "notes", "leader", "rankings")}
    rows = [row for row in plain["comparisons"] if row["headline"] or row["better"] or row["lean"]]
    told = [row | {"evidence": _grade(row["metric"], None)} for row in rows]
    content = {"files": plain["names"], **kept, "comparisons": told}
    return _rounded({**_named(content, names), "reading": READING})


def whatif_changes(result: WhatIf, name: str) -> dict[str, Any]:
    """Return what edits change, clear changes of areas only."""
    plain = result.to_dict()
    areas = [
        {"type": aoi["type"], "label": aoi["label"], "removed": aoi["removed"], "changes": told}
        for aoi in plain["aois"]
        if (
            told := {
                metric: times["total"]
                for metric, times in aoi["scores"].items()
                if times.get("total", {}).get("verdict") in ("rises", "falls")
            }
        )
        or aoi["removed"]
    ]
    scores = {metric: change | {"evidence": _grade(metric, None)} for metric, change in plain["metrics"].items()}
    kept = {"edits": [str(edit) for edit, _ in result.edits], "lost": plain["lost"], "scores": scores, "areas": areas}
    problems = [problem.message for problem in result.problems]
    return _rounded({"file": name, **kept, "problems": problems, "reading": READING})


def placing(placed: Sequence[PlacedMedium], name: str) -> dict[str, Any]:
    """Return how placements show a medium."""
    units = "cropped, covered and hidden_time in %; shown in CSS px, mm and degrees of vision"
    media = [medium.to_dict() for medium in placed]
    for area in (area for medium in media for area in medium["areas"]):
        area["scores"] = {metric: s | {"evidence": _grade(metric, None)} for metric, s in area["scores"].items()}
    return _rounded({"file": name, "units": units, "placements": media, "reading": READING})


def _score(result: Result, score: Score) -> dict[str, Any]:
    position = result.range(score.metric, time=score.time)
    plain = {key: getattr(score, key) for key in ("metric", "value", "unit", "lo", "hi", "basis", "reason")}
    return plain | {
        "repeatability": result.repeatability(score),
        "benchmark_category": position.category if position else None,
        "evidence": _grade(score.metric, result.domain, still=not result.moves),
    }


def _area(result: Result, aoi: Aoi) -> dict[str, Any]:
    scores = {
        score.metric: {key: getattr(score, key) for key in ("value", "lo", "hi", "unit")}
        | {"evidence": _grade(score.metric, result.domain, still=not result.moves)}
        for score in aoi.scores
        if score.metric in _AREA_METRICS and score.time == "total"
    }
    facts = {"id": str(aoi.aoi_id), "type": aoi.type, "label": aoi.label, "box": list(aoi.box)}
    return facts | {"confidence": aoi.confidence, "scores": scores}


def _grade(metric: str, domain: str | None, *, still: bool = True) -> str | None:
    compared = agreement(metric, domain) if still else None
    return compared.text if compared else None


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    """Round numbers to what is read."""
    return {key: _round(value) for key, value in facts.items()}


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return _rounded(value)
    return [_round(part) for part in value] if isinstance(value, (list, tuple)) else value


def _named(value: Any, names: dict[str, str]) -> Any:
    """Call files what the assistant calls them."""
    if isinstance(value, str):
        for path, name in names.items():
            value = value.replace(path, name)
        return value
    if isinstance(value, dict):
        return {_named(key, names): _named(part, names) for key, part in value.items()}
    return [_named(part, names) for part in value] if isinstance(value, (list, tuple)) else value


class SharedFolders:
    """Folders whose files may be read; what a link inside leads to outside of them is no part of them.

    Raises UsageError: ``bad_path``: none is given, or one is no folder.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder}: is no folder; name folders whose files may be read", code="bad_path")
        if not folders:
            raise UsageError("name at least one folder whose files may be read", code="bad_path")
        self._folders = list(dict.fromkeys(folder.resolve() for folder in folders))

    def __str__(self) -> str:
        return ", ".join(map(str, self._folders))

    def file(self, path: str) -> Path:
        """Return the file that a path means: below one of the folders, or a whole path into one.

        Raises UsageError: ``not_shared``: there is no such file inside; whether there is one outside is not told.
        """
        for folder in self._folders:
            try:
                file = (folder / path).resolve()
                if file.is_file() and any(file.is_relative_to(shared) for shared in self._folders):
                    return file
            except (OSError, ValueError, RuntimeError):  # no name of a file, or a circle of links
                continue
        message = f"{shorten(path)}: there is no such file in {self}; the tool `files` lists what there is"
        raise UsageError(message, code="not_shared")

    def name(self, file: Path) -> str:
        """Return what a file is called: its path below its folder, which `file` understands, where it is that file."""
        folder = next(folder for folder in self._folders if file.is_relative_to(folder))
        short = file.relative_to(folder).as_posix()
        return short if self.file(short) == file else str(file)

    def media(self) -> list[str]:
        """List the names of all images and videos."""
        listing = find_files(self._folders)
        return [self.name(file) for entry in listing.files if (file := entry.path.resolve()).is_file()]


_HEARTBEAT_S = 0.5
"""Between two notes of progress."""
_QUALITY = 80
_MOST_FILES = 500

File = Annotated[str, Field(description="Name of an image or video, as the tool `files` lists it.")]
Brand = Annotated[str | None, Field(description="Brand whose name and logo to look for; without it, those of any.")]
For = Annotated[Purpose | None, Field(description="What it is for: decides which checks count and what is better.")]
Work = TypeVar("Work")
Session = Context[Any, Any]


class AreaEdit(BaseModel):
    """An edit of one area of an image."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    action: Action
    aoi: str
    """Type of the area (product:2 is the second by attention), its label, its id, or a box x0,y0,x1,y1 from 0 to 1."""
    factor: float | None = None
    """For scale and contrast only: 1.5 is half as much again."""
    to: tuple[float, float] | None = None
    """For move only: the new centre, from 0,0 at the top left to 1,1."""


def serve(folders: Sequence[Path]) -> None:
    """Serve the files of folders until the client goes away."""
    shared = SharedFolders(folders)
    tools = Tools(shared)
    server: MCPServer[Any] = MCPServer(
        "mediaan",
        version=__version__,
        instructions=f"Predicts what people look at in ads, images and videos in {shared}. {READING}",
        log_level="WARNING",
    )
    for tool in (tools.files, tools.analyze, tools.compare, tools.place, tools.explain, tools.whatif):
        server.add_tool(tool, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    set_progress_listener(tools.note)
    server.run("stdio")


class Tools:
    """The tools: nothing is written, and nothing outside the shared folders is read."""

    def __init__(self, shared: SharedFolders) -> None:
        self._shared = shared
        self._turn = anyio.CapacityLimiter(1)  # the models take all cores for one file
        self._latest: AnalysisProgress | None = None

    def note(self, progress: AnalysisProgress) -> None:
        """Note how far a video is."""
        self._latest = progress

    async def files(self, context: Session) -> CallToolResult:
        """List the images and videos that may be analyzed."""
        names = await self._work(context, "listing files", self._shared.media)
        return _answer({"files": names[:_MOST_FILES], "more": max(0, len(names) - _MOST_FILES)})

    async def analyze(
        self, context: Session, file: File, purpose: For = None, brand: Brand = None, platform: str | None = None
    ) -> CallToolResult:
        """Predict what people look at in an image or video: scores, areas, checks, advice, and the heatmap."""

        def task() -> CallToolResult:
            path = self._shared.file(file)
            name = "contact_sheet" if is_moving(path) else "heat"
            result = analyze_medium(path, purpose=purpose, brand=brand, platform=platform, maps=name)
            pictures = [result.pictures[name]] if name in result.pictures else []
            return _answer(analysis(result, self._shared.name(path)), *pictures)

        return await self._work(context, f"analyzing {file}", task)

    async def compare(
        self,
        context: Session,
        files: Annotated[list[str], Field(min_length=2, max_length=20, description="Names of files of one type.")],
        versions: Annotated[bool, Field(description="True for versions of one design.")] = False,
    ) -> CallToolResult:
        """Compare two files by every score, or rank more: which leads, what is proven and what is a coin toss."""

        def task() -> CallToolResult:
            paths = [self._shared.file(name) for name in files]
            result = compare_files(*paths, versions=versions)
            return _answer(comparison(result, {str(path): self._shared.name(path) for path in paths}))

        return await self._work(context, f"comparing {len(files)} files", task)

    async def place(
        self,
        context: Session,
        file: File,
        placements: Annotated[list[str], Field(min_length=1, description="Such as instagram_story or leaderboard.")],
        brand: Brand = None,
    ) -> CallToolResult:
        """Show how placements show a file: what is cropped, covered or too small to read, with a sheet of previews."""

        def task() -> CallToolResult:
            wanted, path = find_placements(placements), self._shared.file(file)
            placed = placed_result(analyzed(path, brand=brand), wanted)
            sheet = placement_sheet(path.name, placed, shown_picture(path))
            return _answer(placing(placed, self._shared.name(path)), sheet)

        return await self._work(context, f"placing {file}", task)

    async def explain(
        self, context: Session, word: Annotated[str, Field(description="A score, check, area, placement or code.")]
    ) -> CallToolResult:
        """Explain a word of the answers: what it means, how it is computed, which way is good, how well it is known."""

        def task() -> CallToolResult:
            if matches := find(word):
                return _answer({"explanations": [match.to_dict() for match in matches]})
            near = nearest_name(word)
            raise UsageError(f"nothing is called {word!r}" + (f"; did you mean {near!r}?" if near else ""))

        return await self._work(context, f"explaining {word}", task)

    async def whatif(
        self,
        context: Session,
        file: File,
        edits: Annotated[list[AreaEdit], Field(description="In their order. Without any, the areas are listed.")],
        brand: Brand = None,
        purpose: For = None,
    ) -> CallToolResult:
        """Edit an image in memory, and predict how its scores change; shows the edited image and its heatmap."""

        def task() -> CallToolResult:
            path = self._shared.file(file)
            image = open_editable(path, brand=brand, purpose=purpose)
            if not edits:
                return _answer(image.to_dict() | {"path": self._shared.name(path)})
            result = apply_edits(image, [Edit(**edit.model_dump()) for edit in edits])
            pictures = (result.pictures["after"], result.pictures["after_heat"])
            return _answer(whatif_changes(result, self._shared.name(path)), *pictures)

        return await self._work(context, f"editing {file}", task)

    async def _work(self, context: Session, activity: str, task: Callable[[], Work]) -> Work:
        """Do something that may take long in a thread, and report progress meanwhile."""
        began, done = time.monotonic(), anyio.Event()

        async def beat() -> None:
            while not done.is_set():
                latest, message = self._latest, activity
                if latest and latest.duration_s:
                    message += f": {latest.done_s:.0f} of {latest.duration_s:.0f} s of the video"
                await context.report_progress(time.monotonic() - began, message=message)
                with anyio.move_on_after(_HEARTBEAT_S):
                    await done.wait()

        def begin() -> Work | MediaanError:
            self._latest = None
            try:
                return task()
            except MediaanError as error:
                return error

        async with anyio.create_task_group() as group:
            group.start_soon(beat)
            try:
                outcome = await anyio.to_thread.run_sync(begin, limiter=self._turn, abandon_on_cancel=True)
            finally:
                done.set()
        if isinstance(outcome, MediaanError):
            raise ToolError(outcome.message) from outcome
        return outcome


def _answer(facts: dict[str, Any], *pictures: UInt8) -> CallToolResult:
    """Return facts as structured content and as text, and pictures."""
    encoded = [Image(data=encode_image(picture, quality=_QUALITY), format="jpeg") for picture in pictures]
    return CallToolResult(
        content=[
            TextContent(type="text", text=json.dumps(facts, ensure_ascii=False)),
            *(picture.to_image_content() for picture in encoded),
        ],
        structured_content=facts,
    )
