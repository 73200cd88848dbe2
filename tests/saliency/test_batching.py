"""Requests of many threads, put together: each gets its own result, whatever happens to the others."""

from __future__ import annotations

import gc
import signal
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from mediaan.saliency.onnx.gpu import Batcher

PATIENCE_S = 60.0

Threads = tuple[list[threading.Thread], list[object]]


class Squares:
    """What is computed in these tests, with a gate before it and a record of every batch."""

    def __init__(self) -> None:
        self.batches: list[tuple[Hashable, list[int]]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.bad: set[int] = set()
        self._busy = threading.Lock()

    def __call__(self, key: Hashable, given: Sequence[int]) -> list[int]:
        assert self._busy.acquire(blocking=False), "two threads compute at the same time"
        try:
            self.entered.set()
            assert self.gate.wait(PATIENCE_S)
            self.batches.append((key, list(given)))
            if culprits := self.bad.intersection(given):
                raise ValueError(f"cannot compute {sorted(culprits)}")
            return [number * number for number in given]
        finally:
            self._busy.release()


def start(*calls: Callable[[], object], lined_up: Callable[[int], bool] = lambda i: True) -> Threads:
    """Start calls in threads, the next where the one before has lined up; return threads and results, or errors."""
    results: list[object] = [None] * len(calls)

    def run(i: int) -> None:
        try:
            results[i] = calls[i]()
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(calls))]
    for i, thread in enumerate(threads):
        thread.start()
        wait_until(lambda i=i: lined_up(i))
    return threads, results


def join(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "a thread waits for ever"


@contextmanager
def behind_a_batch(
    squares: Squares, batcher: Batcher[int, int], *calls: Callable[[], object]
) -> Iterator[list[object]]:
    """Calls that line up, in this order, while another is computed; what came of them is there afterwards."""
    squares.gate.clear()
    squares.entered.clear()
    first, _ = start(lambda: batcher("first", 0))
    assert squares.entered.wait(PATIENCE_S)
    threads, results = start(*calls, lined_up=lambda i: len(batcher._waiting) == i + 1)
    yield results
    squares.gate.set()
    join([*first, *threads])


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_thousands_of_requests_each_get_their_own_result() -> None:
    squares = Squares()
    batcher = Batcher(squares, max_weight=5)

    def caller(seed: int) -> list[bool]:
        random = np.random.default_rng(seed)
        numbers = random.integers(0, 10**6, 400).tolist()
        return [batcher(number % 3, number) == number**2 for number in numbers]

    threads, results = start(*(lambda seed=seed: caller(seed) for seed in range(12)))
    join(threads)
    assert results == [[True] * 400] * 12
    assert sum(len(given) for _, given in squares.batches) == 12 * 400
    assert all({number % 3 for number in given} == {key} for key, given in squares.batches)
    assert max(len(given) for _, given in squares.batches) <= 5
    assert batcher.sizes == {
        n: sum(len(given) == n for _, given in squares.batches) for n in {len(given) for _, given in squares.batches}
    }


def test_a_request_alone_is_computed_at_once_and_by_its_own_thread() -> None:
    batcher = Batcher(lambda key, given: [threading.get_ident()] * len(given), max_weight=16)
    assert batcher("key", 1) == threading.get_ident()


def test_what_comes_while_a_batch_is_computed_is_the_next_batch() -> None:
    squares = Squares()
    batcher = Batcher(squares, max_weight=4)
    with behind_a_batch(squares, batcher, *(lambda n=n: batcher("all", n) for n in range(1, 7))) as found:
        pass
    assert found == [1, 4, 9, 16, 25, 36]
    assert squares.batches == [("first", [0]), ("all", [1, 2, 3, 4]), ("all", [5, 6])]


def test_the_longest_waiting_goes_first_and_takes_those_of_its_key_along() -> None:
    squares = Squares()
    batcher = Batcher(squares, max_weight=4)
    keys = "aabacb"
    with behind_a_batch(squares, batcher, *(lambda i=i: batcher(keys[i], i) for i in range(6))) as found:
        pass
    assert found == [i * i for i in range(6)]
    assert squares.batches[1:] == [("a", [0, 1, 3]), ("b", [2, 5]), ("c", [4])]


def test_a_batch_has_a_weight_at_most_and_one_that_weighs_more_goes_alone() -> None:
    squares = Squares()
    batcher = Batcher(squares, max_weight=5, weight=lambda number: number)
    with behind_a_batch(squares, batcher, *(lambda n=n: batcher("all", n) for n in (2, 9, 3, 4))) as found:
        pass
    assert found == [4, 81, 9, 16]
    assert squares.batches[1:] == [("all", [2, 3]), ("all", [9]), ("all", [4])]
    assert batcher.sizes == {0: 1, 5: 1, 9: 1, 4: 1}


@pytest.mark.parametrize("bad", [{3}, {0, 7}, set(range(8))])
def test_a_bad_request_fails_alone(bad: set[int]) -> None:
    squares = Squares()
    squares.bad = {100 + n for n in bad}
    batcher = Batcher(squares, max_weight=8)
    with behind_a_batch(squares, batcher, *(lambda n=n: batcher("all", 100 + n) for n in range(8))) as found:
        pass
    for n, result in enumerate(found):
        if n in bad:
            assert isinstance(result, ValueError)
            assert str(result) == f"cannot compute [{100 + n}]"
        else:
            assert result == (100 + n) ** 2
    if len(bad) == 1:  # the batch, and two halves on each way down to the culprit
        assert len(squares.batches) == 1 + 1 + 2 * 3


def test_a_computation_that_gives_too_few_results_is_an_error_for_all() -> None:
    batcher: Batcher[int, int] = Batcher(lambda key, given: [], max_weight=8)
    with pytest.raises(ValueError, match="0 results for 1 requests"):
        batcher("all", 1)


def test_a_leader_that_is_interrupted_leaves_the_others_to_the_next() -> None:
    """An interrupt is one thread's own affair: those who share its batch still get their results."""
    squares, interrupted = Squares(), []

    def compute(key: Hashable, given: Sequence[int]) -> list[int]:
        if key == "all" and not interrupted:
            interrupted.append(threading.get_ident())
            raise KeyboardInterrupt
        return squares(key, given)

    batcher = Batcher(compute, max_weight=4)
    with behind_a_batch(squares, batcher, *(lambda n=n: batcher("all", n) for n in range(1, 6))) as found:
        pass
    assert isinstance(found[0], KeyboardInterrupt)
    assert found[1:] == [4, 9, 16, 25]
    assert batcher("all", 6) == 36


def test_a_waiting_thread_that_is_interrupted_is_forgotten() -> None:
    """Only the main thread can be interrupted while it waits; this test is that thread."""
    squares = Squares()
    batcher = Batcher(squares, max_weight=4)
    main = threading.main_thread().ident
    assert main == threading.get_ident()

    def interrupt_when_it_waits() -> None:
        wait_until(lambda: len(batcher._waiting) == 2)
        signal.pthread_kill(main, signal.SIGINT)

    with behind_a_batch(squares, batcher, lambda: batcher("all", 2)) as found:
        threading.Thread(target=interrupt_when_it_waits, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            batcher("all", 1)
    assert found == [4]
    assert squares.batches == [("first", [0]), ("all", [2])]


def test_nothing_that_was_given_or_made_is_kept() -> None:
    batcher = Batcher(lambda key, given: [array + 1 for array in given], max_weight=4)
    given = np.zeros(9)
    made = batcher("all", given)
    kept = weakref.ref(given), weakref.ref(made)
    del given, made
    gc.collect()
    assert [one() for one in kept] == [None, None]
