"""Compute the requests of many threads together: what comes while one batch is computed makes the next."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Input = TypeVar("Input")
Output = TypeVar("Output")


class Batcher(Generic[Input, Output]):
    """Compute for many threads at once.

    `compute`: takes a key and the values of requests with it, and returns an output for each, in that order. Never
        called by two threads at the same time.
    `max_weight`: of a batch; a single request may weigh more.
    `weight`: of the value of a request; 1 if not stated.
    `sizes`: number of batches by weight.

    Notes
    -----
    There is no thread of its own and no clock. A thread that finds nobody computing does so itself, at once; those that
    come meanwhile wait, and when it is done the one that waits longest goes on with all that have its key. So nobody
    ever waits for company, and batches grow just when computing is what holds up the others. Each thread has at most
    one request here, which bounds the memory.

    >>> squares = Batcher(lambda key, numbers: [n * n for n in numbers], max_weight=16)
    >>> squares("numbers", 7)
    49
    """

    def __init__(
        self,
        compute: Callable[[Hashable, Sequence[Input]], Sequence[Output]],
        *,
        max_weight: int,
        weight: Callable[[Input], int] = lambda value: 1,
    ) -> None:
        self.max_weight = max_weight
        self.sizes: Counter[int] = Counter()
        self._compute, self._weight = compute, weight
        self._waiting: deque[_Request[Input, Output]] = deque()
        self._has_leader = False  # some thread computes, or was called to
        self._lock = threading.Lock()

    def __call__(self, key: Hashable, value: Input) -> Output:
        """Compute the output of one request; block until then.

        Raises Exception: that of `compute` for this request alone: a batch that fails is halved until the culprit
            stands alone.
        """
        request = _Request[Input, Output](key, value)
        try:
            with self._lock:
                self._waiting.append(request)
                if not self._has_leader:
                    self._call_next_leader()
            request.called.wait()
            if request.leads:
                self._lead(request)
        except BaseException:  # this thread was interrupted, and nobody may wait for its request
            with self._lock:
                if request in self._waiting:
                    self._waiting.remove(request)
                if request.leads:
                    request.leads = False
                    self._call_next_leader()
            raise
        return request.result()

    def _lead(self, request: _Request[Input, Output]) -> None:
        """Compute the batch that begins with a request, then leave the lead to whoever waits longest."""
        batch: list[_Request[Input, Output]] = []
        others: deque[_Request[Input, Output]] = deque()
        left = self.max_weight
        with self._lock:
            for queued in self._waiting:  # longest waiting first
                weight = self._weight(queued.value) if queued.key == request.key else 0
                if queued.key == request.key and (weight <= left or not batch):
                    batch.append(queued)
                    left -= weight
                else:
                    others.append(queued)
            self._waiting = others
        try:
            self._settle(batch)
        finally:  # also after an interrupt, which is this thread's alone: the others are computed by the next
            with self._lock:
                unsettled = [queued for queued in batch if queued is not request and not queued.settled]
                self._waiting.extendleft(reversed(unsettled))
                request.leads = False
                self._call_next_leader()

    def _settle(self, batch: list[_Request[Input, Output]]) -> None:
        """Give each its result or its error."""
        try:
            outputs = self._compute(batch[0].key, [queued.value for queued in batch])
            if len(outputs) != len(batch):
                raise ValueError(f"{len(outputs)} results for {len(batch)} requests")
        except Exception as error:  # handed to the thread whose request it is, which raises it
            if len(batch) == 1:
                batch[0].fail(error)
                return
            middle = len(batch) // 2
            self._settle(batch[:middle])
            self._settle(batch[middle:])
            return
        self.sizes[sum(self._weight(queued.value) for queued in batch)] += 1
        for queued, output in zip(batch, outputs, strict=True):
            queued.succeed(output)

    def _call_next_leader(self) -> None:
        self._has_leader = bool(self._waiting)
        if self._has_leader:
            self._waiting[0].call_to_lead()


class _Request(Generic[Input, Output]):
    """Request of one thread, until it is settled."""

    def __init__(self, key: Hashable, value: Input) -> None:
        self.key, self.value = key, value
        self.called = threading.Event()  # to lead, or to fetch the result
        self.leads = self.settled = False
        self._output: list[Output] = []
        self._error: Exception | None = None

    def call_to_lead(self) -> None:
        self.leads = True
        self.called.set()

    def succeed(self, output: Output) -> None:
        self._output.append(output)
        self.settled = True
        self.called.set()

    def fail(self, error: Exception) -> None:
        self._error, self.settled = error, True
        self.called.set()

    def result(self) -> Output:
        if self._error is not None:
            raise self._error
        return self._output[0]
