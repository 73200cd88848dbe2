"""`mediaan models`: what models there are, what is known of them, and whether their files are whole."""

from __future__ import annotations

import json
from typing import Any

import click

from mediaan.cli import complete, options
from mediaan.cli.table import table_lines
from mediaan.errors import SetupError


@click.group()
def models() -> None:
    """List, show and verify models."""


@models.command("list")
@options.json_lines
def list_models(as_json: bool) -> None:
    """List the built-in models."""
    from mediaan.saliency.onnx.registry import all_cards

    cards = all_cards()
    if as_json:
        click.echo(json.dumps([{"name": c.name, "summary": c.summary, "sha256": c.sha256} for c in cards.values()]))
        return
    click.echo("\n".join(table_lines([(card.name, card.summary) for card in cards.values()], left=(0, 1))))


@models.command()
@click.argument("name", shell_complete=complete.any_model)
@options.json_lines
def show(name: str, as_json: bool) -> None:
    """Show the card of a model: inputs, licence, origin, measured accuracy."""
    from mediaan.saliency.onnx.registry import find_card

    card = find_card(name)
    facts: dict[str, Any] = {k: v for k, v in card.model_dump(mode="json").items() if v not in ("", None, {})} | {
        "folder": str(card.folder)
    }
    if as_json:
        click.echo(json.dumps(facts))
        return
    for key, value in facts.items():
        if not isinstance(value, dict):
            click.echo(f"{key:<9} {', '.join(map(str, value)) if isinstance(value, list) else value}")
    for group, figures in card.measured.items():
        shown = ", ".join(f"{k} {v}" for k, v in figures.items()) if isinstance(figures, dict) else figures
        click.echo(f"measured on {group}: {shown}")
    prose = card.folder / f"{card.name}.md"
    if prose.is_file():
        click.echo(f"\nmore in {prose}")


@models.command()
@click.argument("names", nargs=-1, shell_complete=complete.any_model)
def verify(names: tuple[str, ...]) -> int:
    """Check the sha256 of model files, and that each model opens; all models if none is named.

    Exit code 1 when any is missing or damaged.
    """
    from mediaan.analysis.models import load_model
    from mediaan.saliency.onnx.registry import all_cards

    damaged = 0
    for name in names or tuple(all_cards()):
        try:
            model = load_model(name, "cpu")
        except SetupError as error:
            click.echo(error.message, err=True)
            damaged += 1
        else:
            click.echo(f"{model.name}: ok" + (f", sha256 {model.sha256}" if model.sha256 else " (no weights)"))
    return 1 if damaged else 0
