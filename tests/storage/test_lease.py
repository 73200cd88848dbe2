"""A lease on an object storage: renewed while it is held, and not held for long by the dead."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest
from s3_server import S3Server

from mediaan.errors import UsageError
from mediaan.storage import ObjectStorage, Storage, hold_lease, lease
from mediaan.storage.lease import LEASE_FILE, LeaseHolder


@pytest.fixture
def storage(s3: S3Server, bucket: str) -> ObjectStorage:
    return ObjectStorage(s3.url(f"{bucket}/run"))


def leave(storage: Storage, holder: LeaseHolder) -> None:
    storage.write(LEASE_FILE, json.dumps(asdict(holder)).encode())


def test_one_at_a_time(storage: ObjectStorage) -> None:
    refused = pytest.raises(UsageError, match=f"process {os.getpid()} on .* is writing it")
    with hold_lease(storage), refused as caught, hold_lease(storage):
        pass
    assert caught.value.code == "run_locked"
    with hold_lease(storage):
        pass
    assert list(storage.files()) == []


def test_the_dead_of_this_machine_hold_nothing(storage: ObjectStorage) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    leave(storage, replace(LeaseHolder.of_this_process("a"), pid=int(ended.stdout)))
    with hold_lease(storage):
        pass
    leave(storage, replace(LeaseHolder.of_this_process("a"), started=1.0))  # another process had the same number
    with hold_lease(storage):
        pass


def test_others_are_believed_for_a_while(storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    # the holder's clock does not count
    far_off = replace(LeaseHolder.of_this_process("a"), host=f"not-{socket.gethostname()}", at=0.0)
    leave(storage, far_off)
    with pytest.raises(UsageError, match=r"its hold runs out in ([3-5]\d|60) s"), hold_lease(storage):
        pass
    monkeypatch.setattr(lease, "STALE_S", 0.0)
    with hold_lease(storage):
        assert json.loads(storage.read(LEASE_FILE))["host"] == socket.gethostname()


def test_a_holder_renews(storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY_S", 0.05)
    with hold_lease(storage):
        found: set[float] = set()
        until = time.monotonic() + 30
        while len(found) < 2 and time.monotonic() < until:
            holder = lease._read_holder(storage)  # None where it is read while it is written
            found |= {holder.at} if holder else set()
    assert len(found) == 2


def test_what_is_no_lease_holds_nothing(storage: ObjectStorage) -> None:
    storage.write(LEASE_FILE, b"{half")
    with hold_lease(storage):
        pass


def test_what_another_took_over_is_told_and_left_alone(storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY_S", 0.2)
    other = replace(LeaseHolder.of_this_process("other"), host="elsewhere")
    with hold_lease(storage) as mine:
        mine.check()
        for _ in range(20):  # a renewal may be under way
            leave(storage, other)
            time.sleep(0.6)
            if json.loads(storage.read(LEASE_FILE))["lease"] == "other":
                break
        with pytest.raises(UsageError, match=rf"process {os.getpid()} on elsewhere has taken it over") as caught:
            mine.check()
    assert caught.value.code == "run_locked"
    assert json.loads(storage.read(LEASE_FILE))["lease"] == "other"
