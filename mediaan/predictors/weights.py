"""Weight files: read whole, and verified before anything looks inside."""

from __future__ import annotations

import hashlib

from mediaan.errors import SetupError
from mediaan.predictors.model_card import ModelCard


def read_weights(card: ModelCard) -> bytes:
    """Bytes of the card's weight file.

    Raises
    ------
    SetupError
        The file is missing, or its sha256 is not the card's: it is damaged or was exchanged.
    """
    try:
        data = card.path.read_bytes()
    except OSError as error:
        raise SetupError(f"model {card.name}: {card.path} cannot be read: {error}", code="model_missing") from error
    found = hashlib.sha256(data).hexdigest()
    if found != card.sha256:
        raise SetupError(
            f"model {card.name}: {card.path} has sha256 {found}, its card says {card.sha256}; "
            "the file is damaged or was exchanged: fetch it again, or correct the card if you changed it on purpose",
            code="model_corrupt",
        )
    return data
