"""The `mediaan` command: its subcommands, and how errors become exit codes."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from difflib import get_close_matches
from io import StringIO
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from mediaan import __version__
from mediaan.cli.paths import check_addresses, without_credentials
from mediaan.cli.terminal import prepare_streams
from mediaan.errors import MediaanError, UsageError

EXIT_FATAL, EXIT_USAGE, EXIT_SOME_FAILED, EXIT_NOT_MET, EXIT_INTERRUPTED = 1, 2, 3, 4, 130

_COMMANDS = {
    "analyze": "Analyze images and videos: tables, maps and an HTML report.",
    "aois": "Areas of interest of a run: detect, apply a file, export, evaluate.",
    "benchmark": "Benchmarks that scores are compared with: apply, build, list, show, validate.",
    "brand": "What a brand is called and looks like: make a kit, add logos and packs, show it.",
    "calibrate": "Fit a model to your own eye tracking.",
    "check": "Check a run against rules: what failed, and by how much.",
    "compare": "Compare two ads, rank many, compare groups: which differences are real.",
    "completion": "Print a script that completes commands, options and names in your shell.",
    "context": "Show an ad in a page, and the attention it gets there.",
    "doctor": "Show what works on this machine: devices, codecs, models, versions.",
    "drift": "Compare two runs of the same files: what changed between versions.",
    "evaluate": "Compare a model with eye tracking.",
    "explain": "Explain a score, a category, a code or another word.",
    "heat": "Write the heat of each file alone, to lay over it in another program.",
    "init": "Write a file in which you say what your ads are for.",
    "mcp": "Give an assistant tools to analyze the files of folders that you name (MCP).",
    "models": "List, show and verify models.",
    "objectives": "What each ad is for: list valid words, check your file, print an example.",
    "place": "Show ads in their placements: what is cropped, covered or too small.",
    "report": "Write the report of a run again: as one file to forward, a PDF, or slides.",
    "results": "Find which measures of ads go with their results: CTR, cost, recall.",
    "review": "Answer what is unclear about the areas of a run, on a page on this machine.",
    "serve": "Run the analysis as an HTTP server (Media Analysis Service API) with a web page.",
    "trend": "Follow scores and brand attention over time.",
    "whatif": "Edit an image, and see how its scores change.",
}


class _LazyGroup(click.Group):
    """Imports a command's module only when that command runs, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(importlib.import_module(f"mediaan.cli.commands.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            typed = args[0]
            near = [name for name in _COMMANDS if name.startswith(typed)] or get_close_matches(typed, _COMMANDS, 1)
            if typed in ("help", "version"):
                way_out = f"it is an option: mediaan --{typed}"
            elif near:
                way_out = f"did you mean {' or '.join(map(repr, sorted(near)))}?"
            elif Path(typed).exists():  # whoever typed a file meant to analyze it
                way_out = f"to analyze it: mediaan analyze {shlex.quote(typed)}"
            else:
                way_out = "`mediaan --help` lists them"
            raise click.UsageError(f"there is no command {typed!r}; {way_out}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [CompletionItem(name, help=_COMMANDS[name]) for name in sorted(_COMMANDS)]
        options = click.Command.shell_complete(self, ctx, incomplete)  # click's own would import every command
        return [command for command in commands if command.value.startswith(incomplete)] + options

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


@click.group(cls=_LazyGroup, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="mediaan")
def cli() -> None:
    """Predict what people look at in images and videos, and score it. Everything runs on this machine.

    \b
    mediaan analyze ./ads              tables, maps and a report
    mediaan explain clarity            what a number means
    mediaan init ./ads                 a file to say what your ads are for

    Exit codes: 0 all done; 1 a problem with the machine or the program; 2 a problem with the request; 3 some files
    failed; 4 a rule failed, or drift beyond --max-shift; 130 interrupted.
    """


def main() -> None:
    """Run the command and exit with its code."""
    prepare_streams()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # each worker computes on one core; workers make up for it
    try:
        check_addresses(sys.argv[1:])
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        click.echo(without_credentials(shown.getvalue(), sys.argv[1:]), err=True, nl=False)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        # click puts an Abort in its place; workflow.Interrupted has a message, but importing it here would cost time
        message = getattr(error.__cause__ or error, "message", "")
        click.echo(f"interrupted: {message}" if message else "interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except MediaanError as error:
        click.echo(f"mediaan: {without_credentials(error.message, sys.argv[1:])}", err=True)
        sys.exit(EXIT_USAGE if isinstance(error, UsageError) else EXIT_FATAL)
    sys.exit(code if isinstance(code, int) else 0)
