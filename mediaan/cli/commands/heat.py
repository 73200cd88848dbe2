"""`mediaan heat`: the heat of each file alone, as a picture with opacity."""

from __future__ import annotations

from pathlib import Path

import click

from mediaan.cli import options
from mediaan.cli.options import PATH


@click.command()
@options.run
@click.option("--out", type=PATH, metavar="FOLDER", default=Path("heat"), help="Folder to write into.")
def heat(run: Path, out: Path) -> None:
    """Write the heat of each file of RUN as a PNG with opacity, to lay over it in another program.

    It has the size of the file and the scale of the heatmaps. Of a video it is that of its whole length.
    """
    from mediaan.workflow.report import write_heat

    layers = write_heat(run, out)
    click.echo(f"{len(layers)} PNG file{'s' * (len(layers) != 1)} in {out}")
