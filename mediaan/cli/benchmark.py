"""`mediaan benchmark`: populations that scores are compared with."""

from __future__ import annotations

import click

from mediaan.cli.benchmark_apply import apply
from mediaan.cli.benchmark_build import build
from mediaan.cli.benchmark_show import list_sets, show, validate


@click.group()
def benchmark() -> None:
    """Norm sets, the populations that scores are compared with: apply to a run, build, list, show, validate."""


for command in (apply, build, list_sets, show, validate):
    benchmark.add_command(command)
