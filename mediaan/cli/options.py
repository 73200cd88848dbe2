"""Options that several commands share, declared once."""

from __future__ import annotations

import click

from mediaan.cli import complete

device = click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where models run; cuda is an error where there is none.",
)
model = click.option(
    "--model",
    default="attention",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.model,
    help="Attention model: a name from `mediaan models list`, or the path of a card (.toml) of your own.",
)
domain = click.option(
    "--domain",
    metavar="photo|ad|design|page",
    shell_complete=complete.domain,
    help="What media are of which no objective says it; attention is predicted for that.  [default: the model tells]",
)
json_lines = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout instead of text.")
detector = click.option(
    "--detector",
    default="objects",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.detector,
    help="Object detector: a name from `mediaan models list`, or the path of a card (.toml) of your own.",
)
workers = click.option(
    "--workers", type=click.IntRange(min=1), help="Processes; 1 works in this one.  [default: one per core]"
)
benchmark = click.option(
    "--benchmark",
    default="auto",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.benchmark,
    help="What scores are compared with: auto, none, or a norm set: a name from `mediaan benchmark list`, or its file.",
)
benchmark_despite = click.option(
    "--benchmark-despite",
    metavar="REASON",
    help="Use the norm set although its scores were measured otherwise; the reason is kept.",
)
