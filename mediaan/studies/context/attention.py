"""Predict attention on composed pictures, and score boxes in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from mediaan.analysis import Plan, load_models
from mediaan.analysis.augmentation import INTERVAL_AUGMENTATIONS
from mediaan.analysis.models import Models
from mediaan.aoi.region import attention_share
from mediaan.aoi.scoring.aoi_scores import AttentionShares, attention_shares, score_shares
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.media.views import resize_to_view
from mediaan.saliency import AttentionPredictor
from mediaan.studies.context.result import ContextScore
from mediaan.studies.context.specs import SPECS
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities

_METRICS = ("attention", "percentage_seen", "time_spent", "first_seen_s")
_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class ContextPredictor:
    """An attention model for composed pictures."""

    models: Models
    hazard: FixationHazardModel
    """With the intervals of `domain`."""
    domain: str | None
    """What the composed pictures are; None for a model that tells no domains."""
    exposure_s: float
    """Seconds for which they are looked at."""

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.models.still.name

    def predict(self, rgb: UInt8) -> Densities:
        """Predict the densities of a picture, (H, W, 3) uint8."""
        return _predict(self.models.still, rgb, self.domain)

    def repeat(self, rgb: UInt8) -> tuple[Float32, ...]:
        """Predict the density of a picture under changes that should not matter, as behind intervals of AOI scores."""
        repeats = []
        for augmentation in INTERVAL_AUGMENTATIONS:
            density = _predict(self.models.frames, augmentation.apply(rgb), self.domain)["total"]
            repeats.append(augmentation.restore(density, (density.shape[0], density.shape[1])))
        return tuple(repeats)

    def relative_sd(self, repeats: Sequence[Float32], box: Box) -> float | None:
        """Return the relative standard deviation of a box's share over what `repeat` predicted."""
        return self.hazard.relative_sd([attention_share(density, box) for density in repeats])

    def shares(self, densities: Densities, box: Box) -> AttentionShares:
        """Measure the shares of attention of a box."""
        (shares,) = attention_shares([Aoi(_ID, "other", "", box, None, "drawn")], densities, self.hazard)
        return shares

    def score(self, shares: AttentionShares, relative_sd: float) -> tuple[ContextScore, ...]:
        """Score a box by its shares of attention.

        `relative_sd`: relative standard deviation of the share, as `relative_sd` returns it.
        Returns: attention, percentage_seen, time_spent and first_seen_s, with 90 % intervals, and area.
        """
        scores = score_shares(shares, self.exposure_s, self.hazard, relative_sd)
        by_name = {score.metric: score for score in scores if score.time == "total"}
        chosen = (
            ContextScore.of(SPECS[score.metric], score.value, (score.lo, score.hi), reason=score.reason)
            for score in (by_name[name] for name in _METRICS)
        )
        return (*chosen, ContextScore.of(SPECS["area"], 100 * shares.area))


def scale_shares(shares: AttentionShares, factor: float) -> AttentionShares:
    """Multiply the shares of attention of a box, not its area."""
    total, start, end = (None if share is None else factor * share for share in shares[1:4])
    return AttentionShares(shares.area, total, start, end, tuple(factor * share for share in shares.periods))


def context_predictor(plan: Plan, domain: str) -> ContextPredictor:
    """Load the models of a plan; pictures are of its domain, or of `domain` where it states none."""
    models = load_models(*plan.models)
    stated = plan.domain or (domain if models.still.domains else None)
    return ContextPredictor(models, plan.seen.of_domain(stated), stated, plan.exposure_s)


def _predict(predictor: AttentionPredictor, rgb: UInt8, domain: str | None) -> Densities:
    (densities,) = predictor.predict(resize_to_view(rgb, predictor.view)[None], domain=domain)
    return densities
