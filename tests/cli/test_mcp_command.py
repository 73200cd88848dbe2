"""The tools of an assistant, by the SDK's own client over stdin and stdout of a real process."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from commands import mediaan_command
from PIL import Image

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.mcp import SharedFolders

mcp = pytest.importorskip("mcp")
ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"
AD, OTHER = "serum_square.jpg", "serum_wide.jpg"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two ads; beside it a secret one, to which links lead."""
    around = tmp_path_factory.mktemp("around")
    folder = around / "ads"
    (folder / "spring").mkdir(parents=True)
    (around / "secret").mkdir()
    first, second = sorted(ADS.glob("*.jpg"))[:2]
    shutil.copy(ADS / AD, folder / "spring" / AD)
    shutil.copy(second if second.name != AD else first, folder / "other.jpg")
    shutil.copy(first, around / "secret" / "plan.jpg")
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / "way out").symlink_to(around / "secret")
    (folder / "link.jpg").symlink_to(around / "secret" / "plan.jpg")
    (folder / "circle").symlink_to(folder / "circle")
    return folder


def with_client(folder: Path, use: Callable[[Any], Awaitable[None]]) -> None:
    """Start `mediaan mcp` as assistants do, and use it."""

    async def session() -> None:
        server = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "mediaan", "mcp", str(folder)], env=dict(os.environ)
        )
        with anyio.fail_after(300):
            async with mcp.Client(mcp.stdio_client(server)) as client:
                await use(client)

    anyio.run(session)


def picture(content: Any) -> Image.Image:
    assert content.mime_type == "image/jpeg"
    return Image.open(io.BytesIO(base64.b64decode(content.data)))


