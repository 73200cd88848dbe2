"""From frames to what a model takes, as its card says; and a check that the model takes just that."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.predictors.model_card import ModelCard
from mediaan.predictors.preface import FRAMES, FRAMES_CARD
from mediaan.predictors.session import Session, Signature
from mediaan.types.arrays import UInt8


def as_input(frames: UInt8, card: ModelCard) -> npt.NDArray[np.generic]:
    """(N, H, W, 3) RGB frames of the right size in the model's channels, number type and layout."""
    if card.channels == "bgr":
        frames = frames[..., ::-1]
    x: npt.NDArray[np.generic] = frames
    if card.dtype == "float32":
        x = ((frames.astype(np.float32) / 255 - card.mean) / card.std * card.scale).astype(np.float32)
    if card.layout == "nchw":
        x = x.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(x)


def input_card(session: Session, card: ModelCard) -> ModelCard:
    """What the opened model takes: as its card says, unless it was opened so that it normalises frames itself."""
    return card.model_copy(update=FRAMES_CARD) if session.get_inputs()[0].name == FRAMES else card


def check_input(takes: Signature, card: ModelCard) -> None:
    """Refuse a model whose input is not what its card says."""
    sides = (card.height, card.width)
    says = (1, *sides, 3) if card.layout == "nhwc" else (1, 3, *sides)
    if takes.dtype == card.dtype and _fits(takes.shape, says):
        return
    shape, said = (", ".join(str(n) if isinstance(n, int) else "any" for n in sizes) for sizes in (takes.shape, says))
    raise SetupError(
        f"model {card.name}: {card.path} takes {takes.dtype} of shape ({shape}), but its card says {card.dtype} "
        f"{card.layout}, that is ({said}); correct dtype, layout, or width and height (instead of pixels) there",
        code="bad_card",
    )


def _fits(shape: tuple[int | str | None, ...], says: tuple[int | None, ...]) -> bool:
    """Whether every size that is a number is the one that is said; what is not a number takes any."""
    return len(shape) == len(says) and all(
        not isinstance(size, int) or size == said for size, said in zip(shape, says, strict=True)
    )
