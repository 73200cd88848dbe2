"""`mediaan brand`: the folder that holds what a brand is called and looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from mediaan.cli import options
from mediaan.cli.options import FILE, FOLDER

if TYPE_CHECKING:
    from mediaan.config.brand import BrandKit
    from mediaan.workflow.brand_kits import KitChanges

_FOLDER = click.argument("folder", type=FOLDER)


@click.group()
def brand() -> None:
    """Keep a brand's names, logos and packs in a folder of plain files, by which it is found in ads.

    \b
    mediaan brand new kits/acme --name Acme
    mediaan brand add kits/acme logo.png pack.jpg
    mediaan analyze ads --brand-kit kits/acme
    """


@brand.command()
@_FOLDER
@click.option("--name", required=True, help="The brand's name.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another spelling, or a product; repeatable.")
def new(folder: Path, name: str, aliases: tuple[str, ...]) -> None:
    """Make an empty kit in FOLDER."""
    from mediaan.workflow.brand_kits import new_kit

    kit = new_kit(folder, name, aliases)
    click.echo(f"{folder}: the kit of {kit.name}; next: mediaan brand add {folder} logo.png pack.jpg")


@brand.command()
@_FOLDER
@click.argument("pictures", nargs=-1, required=True, type=FILE)
@click.option("--logo", "kind", flag_value="logo", help="All PICTURES are logos.")
@click.option("--pack", "kind", flag_value="pack", help="All PICTURES are packs.")
def add(folder: Path, pictures: tuple[Path, ...], kind: Literal["logo", "pack"] | None) -> None:
    """Add PICTURES of logos and packs to the kit in FOLDER.

    They may be transparent, on a plain ground, or photographed. Say what they are with --logo or --pack, unless the
    names of the files do: logo.png, pack.jpg.
    """
    from mediaan.workflow.brand_kits import add_pictures

    _tell(add_pictures(folder, pictures, kind))


@brand.command("from-run")
@options.run
@_FOLDER
@click.option("--name", help="The brand, where people named several in RUN.  [default: that of the kit]")
def from_run(run: Path, folder: Path, name: str | None) -> None:
    """Fill the kit in FOLDER with the branding and products that people drew or confirmed in RUN."""
    from mediaan.workflow.brand_kits import kit_from_run

    changes = kit_from_run(run, folder, name)
    if not changes.added and not changes.skipped:
        missing = f"{run}: nobody drew or confirmed branding of {changes.kit.name}"
        click.echo(f"{missing}; confirm the areas of its ads with mediaan review {run}", err=True)
    _tell(changes)


@brand.command()
@_FOLDER
@options.json_lines
def show(folder: Path, as_json: bool) -> None:
    """Check the kit in FOLDER, or each of the kits in it, and show what it holds."""
    from mediaan.config.brand import load_kits

    for kit in load_kits(folder):
        click.echo(json.dumps(kit_as_json(kit)) if as_json else kit_as_text(kit))


def kit_as_json(kit: BrandKit) -> dict[str, object]:
    """Return what a kit holds as plain values, pictures relative to its folder."""
    pictures = {
        name: [str(file.relative_to(kit.folder)) for file in files]
        for name, files in (("logos", kit.logos), ("packs", kit.packs))
    }
    return {"folder": str(kit.folder), **kit.settings.model_dump(mode="json"), **pictures}


def kit_as_text(kit: BrandKit) -> str:
    """Write what a kit holds, a line for each kind of thing that it has."""
    facts = kit_as_json(kit)
    lines = [f"{kit.name}  {kit.folder}"]
    for name in ("aliases", "addresses", "colours", "logos", "packs"):
        values = facts[name]
        if isinstance(values, list) and values:
            lines.append(f"  {name}: {', '.join(map(str, values))}")
    if not kit.logos:
        lines.append("  no logo: it is found by its name alone; add one with `mediaan brand add`")
    return "\n".join(lines)


def _tell(changes: KitChanges) -> None:
    for sentence in changes.skipped:
        click.echo(f"left out: {sentence}", err=True)
    for file in changes.added:
        click.echo(f"added {file.relative_to(changes.kit.folder)}")
    click.echo(kit_as_text(changes.kit))
