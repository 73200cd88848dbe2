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
    retry_failed : bool
        Whether what failed before is forgotten.
    """

    parts: PartStore
    recipe_id: str
    retry_failed: bool = False

    def __call__(self, order: Order, report: Report) -> None:
        """Commit what came of an order."""
        self.parts.commit(self.key(order, report), report.outcome, report.files, report.seconds)

    def recall(self, order: Order, medium_id: UUID) -> bool:
        """Whether there is a part of such content, of which the same is asked."""
        part = self.parts.read(part_key(self.recipe_id, str(medium_id), order.wishes_id))
        return part is not None and not (part.failed and self.retry_failed)

    def key(self, order: Order, report: Report | Known) -> str:
        """The part that holds it."""
        known = order.medium_id or report.medium_id
        identity = str(known) if isinstance(report, Known) else identity_of(report.outcome, known)
        return part_key(self.recipe_id, identity, order.wishes_id)