def test_analysis_with_units_evidence_heatmap_and_progress(shared: Path) -> None:
    notes: list[tuple[float, str]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        notes.append((progress, message or ""))

    async def use(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"files", "analyze", "compare", "place", "explain", "whatif"}
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        listed = (await client.call_tool("files", {})).structured_content
        assert listed == {"files": ["broken.png", "other.jpg", f"spring/{AD}"], "more": 0}
        answer = await client.call_tool(
            "analyze", {"file": f"spring/{AD}", "purpose": "conversion"}, progress_callback=on_progress
        )
        assert not answer.is_error
        facts = answer.structured_content
        assert json.loads(answer.content[0].text) == facts
        result = mn.analyze(shared / "spring" / AD, purpose="conversion")
        scores = {score["metric"]: score for score in facts["scores"]}
        assert scores["focus"]["value"] == pytest.approx(result["focus"].value, abs=0.001)
        assert scores["focus"]["unit"] == "score"
        assert scores["cognitive_demand"]["evidence"].startswith("A (r = ")
        assert scores["memory"]["evidence"] is None
        assert facts["verdict"] == result.verdict
        assert {area["type"] for area in facts["areas"]} == {aoi.type for aoi in result.aois or ()}
        assert facts["areas"][0]["scores"]["attention"]["unit"] == "%"
        heat = np.asarray(picture(answer.content[1]).convert("RGB"), int)
        assert abs(heat[..., 0] - heat[..., 2]).max() > 100  # colours over the ad

    with_client(shared, use)
    assert len(notes) > 1
    assert [progress for progress, _ in notes] == sorted(progress for progress, _ in notes)
    assert AD in notes[0][1]


def test_other_tools(shared: Path) -> None:
    async def use(client: Any) -> None:
        names = [f"spring/{AD}", "other.jpg"]
        compared = (await client.call_tool("compare", {"files": names})).structured_content
        assert compared["files"] == names
        assert compared["summary"]
        assert {row["unit"] for row in compared["comparisons"]} >= {"score"}
        placed = await client.call_tool("place", {"file": names[0], "placements": ["instagram_story"]})
        assert placed.structured_content["placements"][0]["placement"] == "instagram_story"
        assert picture(placed.content[1]).width > 100
        explained = (await client.call_tool("explain", {"word": "cognitive demand"})).structured_content
        assert explained["explanations"][0]["name"] == "cognitive_demand"
        areas = (await client.call_tool("whatif", {"file": names[0], "edits": []})).structured_content["aois"]
        area = areas[0]["aoi_id"]
        edited = await client.call_tool("whatif", {"file": names[0], "edits": [{"action": "remove", "aoi": area}]})
        facts = edited.structured_content
        assert facts["file"] == names[0]
        assert any(part["removed"] for part in facts["areas"])
        assert {change["unit"] for change in facts["scores"].values()} >= {"score"}
        assert len(edited.content) == 3
        for told in (compared, placed.structured_content, facts):
            assert str(shared.parent) not in json.dumps(told)

    with_client(shared, use)


def test_nothing_outside_is_read_and_errors_say_what_to_do(shared: Path) -> None:
    outside = str(shared.parent / "secret" / "plan.jpg")
    ways_out = ["../secret/plan.jpg", "way out/plan.jpg", "link.jpg", outside, "spring/../../secret/plan.jpg"]
    ways_out += [f"{shared}/../secret/plan.jpg", "/etc/passwd", "circle", "", ".", "spring", "a\0b", "x" * 5000]
    ways_out += ["https://a.example/ad.png", "s3://bucket/ad.png", "file://" + outside, "@" + outside]

    async def use(client: Any) -> None:
        for path in ways_out:
            for tool, arguments in (
                ("analyze", {"file": path}),
                ("compare", {"files": ["other.jpg", path]}),
                ("place", {"file": path, "placements": ["leaderboard"]}),
                ("whatif", {"file": path, "edits": []}),
            ):
                answer = await client.call_tool(tool, arguments)
                assert answer.is_error, (tool, path)
                assert "there is no such file" in answer.content[0].text
        for tool, arguments, words in (
            ("analyze", {"file": "broken.png"}, "broken.png"),
            ("place", {"file": "other.jpg", "placements": ["instagram_stori"]}, "did you mean"),
            ("explain", {"word": "clarty"}, "did you mean 'clarity'"),
            ("whatif", {"file": "other.jpg", "edits": [{"action": "scale", "aoi": "branding"}]}, "factor"),
            ("whatif", {"file": "other.jpg", "edits": [{"action": "melt", "aoi": "branding"}]}, "action"),
            ("analyze", {"file": "other.jpg", "purpose": "fame"}, "purpose"),
            ("compare", {"files": ["other.jpg"]}, "files"),
        ):
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error, (tool, arguments)
            assert words in answer.content[0].text, answer.content[0].text

    with_client(shared, use)


def test_the_server_answers_while_it_works(shared: Path) -> None:
    order: list[str] = []

    async def use(client: Any) -> None:
        async def call(tool: str, **arguments: Any) -> None:
            await client.call_tool(tool, arguments)
            order.append(tool)

        async with anyio.create_task_group() as group:
            group.start_soon(lambda: call("analyze", file="other.jpg"))
            await anyio.sleep(0.05)
            await client.list_tools()
            order.append("list")

    with_client(shared, use)
    assert order == ["list", "analyze"]


def test_folders_that_cannot_be(tmp_path: Path) -> None:
    for arguments in ([], [tmp_path / "none"], [Path(__file__)]):
        done = mediaan_command("mcp", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert not done.stdout


def test_names_of_files_in_several_folders(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        Image.new("RGB", (9, 9)).save(tmp_path / folder / "ad.png")
    shared = SharedFolders([tmp_path / "a", tmp_path / "b", tmp_path / "a"])
    names = shared.media()
    assert [shared.file(name) for name in names] == [tmp_path / folder / "ad.png" for folder in ("a", "b")]
    with pytest.raises(UsageError) as missing:
        shared.file("none.png")
    with pytest.raises(UsageError) as outside:
        shared.file("/etc/passwd")
    assert missing.value.message.partition(": ")[2] == outside.value.message.partition(": ")[2]
