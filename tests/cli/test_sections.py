"""Help of commands that have many options."""

from __future__ import annotations

import re

import click
from click.testing import CliRunner

from mediaan.cli.commands.analyze import analyze
from mediaan.cli.options import SectionedCommand


def test_every_option_of_analyze_stands_in_one_section() -> None:
    assert isinstance(analyze, SectionedCommand)
    named = [name for names in analyze.sections.values() for name in names]
    assert sorted(named) == sorted(str(one.name) for one in analyze.params if isinstance(one, click.Option))


def test_help_shows_each_option_once_below_its_heading() -> None:
    text = CliRunner().invoke(analyze, ["--help"]).stdout
    headings = [*analyze.sections, "Other"]  # type: ignore[attr-defined]
    assert [line[:-1] for line in text.splitlines() if re.fullmatch(r"\w.*:", line)] == headings
    for option in analyze.params:
        if isinstance(option, click.Option):
            assert len(re.findall(rf"^  (?:-\w, )?{option.opts[0]}\b(?!-)", text, re.MULTILINE)) == 1
