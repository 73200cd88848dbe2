"""What a worker keeps of a medium: its maps, then its part."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.analysis import Order, Report
from mediaan.run.parts import PartStore, identity_of, part_key


@dataclass(frozen=True, slots=True)
class PartKeeper:
    """Commits reports as parts of a run; picklable.

    Parameters
    ----------
    parts : PartStore
    recipe_id : str
    """

    parts: PartStore
    recipe_id: str

    def __call__(self, order: Order, report: Report) -> None:
        """Commit what came of an order."""
        self.parts.commit(self.key(order, report), report.outcome, report.files, report.seconds)

    def key(self, order: Order, report: Report) -> str:
        """The part that holds it."""
        return part_key(self.recipe_id, identity_of(report.outcome, order.medium_id), order.wishes_id)
