"""Attention models in ONNX files, whatever layout and scale their cards state."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from mediaan.errors import AnalysisError, SetupError
from mediaan.saliency.onnx.registry import AttentionCard, find_attention_card
from mediaan.saliency.onnx.session import (
    Session,
    batch_sizes,
    check_device,
    input_signature,
    open_session,
    run_outputs,
)
from mediaan.saliency.onnx.weights import (
    check_input,
    extract_subgraph,
    input_card,
    prepend_preprocessing,
    preprocess,
    read_weights,
)
from mediaan.saliency.predictor import AttentionPredictor, CentrePrior, check_domain
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import ViewSpec

DEFAULT_MODEL = "attention"
_ROUNDING = 1e-3  # by which probabilities of domains may miss a sum of 1


class OnnxAttention:
    """A model file that maps images to densities, saliency maps or logits.

    `threads`: threads per prediction on the CPU; 0 leaves it to the runtime.
    `video`: read the card's cheaper output at its smaller size, meant for the frames of a video, where it names them.
    Raises SetupError: weights missing or damaged, a device that cannot be had, or a model whose inputs, or whose output
        of domains, are not what the card says.
    """

    def __init__(self, card: AttentionCard, *, device: str = "auto", threads: int = 0, video: bool = False) -> None:
        self._card = card
        self.name, self.domains = card.name, card.domains
        self.sha256: str | None = card.sha256
        # `predict` resizes frames for a model of a fixed size
        pixels = (card.video_pixels if video else None) or card.pixels or card.area
        self.view = ViewSpec("attention", pixels=pixels, multiple=card.multiple, upscale=True)
        weights = read_weights(card)
        if video and card.video_output:
            weights = extract_subgraph(weights, card.video_output, *filter(None, [card.domain_output]))
        self._session, self.device = open_session(
            weights,
            device=device,
            threads=threads,
            prepare_for_gpu=lambda model: prepend_preprocessing(model, card, card.domain_input),
        )
        self._signature, self._input_card = input_signature(self._session), input_card(self._session, card)
        check_input(self._signature, self._input_card)
        _check_domains(self._session, card)

    @property
    def batch_sizes(self) -> Counter[int]:
        """Number of batches computed for several callers at once, by their number of frames; none on a CPU."""
        return batch_sizes(self._session)

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """Predict the densities of each frame; see `AttentionPredictor`."""
        check_domain(domain, self._card.domains, self._card.name)
        fixed_batch = self._signature.shape[0]
        step = fixed_batch if isinstance(fixed_batch, int) else len(frames)
        batches = (self._run(frames[i : i + step], domain) for i in range(0, len(frames), step))
        return [densities for batch in batches for densities in batch]

    def _run(self, frames: UInt8, domain: str | None) -> list[Densities]:
        """Predict the densities of frames that fit into one run of the session."""
        card = self._card
        if card.width and card.height and frames.shape[1:3] != (card.height, card.width):
            size = (card.width, card.height)
            resized = [cv2.resize(frame, size, interpolation=cv2.INTER_AREA) for frame in frames]
            frames = np.stack(resized).astype(np.uint8)
        x = preprocess(frames, self._input_card)
        first = self._session.get_outputs()[0].name
        if not card.domains:
            (maps,) = run_outputs(self._session, x, card.name, (first,))
            return [_densities(raw, card) for raw in np.asarray(maps, np.float32)]
        outputs = (first, card.domain_output)
        weight = np.array([[domain in (None, name) for name in card.domains]], np.float32)
        maps, shares = run_outputs(self._session, x, card.name, outputs, {card.domain_input: weight})
        densities = []
        for raw, share in zip(np.asarray(maps, np.float32), np.asarray(shares, np.float64), strict=True):
            if domain is not None:
                domains = {name: float(name == domain) for name in card.domains}
            elif share.shape == (len(card.domains),) and (share >= 0).all() and abs(share.sum() - 1) <= _ROUNDING:
                domains = dict(zip(card.domains, (share / share.sum()).tolist(), strict=True))
            else:
                raise SetupError(
                    f"model {card.name} returns {share.tolist()} as {card.domain_output}; its card promises a "
                    f"probability of each of {', '.join(card.domains)}",
                    code="bad_card",
                )
            densities.append(replace(_densities(raw, card), domains=domains))
        return densities


def _check_domains(session: Session, card: AttentionCard) -> None:
    """Refuse a model that takes, or tells, something else beside frames and maps than its card says."""
    count = len(card.domains)
    inputs = {tensor.name: tuple(tensor.shape) for tensor in session.get_inputs()[1:]}
    strange = sorted(set(inputs) - {card.domain_input})
    if strange:
        raise SetupError(
            f"model {card.name}: {card.path} wants an input {strange[0]!r} beside the image, which must come first; "
            "its card may name one as domain_input, with domains and domain_output",
            code="bad_card",
        )
    if not count:
        return
    outputs = {tensor.name: tuple(tensor.shape or (None, count)) for tensor in session.get_outputs()[1:]}
    for key, name, shapes in (
        ("domain_input", card.domain_input, inputs),
        ("domain_output", card.domain_output, outputs),
    ):
        if name not in shapes:
            what = "input after the image" if key == "domain_input" else "output after the maps"
            raise SetupError(
                f"model {card.name}: {card.path} has no {what} that is called {name!r}; correct {key} in its card, or "
                "video_output, if that does not depend on it",
                code="bad_card",
            )
        if len(shapes[name]) != 2 or (isinstance(shapes[name][1], int) and shapes[name][1] != count):
            raise SetupError(
                f"model {card.name}: {name} has the shape {shapes[name]}, but its card names {count} domains "
                f"({', '.join(card.domains)}): the last axis must have {count} places",
                code="bad_card",
            )


def _densities(raw: Float32, card: AttentionCard) -> Densities:
    """Turn the maps that a model returns for one frame into a density by window.

    `raw`: (windows, h, w), (h, w, windows) or, for one window, (h, w) float32.
    """
    count = len(card.windows)
    if raw.ndim == 2:
        raw = raw[None]
    if raw.ndim == 3 and raw.shape[0] != count and raw.shape[2] == count:
        raw = raw.transpose(2, 0, 1)
    if raw.ndim != 3 or raw.shape[0] != count:
        raise SetupError(
            f"model {card.name} returns maps of shape {raw.shape}; its card promises {count} window(s) "
            f"({', '.join(card.windows)})",
            code="bad_card",
        )
    maps = {}
    for window, map in zip(card.windows, raw, strict=True):
        values: Float64 = map.astype(np.float64)
        if not np.isfinite(values).all():
            raise AnalysisError(f"model {card.name} returned values that are not finite", code="model_not_finite")
        if card.output == "logits":
            values = np.exp(values - values.max())
        elif values.min() < 0:
            raise SetupError(
                f"model {card.name} returns negative values, but its card says output = {card.output!r}; "
                "if they are logits, say output = 'logits'",
                code="bad_card",
            )
        total = values.sum()
        if total <= 0:
            raise AnalysisError(f"model {card.name} returned a map of zeros", code="model_empty")
        maps[window] = np.asarray(values / total, dtype=np.float32)
    return Densities(maps)


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
    the predictor for images.

    Parameters and errors are those of `load_predictor`; further,

    Raises SetupError: the tensor that the card names is not in the model, or cannot be had alone.
    """
    return _load(name, device, threads, video=True)


def _load(name: str | Path, device: str, threads: int, *, video: bool) -> AttentionPredictor:
    check_device(device)
    card = find_attention_card(name)
    if card.kind == "centre-prior":
        if device == "cuda":
            raise SetupError(f"model {card.name} runs on the CPU only: use --device auto or cpu", code="no_cuda")
        return CentrePrior()
    return OnnxAttention(card, device=device, threads=threads, video=video)
