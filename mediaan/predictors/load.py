"""From a name, or a card file, to a predictor that is ready."""

from __future__ import annotations

import difflib
from pathlib import Path

from mediaan.errors import SetupError, UsageError
from mediaan.predictors.attention import OnnxAttention
from mediaan.predictors.cards import Card, list_cards, read_card
from mediaan.predictors.port import AttentionPredictor
from mediaan.predictors.prior import CentrePrior
from mediaan.predictors.session import check_device

DEFAULT_MODEL = "attention"


def find_card(name: str | Path) -> Card:
    """Card of a model that ships, or of a user's own when `name` is a path that ends in .toml."""
    if str(name).endswith(".toml"):
        return read_card(Path(name))
    cards = list_cards()
    if str(name) in cards:
        return cards[str(name)]
    near = difflib.get_close_matches(str(name), cards, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UsageError(
        f"no model is called {str(name)!r}; {hint}there are {', '.join(sorted(cards))}; "
        "a model of your own is named by the path of its card (.toml)",
        code="unknown_model",
    )


def load_predictor(name: str | Path = DEFAULT_MODEL, device: str = "auto", *, threads: int = 0) -> AttentionPredictor:
    """Load an attention model.

    Parameters
    ----------
    name : str or Path
        Name of a model that ships (`mediaan models list`), or path of a card file for a model of your own.
    device : {'auto', 'cpu', 'cuda'}
    threads : int
        Threads per prediction on the CPU; 0 leaves it to the runtime.

    Raises
    ------
    UsageError
        No such model; a card that does not hold together.
    SetupError
        Weights missing or damaged; a device that cannot be had.
    """
    return _load(name, device, threads, video=False)


def load_frame_predictor(
    name: str | Path = DEFAULT_MODEL, device: str = "auto", *, threads: int = 0
) -> AttentionPredictor:
    """Load an attention model for the frames of a video, each of which must be cheap.

    A card may name an inner tensor and a smaller size for them (`video_output`, `video_pixels`); without these it is
    the predictor that looks at pictures.

    Parameters and errors are those of `load_predictor`; further,

    Raises
    ------
    SetupError
        The tensor that the card names is not in the model, or cannot be had alone.
    """
    return _load(name, device, threads, video=True)


def _load(name: str | Path, device: str, threads: int, *, video: bool) -> AttentionPredictor:
    check_device(device)
    card = find_card(name)
    if card.kind == "centre-prior":
        if device == "cuda":
            raise SetupError(f"model {card.name} runs on the CPU only: use --device auto or cpu", code="no_cuda")
        return CentrePrior()
    return OnnxAttention(card, device=device, threads=threads, video=video)
