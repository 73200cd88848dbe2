"""What is asked of media that are compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mediaan.errors import UsageError


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of media.

    Attributes
    ----------
    metrics : tuple of str
        Scores as users write them, such as ``focus``, ``branding.percentage_seen.start`` or ``all``; empty for the
        usual ones.
    by : str or None
        Key that groups them.
    pair : str or None
        Key that says which medium of a group belongs to which one of another.
    cluster : str or None
        Key of which each value counts once in a group, such as the campaign.
    type : str or None
        Only media of this type.
    versions : bool
        Whether they are versions of one design, so that errors that both share are left out.
    attributes : str, Path or None
        CSV with more keys.
    objectives : str, Path or None
        Objectives file that says what the media are for; by default that of their run does.
    """

    metrics: tuple[str, ...] = ()
    by: str | None = None
    pair: str | None = None
    cluster: str | None = None
    type: str | None = None
    versions: bool = False
    attributes: str | Path | None = None
    objectives: str | Path | None = None

    def check(self) -> None:
        """Refuse wishes that do not go together.

        Raises
        ------
        UsageError
        """
        if self.pair and not self.by:
            raise UsageError("--pair needs --by, which says what the groups are", code="bad_groups")
        if self.cluster and (self.pair or not self.by):
            raise UsageError("--cluster needs --by, and does not go with --pair", code="bad_groups")
        if self.versions and self.by:
            raise UsageError("--versions compares single pictures: it does not go with --by", code="bad_groups")
