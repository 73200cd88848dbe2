"""What a worker keeps of a medium: its maps, then its part."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from mediaan.analysis import Known, Order, Report
from mediaan.run.parts import PartStore, identity_of, part_key


@dataclass(frozen=True, slots=True)
class PartKeeper:
    """Commits reports as parts of a run; picklable.

    Parameters
    ----------
    parts : PartStore
    recipe_id : str
    exposure_s : float
        For how long pictures are looked at of which nobody says it, s.
    retry_failed : bool
        Whether what failed before is forgotten.
    """

    parts: PartStore
    recipe_id: str
    exposure_s: float
    retry_failed: bool = False

    def __call__(self, order: Order, report: Report) -> None:
        """Commit what came of an order."""
        key, exposure_s = self.key(order, report), self.exposure_of(order)
        self.parts.commit(key, report.outcome, report.files, report.seconds, exposure_s=exposure_s)

    def recall(self, order: Order, medium_id: UUID) -> bool:
        """Whether there is a part of such content, of which the same is asked."""
        part = self.parts.read(part_key(self.recipe_id, str(medium_id), order.wishes_id))
        return part is not None and not (part.failed and self.retry_failed) and part.serves(self.exposure_of(order))

    def exposure_of(self, order: Order) -> float:
        """For how long the medium of an order is looked at, if it is a picture, s."""
        return self.exposure_s if order.wishes.exposure_s is None else order.wishes.exposure_s

    def key(self, order: Order, report: Report | Known) -> str:
        """The part that holds it."""
        known = order.medium_id or report.medium_id
        identity = str(known) if isinstance(report, Known) else identity_of(report.outcome, known)
        return part_key(self.recipe_id, identity, order.wishes_id)
