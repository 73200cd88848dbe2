"""A lease on a place of an object store: who writes there says so, again and again, and is believed for a while."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from threading import Event, Thread
from uuid import uuid4

from mediaan.errors import SetupError, UsageError
from mediaan.storage.place import Storage

LEASE_FILE = "run.lock"
RENEWED_EVERY_S = 15.0
STALE_S = 60.0
"""A holder that was silent for so long, by the store's own clock, is taken for dead."""


@dataclass(frozen=True, slots=True)
class LeaseHolder:
    """Who holds a lease."""

    lease: str
    host: str
    pid: int
    started: float
    at: float

    @classmethod
    def me(cls, lease: str) -> LeaseHolder:
        """This process."""
        return cls(lease, socket.gethostname(), os.getpid(), _start_of(os.getpid()) or 0.0, time.time())

    @property
    def is_dead(self) -> bool:
        """Whether it is known to be: a process of this machine that has ended."""
        return self.host == socket.gethostname() and _start_of(self.pid) != self.started


class Lease:
    """A lease that is held; see `hold_lease`."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._id = storage, uuid4().hex
        self._ended = Event()

    def is_of(self, holder: LeaseHolder) -> bool:
        """Whether it is this one that a place names."""
        return holder.lease == self._id

    def check(self) -> None:
        """Make sure that nobody has taken it over, as others may after a long silence of this process or its network.

        Raises
        ------
        UsageError
            ``run_locked``: someone has.
        SetupError
            The store cannot be reached.
        """
        holder = _holder(self._storage)
        if holder is not None and not self.is_of(holder):
            raise UsageError(
                f"--out {self._storage.display_name}: process {holder.pid} on {holder.host} has taken it over, "
                "because this one "
                "gave no sign of life for too long; what it has done is kept, and the other goes on from there",
                code="run_locked",
            )

    def renew(self) -> None:
        """Give a sign of life."""
        self._storage.write(LEASE_FILE, (json.dumps(asdict(LeaseHolder.me(self._id))) + "\n").encode())

    def keep_up(self) -> None:
        """Renew it until it is given back, or someone has taken it over."""
        while not self._ended.wait(RENEWED_EVERY_S):
            with suppress(SetupError):  # whoever works will notice that the store is gone
                try:
                    self.check()
                except UsageError:  # told when the tables are sent
                    return
                self.renew()

    def end(self) -> None:
        """Renew it no more."""
        self._ended.set()

    def give_back(self) -> None:
        """Remove it; what another holds is left alone."""
        with suppress(SetupError, UsageError):  # it runs out by itself
            self.check()
            self._storage.remove(LEASE_FILE)


@contextmanager
def hold_lease(storage: Storage) -> Iterator[Lease]:
    """Be the only one who writes to a place, as far as others heed this.

    Stores have no locks, so two who come at the very same moment can both get in. What workers write is whole and the
    same in any order, so the lease saves them work; before tables are sent, which follow from the files that each was
    given, it is looked at again (`Lease.check`).

    Parameters
    ----------
    storage : Storage

    Raises
    ------
    UsageError
        ``run_locked``: someone else holds it and gave a sign of life in the last minute.
    SetupError
        The store cannot be reached, or refuses to be written to.
    """
    lease = Lease(storage)
    _refuse_if_held(storage)
    lease.renew()
    if (holder := _holder(storage)) is not None and not lease.is_of(holder):
        raise UsageError(_refusal(storage, holder, STALE_S), code="run_locked")
    thread = Thread(target=lease.keep_up, daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        lease.end()
        thread.join()
        lease.give_back()


def _refuse_if_held(storage: Storage) -> None:
    holder = _holder(storage)
    if holder is None or holder.is_dead:
        return
    left_s = STALE_S - _silence_s(storage, holder)
    if left_s > 0:
        raise UsageError(_refusal(storage, holder, left_s), code="run_locked")


def _refusal(storage: Storage, holder: LeaseHolder, left_s: float) -> str:
    return (
        f"--out {storage.display_name}: process {holder.pid} on {holder.host} is writing it; wait until that has "
        f"ended, or name another place. If it is dead, its hold runs out in {max(1, round(left_s))} s"
    )


def _holder(storage: Storage) -> LeaseHolder | None:
    try:
        return LeaseHolder(**json.loads(storage.read(LEASE_FILE)))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _silence_s(storage: Storage, holder: LeaseHolder) -> float:
    """How long ago the lease was renewed, by the store's clock; by those of the machines where it tells no times."""
    renewed, now = storage.find(LEASE_FILE), _clock(storage)
    if renewed is None:
        return STALE_S
    try:
        return float(now) - float(renewed.stamp)
    except ValueError:
        return time.time() - holder.at


def _clock(storage: Storage) -> str:
    """What the store says of the time: that of a file that is written now."""
    probe = f"{LEASE_FILE}.{uuid4().hex}"
    storage.write(probe, b"")
    found = storage.find(probe)
    storage.remove(probe)
    return found.stamp if found else ""


def _start_of(pid: int) -> float | None:
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None
