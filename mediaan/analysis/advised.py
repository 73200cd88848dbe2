"""Suggestions for one still picture: edits are looked at by the cheaper look, in the views that intervals rest on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from mediaan import advice
from mediaan.analysis.models import Models
from mediaan.analysis.plan import Plan
from mediaan.analysis.variation import VARIANTS
from mediaan.media import resize, view_size
from mediaan.metrics import DRIVER_VIEW
from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.arrays import UInt8
from mediaan.types.maps import Densities
from mediaan.types.media import ViewSpec
from mediaan.types.suggestion import Suggestion


def suggest(
    rgb: UInt8,
    aois: Sequence[Aoi],
    scores: Sequence[AoiScore],
    densities: Densities,
    purposes: Sequence[str | None],
    plan: Plan,
    models: Models,
) -> tuple[Suggestion, ...]:
    """Try edits of a picture and keep those that are predicted to help; see `mediaan.advice.suggest`.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        In the view of AOIs: at most 1024 px on the long side.
    aois : sequence of Aoi
    scores : sequence of AoiScore
    densities : Densities
        Of the picture.
    purposes : sequence of {'brand_building', 'conversion', None}
        Each is answered.
    plan : Plan
        Its exposure, viewers and domain.
    models : Models
        Both pictures are looked at as the frames of videos are: what differs between them shows there as well.

    Returns
    -------
    tuple of Suggestion
    """
    predictor, shape = models.frames, (densities["total"].shape[0], densities["total"].shape[1])

    def look(pictures: Sequence[UInt8], view: int) -> list[Densities]:
        variant = VARIANTS[view - 1] if view else None
        small = [_resized(picture, DRIVER_VIEW) for picture in pictures]
        shown = [variant.apply(picture) for picture in small] if variant else small
        frames = np.stack([_resized(picture, predictor.view) for picture in shown])
        found = predictor.predict(frames, domain=plan.domain)
        if variant is None:
            return found
        return [Densities({window: variant.restore(one, shape) for window, one in each.maps.items()}) for each in found]

    return advice.suggest(
        rgb,
        aois,
        scores,
        densities,
        look,
        1 + len(VARIANTS),
        purposes=purposes,
        exposure_s=plan.exposure_s,
        seen=plan.seen,
    )


def _resized(rgb: UInt8, view: ViewSpec) -> UInt8:
    return np.asarray(resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], view)), np.uint8)
