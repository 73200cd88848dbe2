"""Which task is given up after a crash, and which is tried again."""

from __future__ import annotations

from mediaan.execution.retry import RetryQueue, WorkerExit
from mediaan.execution.tasks import RunHooks, TaskLimits

DIED = WorkerExit("it died", "it died")


def test_what_died_in_company_is_tried_alone_before_it_is_given_up() -> None:
    queue: RetryQueue[str] = RetryQueue(["harmless", "deadly"], TaskLimits(max_crashes=1), RunHooks())
    harmless, deadly = queue.first_tries()
    assert list(queue.add_crashed([harmless, deadly], DIED)) == []
    assert list(queue.isolated) == [harmless, deadly]
    ((given_up, crashed),) = queue.add_crashed([deadly], DIED)
    assert (given_up, crashed.code) == (deadly, "worker_died")
