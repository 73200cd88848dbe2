"""Hold a lease on an object storage, renewed again and again, in place of a lock, which stores do not have."""

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
from mediaan.storage.base import Storage

LEASE_FILE = "run.lock"
RENEWED_EVERY_S = 15.0
STALE_S = 60.0
"""A lease that was not renewed for so long, by the store's own clock, has run out."""


@dataclass(frozen=True, slots=True)
class LeaseHolder:
    """The content of a lease file: the process that holds the lease."""

    lease: str
    host: str
    pid: int
    started: float
    at: float

    @classmethod
    def of_this_process(cls, lease: str) -> LeaseHolder:
        """Describe this process."""
        return cls(lease, socket.gethostname(), os.getpid(), _start_time(os.getpid()) or 0.0, time.time())

    @property
    def is_dead(self) -> bool:
        """True if it is known to have ended: a process of this machine that is gone."""
        return self.host == socket.gethostname() and _start_time(self.pid) != self.started


class Lease:
    """A lease that is held; see `hold_lease`."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._id = storage, uuid4().hex
        self._has_ended = Event()

    def is_of(self, holder: LeaseHolder) -> bool:
        """Return True if this is the lease that a lease file names."""
        return holder.lease == self._id

    def check(self) -> None:
        """Make sure that nobody has taken it over, as others may after a long silence of this process or its network.

        Raises UsageError: ``run_locked``: someone has.
        Raises SetupError: the store cannot be reached.
        """
        holder = _read_holder(self._storage)
        if holder is not None and not self.is_of(holder):
            raise UsageError(
                f"--out {self._storage.display_name}: process {holder.pid} on {holder.host} has taken it over, because "
                "this one gave no sign of life for too long; what it has done is kept, and the other goes on from "
                "there",
                code="run_locked",
            )

    def renew(self) -> None:
        """Write it again."""
        content = json.dumps(asdict(LeaseHolder.of_this_process(self._id)))
        self._storage.write(LEASE_FILE, f"{content}\n".encode())

    def keep_renewing(self) -> None:
        """Renew it until it ends, or someone has taken it over."""
        while not self._has_ended.wait(RENEWED_EVERY_S):
            with suppress(SetupError):  # whoever works will notice that the store is gone
                try:
                    self.check()
                except UsageError:  # told when the tables are sent
                    return
                self.renew()

    def end(self) -> None:
        """Stop renewing it."""
        self._has_ended.set()

    def release(self) -> None:
        """Remove it; what another holds is left alone."""
        with suppress(SetupError, UsageError):  # it runs out by itself
            self.check()
            self._storage.remove(LEASE_FILE)


@contextmanager
def hold_lease(storage: Storage) -> Iterator[Lease]:
    """Be the only one who writes to a storage, as far as others heed leases.

    Stores have no locks, so two who come at the very same moment can both get in. What workers write is whole and the
    same in any order, so the lease saves them work; it is checked again (`Lease.check`) before tables are sent, which
    follow from the files that each was given.

    Raises UsageError: ``run_locked``: someone else holds it and renewed it in the last minute.
    Raises SetupError: the store cannot be reached, or refuses to be written to.
    """
    lease = Lease(storage)
    if (holder := _read_holder(storage)) is not None and not holder.is_dead:
        left_s = STALE_S - _silence_s(storage, holder)
        if left_s > 0:
            raise _held_error(storage, holder, left_s)
    lease.renew()
    if (holder := _read_holder(storage)) is not None and not lease.is_of(holder):
        raise _held_error(storage, holder, STALE_S)
    thread = Thread(target=lease.keep_renewing, daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        lease.end()
        thread.join()
        lease.release()


def _held_error(storage: Storage, holder: LeaseHolder, left_s: float) -> UsageError:
    return UsageError(
        f"--out {storage.display_name}: process {holder.pid} on {holder.host} is writing it; wait until that has "
        f"ended, or name another place. If it is dead, its hold runs out in {max(1, round(left_s))} s",
        code="run_locked",
    )


def _read_holder(storage: Storage) -> LeaseHolder | None:
    try:
        return LeaseHolder(**json.loads(storage.read(LEASE_FILE)))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _silence_s(storage: Storage, holder: LeaseHolder) -> float:
    """Return the age of the lease, by the store's clock; by those of the machines where it tells no times."""
    renewed = storage.find(LEASE_FILE)
    probe = f"{LEASE_FILE}.{uuid4().hex}"  # a file that is written now has the store's own time
    storage.write(probe, b"")
    now = storage.find(probe)
    storage.remove(probe)
    if renewed is None:
        return STALE_S
    try:
        return float(now.stamp if now else "") - float(renewed.stamp)
    except ValueError:
        return time.time() - holder.at


def _start_time(pid: int) -> float | None:
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None
