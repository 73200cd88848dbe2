"""The documents say what the program does: every command, option, column, code and key, and none that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import mediaan
from mediaan.cli.main import cli
from mediaan.maps import ALL_MAP_NAMES
from mediaan.run import OTHER_TABLES, TABLES
from mediaan.saliency import read_card
from mediaan.saliency.onnx.cards import AttentionCard

ALL_TABLES = {**TABLES, **OTHER_TABLES}
ROOT = Path(__file__).resolve().parents[1]
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
TABLES_PAGE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
OWN_MODEL = (ROOT / "docs" / "own_model.md").read_text(encoding="utf-8")


def commands(group: click.Group, name: str = "mediaan") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for child in group.list_commands(context):
        command = group.get_command(context, child)
        assert command is not None
        yield f"{name} {child}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {child}")


COMMANDS = dict(commands(cli))


def section(page: str, title: str) -> str:
    """Text under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {title!r}"
    return found[1]


def first_cells(text: str) -> list[str]:
    """Words in backticks in the first column of the tables."""
    return [word for line in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for word in re.findall(r"`(.+?)`", line)]


def options(command: click.Command) -> dict[str, click.Option]:
    return {flag: option for option in command.params if isinstance(option, click.Option) for flag in option.opts}


LEAVES = {name: one for name, one in COMMANDS.items() if not isinstance(one, click.Group) or options(one)}


def test_every_command_has_its_section_and_no_other_is_described() -> None:
    headings = re.findall(r"^#+ (mediaan .*)$", CLI, re.MULTILINE)
    assert sorted(headings) == sorted(COMMANDS)


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_option_is_described_and_no_other(name: str) -> None:
    assert sorted(first_cells(section(CLI, name))) == sorted(options(LEAVES[name]))


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_defaults_and_choices_are_those_of_the_command(name: str) -> None:
    text = section(CLI, name)
    for flag, option in options(LEAVES[name]).items():
        row = re.search(rf"^\| .*`{flag}`.* \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
        assert row
        if option.is_flag:
            assert row[1] == "off"
        elif isinstance(option.default, (str, int, float, Path)):
            assert row[1].strip("`") == str(option.default)
        if isinstance(option.type, click.Choice) and "as in" not in row[2]:
            assert all(f"`{choice}`" in row[2] for choice in option.type.choices)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_has_help(name: str) -> None:
    assert COMMANDS[name].help
    assert all(option.help for option in options(COMMANDS[name]).values())


def test_every_map_is_named() -> None:
    paragraph = re.search(r"^Maps: (.*?)\n\n", CLI, re.MULTILINE | re.DOTALL)
    assert paragraph
    assert tuple(re.findall(r"`(\w+)`", paragraph[1])) == ALL_MAP_NAMES


@pytest.mark.parametrize("name", sorted(ALL_TABLES))
def test_every_column_is_described_with_its_type_and_unit(name: str) -> None:
    text = section(TABLES_PAGE, name)
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE))
    assert list(rows) == ALL_TABLES[name].names
    for field in ALL_TABLES[name]:
        kind, _, unit = rows[field.name].partition(", ")
        assert str(field.type).startswith(kind)
        assert unit == field.metadata.get(b"unit", b"").decode()


def test_every_code_that_a_medium_can_fail_with_is_described() -> None:
    """Codes that MediumError and AnalysisError are raised with in the rooms that see a medium."""
    raised = set()
    for room in ("media", "saliency", "vision", "analysis", "workflow"):
        for path in (ROOT / "mediaan" / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for call in re.findall(r"(?:MediumError|AnalysisError)\((.*?)\)(?: from \w+)?\n", text + "\n", re.DOTALL):
                raised |= set(re.findall(r'code="(\w+)"', call))
    assert {"truncated", "model_empty"} <= raised, "the search finds what is known to be there"
    assert raised <= set(first_cells(section(TABLES_PAGE, "Codes")))


def test_every_key_of_a_card_is_described() -> None:
    described = first_cells(section(OWN_MODEL, "Keys"))
    assert sorted(described) == sorted(set(AttentionCard.model_fields) - {"folder"})


def test_the_example_card_is_one(tmp_path: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", OWN_MODEL, re.DOTALL)
    assert found
    (tmp_path / "my_model.toml").write_text(found[1].replace("SHA256", "0" * 64))
    card = read_card(tmp_path / "my_model.toml")
    assert (card.name, card.width, card.height, card.layout, card.output) == ("my_model", 320, 240, "nchw", "logits")


PAGES = sorted(
    page
    for glob in ("*.md", "docs/**/*.md", "models/**/*.md", "benchmarks_data/*.md", "tests/sample_ads/*.md")
    for page in ROOT.glob(glob)
    if "cache" not in page.parts and "runs" not in page.parts
)


def anchors(page: Path) -> set[str]:
    """Anchors of the headings, as a code host and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links, from file to file; `tests/test_site.py` checks those of the site."""
    text = re.sub(r"```.*?```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


def test_the_changelog_s_newest_version_is_this_one() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[?(\d+\.\d+\.\d+\w*)", text, re.MULTILINE)
    assert found
    assert found[1] == mediaan.__version__


def test_the_readme_names_no_other_version() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"mediaan[ =v]+(\d+\.\d+\.\d+)", text)) <= {mediaan.__version__}


def test_commands_in_the_documents_exist() -> None:
    """Each `mediaan ...` line of a shell block, fenced or indented: its command exists and knows the options."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"```(?:sh|bash|console)\n(.*?)```", text, re.DOTALL)
        blocks += re.findall(r"^ {4,}(mediaan [a-z].*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
        for block in blocks:
            for line in re.findall(r"(?:^|[/ ])(mediaan [a-z].*)$", block.replace("\\\n", " "), re.MULTILINE):
                line = re.split(r"\s# ", line)[0]
                names = [" ".join(line.split()[:words]) for words in (4, 3, 2)]
                name = next((name for name in names if name in COMMANDS), None)
                assert name, f"{page.name}: {line}"
                flags = set(re.findall(r"(?<=[\s\[])--[a-z-]+", line)) - {"--help"}
                assert flags <= set(options(COMMANDS[name])), f"{page.name}: {line}"
