"""A session on a GPU without one: batches, memory, faults, and that a device is had or refused."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_gpu import BROKEN, FULL, FakeOrt, FakeRuntime, RecordingSession, pretend_cuda
from tiny_onnx import write_card, write_model

from mediaan.errors import AnalysisError, SetupError
from mediaan.saliency import load_frame_predictor, load_predictor
from mediaan.saliency.onnx import session as sessions
from mediaan.saliency.onnx.gpu import PROVIDER_OPTIONS, GpuSession, PinnedBuffer, cuda_runtime, free_gpu_bytes
from mediaan.saliency.onnx.session import open_session, run_outputs
from mediaan.vision.appearance import AppearanceReader
from mediaan.vision.objects.detector import load_detector

SHAPES = ((64, 96), (96, 64), (64, 64))


def frames(count: int, seed: int = 0) -> list[np.ndarray]:
    """One to three frames each, of three shapes."""
    random = np.random.default_rng(seed)
    return [random.integers(0, 256, (1 + i % 3, *SHAPES[i * 7 % 3], 3)).astype(np.uint8) for i in range(count)]


def side_by_side(call: Callable[[Any], Any], given: list[Any], threads: int = 8) -> list[Any]:
    """What a call makes of each, or its error, with many threads that take turns."""
    found: list[Any] = [None] * len(given)

    def work(k: int) -> None:
        for i in range(k, len(given), threads):
            try:
                found[i] = call(given[i])
            except Exception as error:
                found[i] = error

    running = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
        assert not thread.is_alive()
    return found


def test_every_predictor_says_the_same_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = (load_predictor(device="cpu", threads=1), load_frame_predictor(device="cpu", threads=1))
    objects, appearance = load_detector(device="cpu", threads=1), AppearanceReader(device="cpu", threads=1)
    opened = pretend_cuda(monkeypatch)
    together = (load_predictor(device="cuda"), load_frame_predictor(device="auto"))
    other_objects, other_appearance = load_detector(device="cuda"), AppearanceReader(device="cuda")
    assert [one.device for one in (*together, other_objects, other_appearance)] == ["cuda"] * 4
    assert len(opened) == 4
    given = frames(24, seed=1)
    for bare, batched in zip(alone, together, strict=True):
        for x, found in zip(given, side_by_side(batched.predict, given), strict=True):
            for density, expected in zip(found, bare.predict(x), strict=True):
                for window in ("start", "end", "total"):
                    np.testing.assert_allclose(density[window], expected[window], rtol=1e-4, atol=1e-9)
    for x, found in zip(given, side_by_side(other_objects.detect, given), strict=True):
        for some, expected in zip(found, objects.detect(x), strict=True):
            assert [one.type for one in some] == [one.type for one in expected]
            np.testing.assert_allclose(
                [one.confidence for one in some], [one.confidence for one in expected], atol=1e-4
            )
    for x, seen in zip(given, side_by_side(lambda x: other_appearance.read(x[0]), given), strict=True):
        np.testing.assert_allclose(seen.features, appearance.read(x[0]).features, rtol=1e-4, atol=1e-4)
    assert all(max(session.batch_sizes) > 1 for session in opened)


def test_a_model_of_a_fixed_batch_is_asked_for_one_after_the_other(tmp_path: Path, monkeypatch: Any) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", batch=1)
    card = write_card(tmp_path, sha256=sha256, pixels=96 * 64)
    bare = load_predictor(card, "cpu")
    (opened,) = (pretend_cuda(monkeypatch),)
    batched = load_predictor(card, "cuda")
    given = frames(40)
    for x, found in zip(given, side_by_side(batched.predict, given), strict=True):
        for density, expected in zip(found, bare.predict(x), strict=True):
            np.testing.assert_array_equal(density["total"], expected["total"])
    assert set(opened[0].batch_sizes) == {1}


def test_inputs_go_through_one_block_of_locked_memory_and_results_do_not_lie_there() -> None:
    runtime, bare = FakeRuntime(), RecordingSession()
    sessions_there = [GpuSession(bare, buffer=PinnedBuffer(runtime))]
    assert not sessions_there[0].pinned
    given = frames(60)
    found = side_by_side(lambda x: sessions_there[0].run(["rows", "sum"], {"x": x}), given)
    assert sessions_there[0].pinned
    for x, (rows, sums) in zip(given, found, strict=True):
        np.testing.assert_array_equal(rows, x.astype(np.float32) + 1)
        np.testing.assert_array_equal(sums, x.astype(np.float32) + 2)
    largest = max(np.prod(shape) for _, shape, _, _ in bare.calls)
    addresses = [address for _, _, address, _ in bare.calls]
    assert addresses[-1] in runtime.held
    assert len(runtime.held) == 1, "blocks that were too small are given back"
    assert set(addresses) == {*runtime.held, *runtime.freed}
    assert len(next(iter(runtime.held.values()))) < largest + 512
    assert all(names == ("rows", "sum") for *_, names in bare.calls)
    sessions_there.clear()
    gc.collect()
    assert not runtime.held


def test_memory_that_cannot_be_locked_serves_unlocked() -> None:
    runtime = FakeRuntime(most_bytes=0)
    buffer = PinnedBuffer(runtime)
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(buffer.stack([x, x + 1]), np.concatenate([x, x + 1]))
    assert not buffer.pinned
    assert runtime.errors_cleared == 1, "the next call of the runtime would be blamed"


def test_free_memory_of_the_gpu() -> None:
    assert free_gpu_bytes(FakeRuntime(free_bytes=7 * 10**9)) == 7 * 10**9
    assert free_gpu_bytes(FakeRuntime()) is None
    assert free_gpu_bytes(None) is None
    assert cuda_runtime() is None or hasattr(cuda_runtime(), "cudaHostAlloc")


@pytest.mark.parametrize(
    ("first", "outputs"), [(1, ("sum",)), ("other", ("sum",)), ("n", ())], ids=["fixed", "another axis", "any"]
)
def test_what_may_be_put_together(first: object, outputs: tuple[str, ...]) -> None:
    session = GpuSession(RecordingSession(first=first, outputs=outputs), buffer=PinnedBuffer(None))
    given = [np.full((1, 2, 2, 3), i, np.uint8) for i in range(200)]
    found = side_by_side(lambda x: session.run(["sum"], {"x": x})[0], given)
    assert [int(one[0, 0, 0, 0]) for one in found] == [i + 1 for i in range(200)]
    assert set(session.batch_sizes) == {1} if first != "n" else max(session.batch_sizes) <= 16


def test_outputs_without_the_batch_in_front_are_asked_for_one_by_one() -> None:
    """Their shape is not said, and shows when the first batch comes back."""

    class Rows(RecordingSession):
        def run_with_iobinding(self, binding: Any) -> None:
            super().run_with_iobinding(binding)
            binding.found = [np.concatenate([binding.x.reshape(-1, 6)] * 7)]

    session = GpuSession(Rows(outputs=()), buffer=PinnedBuffer(None))
    given = [np.full((1, 2, 2, 3), i, np.uint8) for i in range(100)]
    found = side_by_side(lambda x: session.run(["sum"], {"x": x})[0], given)
    assert [one.shape for one in found] == [(14, 6)] * 100
    assert [int(one[0, 0]) for one in found] == list(range(100))
    assert set(session.batch_sizes) == {1}


def test_batches_shrink_to_what_fits_into_the_memory_of_the_gpu() -> None:
    bare = RecordingSession(fits=2)
    session = GpuSession(bare, buffer=PinnedBuffer(None))
    given = [np.full((1, 2, 2, 3), i % 250, np.uint8) for i in range(300)]
    found = side_by_side(lambda x: session.run(["sum"], {"x": x})[0], given)
    assert [int(one[0, 0, 0, 0]) for one in found] == [i % 250 + 1 for i in range(300)]
    assert set(session.batch_sizes) <= {1, 2}
    assert sum(shape[0] > 2 for _, shape, _, _ in bare.calls) <= 3, "each is smaller than the one that did not fit"


@pytest.mark.parametrize(
    ("fault", "code", "remedy"),
    [
        (FULL, "gpu_memory", r"--workers.*--device cpu"),
        ("CUDNN failure 4: CUDNN_STATUS_ALLOC_FAILED ; GPU=0", "gpu_memory", "--workers"),
        ("CUDNN failure 4004: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ; GPU=0", "gpu_memory", "--workers"),
        ("CUBLAS failure 3: the resource allocation failed ; GPU=0", "gpu_memory", "--workers"),
        ("CUDA failure 2: out of memory ; GPU=0", "gpu_memory", "--workers"),
        (BROKEN, "gpu_failed", "run the same command again"),
        ("CUDNN failure 5003: CUDNN_STATUS_EXECUTION_FAILED_CUDART ; GPU=0", "gpu_failed", "the same command"),
        ("CUDNN_FE failure 11: CUDNN_BACKEND_API_FAILED ; GPU=0", "gpu_failed", "run the same command again"),
        ("CUBLAS failure 13: the function failed to launch on the GPU ; GPU=0", "gpu_failed", "the same command"),
    ],
)
def test_a_gpu_that_is_full_or_broken_ends_the_run_with_the_remedy(fault: str, code: str, remedy: str) -> None:
    session = GpuSession(RecordingSession(fits=0, fault=fault), buffer=PinnedBuffer(None))
    x = np.zeros((1, 2, 2, 3), np.uint8)
    for error in side_by_side(lambda x: run_outputs(session, x, "attention", ("sum",)), [x] * 20):
        assert isinstance(error, SetupError)
        assert error.code == code
    with pytest.raises(SetupError, match=remedy):
        run_outputs(session, x, "attention", ("sum",))


@pytest.mark.parametrize(
    "fault",
    [
        "Non-zero status code while running Reshape",
        "CUDNN failure 3002: CUDNN_STATUS_NOT_SUPPORTED_SHAPE ; GPU=0",
        "CUDNN_FE failure 8: HEURISTIC_QUERY_FAILED ; GPU=0",
        "CUBLAS failure 15: the requested functionality is not supported ; GPU=0",
    ],
)
def test_what_cannot_be_computed_is_the_fault_of_its_picture(fault: str) -> None:
    session = GpuSession(RecordingSession(fits=1, fault=fault))
    good, bad = np.zeros((1, 2, 2, 3), np.uint8), np.zeros((2, 2, 2, 3), np.uint8)
    found = side_by_side(lambda x: run_outputs(session, x, "attention", ("sum",)), [good, bad, good, good] * 10)
    for i, one in enumerate(found):
        if i % 4 == 1:
            assert isinstance(one, AnalysisError)
            assert one.code == "model_failed"
        else:
            assert one[0].shape == (1, 2, 2, 3)


@pytest.fixture
def with_ort(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeOrt]:
    """Put another runtime in the place of the real one, on a machine with a driver."""

    def put(*gives: Any) -> FakeOrt:
        fake = FakeOrt(gives=gives)
        monkeypatch.setattr(sessions, "ort", fake)
        monkeypatch.setattr(sessions.ctypes, "CDLL", lambda name: None)
        monkeypatch.setattr(sessions, "_had_cuda", False)
        return fake

    return put


CUDA = ("CUDAExecutionProvider", "CPUExecutionProvider")
CPU = ("CPUExecutionProvider",)


def test_a_session_on_the_gpu_is_asked_for_without_a_way_back_to_the_cpu(with_ort: Any) -> None:
    fake = with_ort(CUDA)
    session, device = open_session(b"", device="cuda")
    assert device == "cuda"
    assert isinstance(session, GpuSession)
    ((providers, other),) = fake.asked
    assert providers == [("CUDAExecutionProvider", PROVIDER_OPTIONS), "CPUExecutionProvider"]
    assert other == {"enable_fallback": 0}


def test_the_real_runtime_takes_what_it_is_given(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.onnx")
    session, device = open_session((tmp_path / "tiny.onnx").read_bytes(), device="cpu")
    assert device == "cpu"
    assert not session._enable_fallback
    assert type(session).__name__ == "InferenceSession", "nothing stands between on the CPU"


def test_a_runtime_that_lists_cuda_and_gives_the_cpu(with_ort: Any) -> None:
    with_ort(CPU)
    with pytest.raises(SetupError, match="cuda was asked for") as caught:
        open_session(b"", device="cuda")
    assert caught.value.code == "no_cuda"
    assert open_session(b"", device="auto")[1] == "cpu"


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_a_later_model_that_does_not_get_the_gpu_is_an_error(with_ort: Any, device: str) -> None:
    with_ort(CUDA, CUDA, CPU)
    assert [open_session(b"", device=device)[1] for _ in range(2)] == ["cuda", "cuda"]
    with pytest.raises(SetupError) as caught:
        open_session(b"", device=device)
    assert caught.value.code == "no_cuda"
    assert open_session(b"", device="cpu")[1] == "cpu"


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_a_gpu_that_is_full_already_is_told_as_such(with_ort: Any, device: str) -> None:
    with_ort(RuntimeError(FULL))
    with pytest.raises(SetupError, match=r"memory of the GPU is full.*--workers") as caught:
        open_session(b"", device=device)
    assert caught.value.code == "gpu_memory"
