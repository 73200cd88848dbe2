"""`mediaan models`: what models there are, what is known of them, and whether their files are whole."""

from __future__ import annotations

import json
from typing import Any

import click

from mediaan.cli import options


@click.group()
def models() -> None:
    """List, show and verify models."""


@models.command("list")
@options.json_lines
def list_models(as_json: bool) -> None:
    """List the models that ship."""
    from mediaan.predictors import list_cards

    cards = list_cards()
    if as_json:
        click.echo(json.dumps([{"name": c.name, "summary": c.summary, "sha256": c.sha256} for c in cards.values()]))
        return
    width = max(map(len, cards))
    for card in cards.values():
        click.echo(f"{card.name:<{width}}  {card.summary}")


@models.command()
@click.argument("name")
@options.json_lines
def show(name: str, as_json: bool) -> None:
    """Show the card of a model: inputs, licence, origin, measured accuracy."""
    from mediaan.predictors.load import find_card

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
        click.echo(f"measured on {group}: " + ", ".join(f"{k} {v}" for k, v in figures.items()))
    prose = card.folder / f"{card.name}.md"
    if prose.is_file():
        click.echo(f"\nmore in {prose}")


@models.command()
@click.argument("names", nargs=-1)
def verify(names: tuple[str, ...]) -> None:
    """Verify the sha256 of models' files (all, if none is named) and that each opens."""
    from mediaan.predictors import list_cards
    from mediaan.predictors.load import find_card, load_predictor

    for card in map(find_card, names) if names else list_cards().values():
        load_predictor(str(card.folder / f"{card.name}.toml") if card.name not in list_cards() else card.name, "cpu")
        click.echo(f"{card.name}: ok{f', sha256 {card.sha256}' if card.sha256 else ' (no weights)'}")
