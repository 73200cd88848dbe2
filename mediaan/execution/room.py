"""How many workers a cluster has room for, and what it lacks where it has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mediaan.errors import SetupError

if TYPE_CHECKING:
    from mediaan.execution.cluster import Cluster

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Need:
    """What one worker takes of a machine."""

    cpus: float
    gpus: float

    def fits(self, machine: Mapping[str, float]) -> int:
        """How many workers fit on a machine.

        Examples
        --------
        >>> Need(cpus=1, gpus=0).fits({"CPU": 8.0}), Need(cpus=1, gpus=0.25).fits({"CPU": 8.0, "GPU": 1.0})
        (8, 4)
        """
        shares = [(self.cpus, machine.get("CPU", 0)), (self.gpus, machine.get("GPU", 0))]
        return min(int(there / wanted + 1e-6) for wanted, there in shares if wanted > 0)

    def __str__(self) -> str:
        gpus = f" and {self.gpus:g} GPU" if self.gpus else ""
        return f"{self.cpus:g} CPU{gpus}"


class Room:
    """Room for workers on the machines of a cluster.

    Parameters
    ----------
    cluster : Cluster
    need : Need
        Of each worker.
    workers : int or None
        As many as were asked for; None: as many as there is room for.
    patience_s : float
        How long there may be none at all.
    """

    def __init__(self, cluster: Cluster, need: Need, workers: int | None, patience_s: float) -> None:
        self._cluster, self._need, self._workers, self._patience_s = cluster, need, workers, patience_s
        self._empty_since: float | None = None
        self.look()

    def look(self) -> None:
        """See which machines there are now."""
        self._machines = self._cluster.living()

    def has_lost(self, node_id: str) -> bool:
        """Whether a machine is gone."""
        return node_id not in self._machines

    @property
    def workers(self) -> int:
        """How many workers there shall be; at least one, so that a cluster that can grow learns that it should."""
        return self._workers or max(1, self._size())

    def check(self, now: float, *, is_empty: bool) -> None:
        """Complain when there has been no worker for too long, or can never be one.

        Raises
        ------
        SetupError
        """
        self._empty_since = (self._empty_since or now) if is_empty else None
        never = self._cluster.is_own and not self._size()
        if self._empty_since is not None and (never or now - self._empty_since > self._patience_s):
            raise SetupError(self._complaint(), code="no_room")

    def _size(self) -> int:
        return sum(self._need.fits(machine) for machine in self._machines.values())

    def _complaint(self) -> str:
        each = [
            f"{machine.get('CPU', 0):g} CPU and {machine.get('GPU', 0):g} GPU" for machine in self._machines.values()
        ]
        shown = "; ".join(each[:_SHOWN]) + (" ..." if len(each) > _SHOWN else "")
        return (
            f"the Ray cluster has no room for a worker, which takes {self._need} of one machine; it has {len(each)} "
            f"machine{'s' * (len(each) != 1)}: {shown}, which other work may hold (see: ray status)"
        )
