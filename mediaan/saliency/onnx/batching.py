"""Compute the requests of many threads together: what comes while one batch is computed makes the next."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class Batcher(Generic[Given, Made]):
    """Computes for many threads at once.

    Parameters
    ----------
    compute : callable
        Takes a key and what threads gave under it, and returns what it made of each, in that order. Never called by two
        threads at the same time.
    most : int
        Weight of a batch, at most; a single request may weigh more.
    weight : callable
        What one request weighs; 1 if not said.

    Attributes
    ----------
    sizes : Counter of int
        How many batches there were of each weight.

    Notes
    -----
    There is no thread of its own and no clock. A thread that finds nobody computing does so itself, at once; those that
    come meanwhile wait, and when it is done the one that waits longest goes on with all that have its key. So nobody
    ever waits for company, and batches grow just when computing is what holds up the others. Each thread has at most
    one request here, which bounds the memory.

    Examples
    --------
    >>> squares = Batcher(lambda key, given: [n * n for n in given], most=16)
    >>> squares("numbers", 7)
    49
    """

    def __init__(
        self,
        compute: Callable[[Hashable, Sequence[Given]], Sequence[Made]],
        *,
        most: int,
        weight: Callable[[Given], int] = lambda given: 1,
    ) -> None:
        self.most = most
        self.sizes: Counter[int] = Counter()
        self._compute, self._weight = compute, weight
        self._waiting: deque[_Request[Given, Made]] = deque()
        self._led = False  # whether some thread computes, or was told to
        self._lock = threading.Lock()

    def __call__(self, key: Hashable, given: Given) -> Made:
        """What is made of one request; blocks until then.

        Raises
        ------
        Exception
            That of `compute` for this request alone: a batch that fails is halved until the culprit stands alone.
        """
        request = _Request[Given, Made](key, given)
        try:
            self._line_up(request)
            request.called.wait()
            if request.leads:
                self._lead(request)
        except BaseException:
            self._withdraw(request)
            raise
        return request.result()

    def _line_up(self, request: _Request[Given, Made]) -> None:
        with self._lock:
            self._waiting.append(request)
            if not self._led:
                self._pass_on()

    def _lead(self, request: _Request[Given, Made]) -> None:
        """Compute the batch that begins with a request, then leave the lead to whoever waits longest."""
        with self._lock:
            batch = self._take(request.key)
        try:
            self._settle(batch)
        finally:  # also after an interrupt, which is this thread's alone: the others are computed by the next
            with self._lock:
                left = [one for one in batch if one is not request and not one.settled]
                self._waiting.extendleft(reversed(left))
                request.leads = False
                self._pass_on()

    def _take(self, key: Hashable) -> list[_Request[Given, Made]]:
        """Requests of a key, longest waiting first, up to the weight of a batch."""
        batch: list[_Request[Given, Made]] = []
        others: deque[_Request[Given, Made]] = deque()
        room = self.most
        for one in self._waiting:
            weight = self._weight(one.given) if one.key == key else 0
            if one.key == key and (weight <= room or not batch):
                batch.append(one)
                room -= weight
            else:
                others.append(one)
        self._waiting = others
        return batch

    def _settle(self, batch: list[_Request[Given, Made]]) -> None:
        """Give each its result or its error."""
        try:
            made = self._compute(batch[0].key, [one.given for one in batch])
            if len(made) != len(batch):
                raise ValueError(f"{len(made)} results for {len(batch)} requests")
        except Exception as error:  # handed to the thread whose request it is, which raises it
            if len(batch) == 1:
                batch[0].fail(error)
                return
            middle = len(batch) // 2
            self._settle(batch[:middle])
            self._settle(batch[middle:])
            return
        self.sizes[sum(self._weight(one.given) for one in batch)] += 1
        for one, result in zip(batch, made, strict=True):
            one.succeed(result)

    def _pass_on(self) -> None:
        self._led = bool(self._waiting)
        if self._led:
            self._waiting[0].call_to_lead()

    def _withdraw(self, request: _Request[Given, Made]) -> None:
        """A thread was interrupted: nobody may wait for it."""
        with self._lock:
            if request in self._waiting:
                self._waiting.remove(request)
            if request.leads:
                request.leads = False
                self._pass_on()


class _Request(Generic[Given, Made]):
    """What one thread wants, until it is settled."""

    def __init__(self, key: Hashable, given: Given) -> None:
        self.key, self.given = key, given
        self.called = threading.Event()  # to lead, or to fetch the result
        self.leads = self.settled = False
        self._made: list[Made] = []
        self._error: Exception | None = None

    def call_to_lead(self) -> None:
        self.leads = True
        self.called.set()

    def succeed(self, made: Made) -> None:
        self._made.append(made)
        self.settled = True
        self.called.set()

    def fail(self, error: Exception) -> None:
        self._error, self.settled = error, True
        self.called.set()

    def result(self) -> Made:
        if self._error is not None:
            raise self._error
        return self._made[0]
