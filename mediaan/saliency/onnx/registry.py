"""Find models: those that ship are tables of `models/manifest.toml`, a user's own is a TOML file of the same shape."""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from mediaan.errors import SetupError, UsageError
from mediaan.saliency.onnx.cards import DetectorCard, ModelCard, TextCard
from mediaan.types.densities import Window

AttentionModelKind = Literal["onnx", "centre-prior"]
AttentionOutput = Literal["density", "saliency", "logits"]


class AttentionCard(ModelCard):
    """Facts about one model of attention.

    Attributes
    ----------
    kind : {'onnx', 'centre-prior'}
    output : {'density', 'saliency', 'logits'}
        density: non-negative, proportional to a probability; saliency: non-negative map of any scale, taken as
        proportional to a density; logits: softmax over space gives the density.
    windows : tuple of window
        Meaning of the output's channels.
    video_output : str
        Inner tensor that is read for the frames of a video instead of the model's output, of the same meaning but
        cheaper; empty where there is none.
    video_pixels : int or None
        Area at which the frames of a video are shown to the model, px²; None: as for pictures.
    features : tuple of str
        Inner tensors (N, C, h, w), finest first, that say what a picture holds; see `appearance`. Empty where there
        are none.
    domains : tuple of str
        Kinds of pictures that the model tells apart and reads its densities out by, such as photo and page; empty for
        a model that does not.
    domain_output : str
        Output beside the maps, which come first: (N, D) float32 probabilities of `domains`, in that order.
    domain_input : str
        Input beside the picture, which comes first: (1, D) float32, how much each of `domains` may count. All ones
        leave it to the picture; where a user states the domain, that is one and the others are zero.
    """

    kind: AttentionModelKind = "onnx"
    output: AttentionOutput = "density"
    windows: tuple[Window, ...] = ("total",)
    video_output: str = ""
    video_pixels: int | None = Field(None, gt=0)
    features: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    domain_output: str = ""
    domain_input: str = ""

    @property
    def _has_weights(self) -> bool:
        return self.kind == "onnx"

    def _problems(self) -> list[tuple[bool, str]]:
        return [
            *super()._problems(),
            (self.video_pixels is None or self.pixels is not None, "video_pixels is for a model with pixels"),
            ("total" in self.windows, "windows must hold total"),
            (len(set(self.windows)) == len(self.windows), "windows must differ"),
            (
                bool(self.domains) == bool(self.domain_output) == bool(self.domain_input),
                "domains, domain_output and domain_input go together",
            ),
            (len(set(self.domains)) == len(self.domains) and all(self.domains), "domains must differ and have names"),
        ]


def models_folder() -> Path:
    """Folder of the models that ship: inside an installed package, or beside it in a checkout.

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
    """Cards of the models of attention that ship, by name."""
    return {name: card for name, card in _shipped_cards().items() if isinstance(card, AttentionCard)}


def list_detector_cards() -> dict[str, DetectorCard]:
    """Cards of the object detectors that ship, by name."""
    return {name: card for name, card in _shipped_cards().items() if isinstance(card, DetectorCard)}


def text_card(name: Literal["text_detection", "text_recognition"]) -> TextCard:
    """Card of one of the models that read text."""
    card = _shipped_cards().get(name)
    if not isinstance(card, TextCard):
        message = f"{models_folder() / 'manifest.toml'} has no model {name}; reinstall mediaan"
        raise SetupError(message, code="models_missing")
    return card


def read_card(path: Path) -> AttentionCard:
    """Read a user's own card of a model of attention: one TOML file whose `file` lies beside it."""
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


def _shipped_cards() -> dict[str, AttentionCard | DetectorCard | TextCard]:
    folder = models_folder()
    tables = _load_toml(folder / "manifest.toml")
    return {name: _validate_card(name, table, folder, folder / "manifest.toml") for name, table in tables.items()}


def _read_card_file(path: Path) -> AttentionCard | DetectorCard | TextCard:
    table = _load_toml(path)
    name = table.pop("name", path.stem)
    return _validate_card(str(name), table, path.resolve().parent, path)


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a model card (TOML): {error}", code="bad_card") from error


def _validate_card(name: str, table: Any, folder: Path, source: Path) -> AttentionCard | DetectorCard | TextCard:
    if not isinstance(table, dict):
        raise UsageError(f"{source}: {name} must be a table", code="bad_card")
    if "folder" in table:
        raise UsageError(f"{source}: model {name}: folder: unknown key; file is relative to the card", code="bad_card")
    kinds: dict[Any, type[DetectorCard] | type[TextCard]] = {"detector": DetectorCard, "text": TextCard}
    kind: type[AttentionCard] | type[DetectorCard] | type[TextCard] = kinds.get(table.get("kind"), AttentionCard)
    try:
        return kind.model_validate({**table, "name": name, "folder": folder})
    except ValidationError as error:
        details = "; ".join(_describe_error(detail, kind) for detail in error.errors())
        raise UsageError(f"{source}: model {name}: {details}", code="bad_card") from error


def _describe_error(detail: ErrorDetails, kind: type[ModelCard]) -> str:
    if not detail["loc"]:
        return detail["msg"].removeprefix("Value error, ")
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, kind.model_fields, 1)
        return f"{key}: unknown key" + (f"; did you mean {near[0]}?" if near else "")
    return f"{key}: {detail['msg']}"
