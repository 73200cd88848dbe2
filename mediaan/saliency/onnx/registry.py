"""Find models: those that ship are tables of `models/manifest.toml`, a user's own is a TOML file of the same shape."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import ValidationError

from mediaan.errors import SetupError, UsageError, did_you_mean
from mediaan.saliency.onnx.cards import AttentionCard, DetectorCard, TextCard

AnyCard: TypeAlias = AttentionCard | DetectorCard | TextCard
_FoundCard = TypeVar("_FoundCard", AttentionCard, DetectorCard)


def models_folder() -> Path:
    """Return the folder of the models that ship: inside an installed package, or beside it in a checkout.

    ``MEDIAAN_MODELS`` overrides both.
    """
    stated = os.environ.get("MEDIAAN_MODELS")
    package = Path(__file__).resolve().parents[2]
    candidates = [Path(stated)] if stated else [package / "_models", package.parent / "models"]
    for folder in candidates:
        if (folder / "manifest.toml").is_file():
            return folder
    raise SetupError(
        f"no models found: looked for manifest.toml in {', '.join(map(str, candidates))}; reinstall mediaan",
        code="models_missing",
    )


def list_cards() -> dict[str, AttentionCard]:
    """Return the cards of the attention models that ship, by name."""
    return {name: card for name, card in _read_manifest().items() if isinstance(card, AttentionCard)}


def list_detector_cards() -> dict[str, DetectorCard]:
    """Return the cards of the object detectors that ship, by name."""
    return {name: card for name, card in _read_manifest().items() if isinstance(card, DetectorCard)}


def all_cards() -> dict[str, AttentionCard | DetectorCard]:
    """Return the cards of all models that ship and can be named by users: attention models, then detectors."""
    return {**list_cards(), **list_detector_cards()}


def text_card(name: Literal["text_detection", "text_recognition"]) -> TextCard:
    """Return the card of one of the models that read text."""
    card = _read_manifest().get(name)
    if not isinstance(card, TextCard):
        message = f"{models_folder() / 'manifest.toml'} has no model {name}; reinstall mediaan"
        raise SetupError(message, code="models_missing")
    return card


def read_card(path: Path) -> AttentionCard:
    """Read a user's own card of an attention model: one TOML file whose `file` lies beside it."""
    card = _read_card_file(path)
    if not isinstance(card, AttentionCard):
        raise UsageError(f"{path}: this card is of a detector, not of a model of attention", code="bad_card")
    return card


def read_detector_card(path: Path) -> DetectorCard:
    """Read a user's own card of an object detector: one TOML file whose `file` lies beside it."""
    card = _read_card_file(path)
    if not isinstance(card, DetectorCard):
        raise UsageError(f"{path}: this card is of no detector; a detector's says kind = 'detector'", code="bad_card")
    return card


def find_attention_card(name: str | Path) -> AttentionCard:
    """Return the card of an attention model that ships, or of a user's own when `name` is a path that ends in .toml."""
    return read_card(Path(name)) if str(name).endswith(".toml") else _find_shipped(name, list_cards(), "model")


def find_detector_card(name: str | Path) -> DetectorCard:
    """Return the card of a detector that ships, or of a user's own when `name` is a path that ends in .toml."""
    if str(name).endswith(".toml"):
        return read_detector_card(Path(name))
    return _find_shipped(name, list_detector_cards(), "detector")


def find_card(name: str | Path) -> AttentionCard | DetectorCard:
    """Return the card of an attention model or a detector that ships, or of a user's own when `name` ends in .toml.

    Raises UsageError: there is no such model, or its card does not hold together.
    """
    if str(name).endswith(".toml"):
        is_detector = isinstance(_read_card_file(Path(name)), DetectorCard)
    else:
        is_detector = str(name) in list_detector_cards()
    return find_detector_card(name) if is_detector else find_attention_card(name)


def _find_shipped(name: str | Path, cards: Mapping[str, _FoundCard], noun: str) -> _FoundCard:
    if str(name) in cards:
        return cards[str(name)]
    guess = did_you_mean(str(name), cards)
    hint = f"{guess} There are" if guess else "; there are"
    raise UsageError(
        f"no {noun} is called {str(name)!r}{hint} {', '.join(sorted(cards)) or 'none'}; "
        f"a {noun} of your own is named by the path of its card (.toml)",
        code="unknown_model",
    )


def _read_manifest() -> dict[str, AnyCard]:
    folder = models_folder()
    path = folder / "manifest.toml"
    return {name: _validate_card(name, table, folder, path) for name, table in _load_toml(path).items()}


def _read_card_file(path: Path) -> AnyCard:
    table = _load_toml(path)
    name = table.pop("name", path.stem)
    return _validate_card(str(name), table, path.resolve().parent, path)


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a model card (TOML): {error}", code="bad_card") from error


def _validate_card(name: str, table: Any, folder: Path, source: Path) -> AnyCard:
    """Make a card from a table of a TOML file; `source` is that file, for messages."""
    if not isinstance(table, dict):
        raise UsageError(f"{source}: {name} must be a table", code="bad_card")
    if "folder" in table:
        raise UsageError(f"{source}: model {name}: folder: unknown key; file is relative to the card", code="bad_card")
    kinds: dict[Any, type[DetectorCard] | type[TextCard]] = {"detector": DetectorCard, "text": TextCard}
    kind: type[AnyCard] = kinds.get(table.get("kind"), AttentionCard)
    try:
        return kind.model_validate({**table, "name": name, "folder": folder})
    except ValidationError as error:
        complaints = []
        for detail in error.errors():
            key = ".".join(map(str, detail["loc"]))
            if not key:
                complaints.append(detail["msg"].removeprefix("Value error, "))
            elif detail["type"] == "extra_forbidden":
                complaints.append(f"{key}: unknown key{did_you_mean(key, kind.model_fields)}")
            else:
                complaints.append(f"{key}: {detail['msg']}")
        raise UsageError(f"{source}: model {name}: {'; '.join(complaints)}", code="bad_card") from error
