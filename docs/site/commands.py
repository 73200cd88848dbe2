"""The page of the commands, each as `--help` prints it."""

from __future__ import annotations

from collections.abc import Iterator

import click

from mediaan.cli.main import cli

WIDTH = 80  # characters; what the site shows without scrolling


def commands_page() -> str:
    """Return a heading and a block for every command."""
    parts = []
    for context in with_subcommands(
        click.Context(cli, info_name="mediaan", terminal_width=WIDTH, **cli.context_settings)
    ):
        level = "##" if context.command_path.count(" ") < 2 else "###"
        parts.append(f"{level} {context.command_path}\n\n```text\n{context.command.get_help(context)}\n```")
    return "\n\n".join(parts)


def with_subcommands(context: click.Context) -> Iterator[click.Context]:
    """Yield the command of a context, then those below it."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            assert command is not None
            yield from with_subcommands(click.Context(command, context, name, terminal_width=WIDTH))
