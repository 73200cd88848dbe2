"""Declare options that several commands share, and show options under headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from mediaan.cli import complete


class SectionedCommand(click.Command):
    """A command whose help shows its options under headings.

    Parameters
    ----------
    sections : mapping of str to sequence of str
        Names of parameters by heading, in the order in which they are shown; all others come last.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Sequence[str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, called by click."""
        found = {str(one.name): record for one in self.get_params(ctx) if (record := one.get_help_record(ctx))}
        sections = {title: [found.pop(name) for name in names] for title, names in self.sections.items()}
        for title, records in (sections | {"Other": list(found.values())}).items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


device = click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where models run; cuda is an error without a GPU.",
)
model = click.option(
    "--model",
    default="attention",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.model,
    help="Attention model: a name from `mediaan models list`, or the path of your own model card (.toml).",
)
domain = click.option(
    "--domain",
    metavar="photo|ad|design|page",
    shell_complete=complete.domain,
    help="Type of the files for which the objectives name none; attention is predicted for it.  [default: "
    "recognized by the model]",
)
json_lines = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout instead of text.")
detector = click.option(
    "--detector",
    default="objects",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.detector,
    help="Object detector: a name from `mediaan models list`, or the path of your own model card (.toml).",
)
workers = click.option(
    "--workers", type=click.IntRange(min=1), help="Number of processes; 1 uses only this one.  [default: one per core]"
)
benchmark = click.option(
    "--benchmark",
    default="auto",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.benchmark,
    help="Benchmark that scores are compared with: auto, none, a name from `mediaan benchmark list`, or a file.",
)
benchmark_despite = click.option(
    "--benchmark-despite",
    metavar="REASON",
    help="Use the benchmark although its scores were measured with other settings; the run keeps the reason.",
)
