"""Units of work that travel to workers: analyze one file, or predict the densities of one image."""

from __future__ import annotations

import shutil
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

from mediaan.analysis.analyze import analyze_file
from mediaan.analysis.models import load_models
from mediaan.analysis.plan import DEFAULT_OPTIONS, MediumOptions, Plan
from mediaan.errors import AnalysisError, MediumError, SetupError
from mediaan.media import MediaFile, file_medium_id, local_copy, open_image
from mediaan.media.limits import translate_memory_errors
from mediaan.media.names import displayable
from mediaan.types.densities import Densities
from mediaan.types.result import Failed, Outcome, Result


@dataclass(frozen=True, slots=True)
class DensityPrediction:
    """The densities of one image, or why there are none."""

    outcome: Densities | Failed
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Mapping of str to float. Wall time to ``decode`` it to the model's view and to ``predict``, s."""


@dataclass(frozen=True, slots=True)
class DensityTask:
    """Predicts densities: callable and picklable, for many threads at once; a path in, a prediction out.

    `threads`: threads per prediction on the CPU; 0 leaves it to the runtime.
    `max_megapixels`: larger images are refused.
    `domain`: one of the model's domains; None: the model weighs them by itself.
    """

    model: str = "attention"
    device: str = "auto"
    threads: int = 0
    max_megapixels: float = 100.0
    domain: str | None = None

    def __call__(self, path: Path) -> DensityPrediction:
        """Predict one image; a SetupError ends the work, any other error is a failure of this image."""
        try:
            predictor = load_models(self.model, self.device, self.threads).still
            began = time.perf_counter()
            with translate_memory_errors(displayable(path.name)):
                opened = open_image(path, [predictor.view], max_megapixels=self.max_megapixels)
                decoded = time.perf_counter()
                (densities,) = predictor.predict(opened.chunks[0].views[predictor.view.name], domain=self.domain)
            return DensityPrediction(densities, {"decode": decoded - began, "predict": time.perf_counter() - decoded})
        except SetupError:
            raise
        except (MediumError, AnalysisError) as error:
            return DensityPrediction(failed_image(path, error.code, error.message))
        except Exception as error:  # like a run, a list of images must outlive any one of them
            message = f"{displayable(path.name)}: the prediction failed: {error!r}; please report this"
            return DensityPrediction(failed_image(path, "internal", message, trace=traceback.format_exc()))


def failed_image(path: Path, code: str, message: str, *, trace: str | None = None) -> Failed:
    """Return the outcome of an image without densities."""
    return Failed(displayable(str(path)), displayable(path.name), code, message, trace=trace)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The reply of a worker: the outcome without its pixels, and the files that it wrote."""

    outcome: Outcome
    files: Mapping[str, str] = field(default_factory=dict)
    """Mapping of str to str. Path of each written map, by name, relative to the run directory."""
    seconds: float = 0.0
    """Time in the worker, s."""
    medium_id: UUID | None = None
    """Of the content, where only the worker could tell it."""


@dataclass(frozen=True, slots=True)
class CacheHit:
    """The reply of a worker for a remote file that turned out, once fetched, to be analyzed already."""

    medium_id: UUID


@dataclass(frozen=True, slots=True)
class MediumTask:
    """A file to analyze, with the options of this medium."""

    file: MediaFile
    options: MediumOptions = DEFAULT_OPTIONS
    medium_id: UUID | None = None
    """Of the expected content; None where it is not known yet."""
    options_id: str = ""
    """Changes with `options`."""


class TaskStore:
    """Port to what keeps results, in the worker; this one keeps nothing. Must be picklable."""

    def save_maps(self, result: Result) -> Mapping[str, str]:
        """Write images, videos and densities of a result; return the path of each file by name."""
        return {}

    def commit(self, task: MediumTask, result: TaskResult) -> None:
        """Keep a result for good: what comes after it may be lost.

        Raises AnalysisError: it holds a value that cannot be kept, such as NaN.
        """

    def has_result(self, task: MediumTask, medium_id: UUID) -> bool:
        """Return whether there is a result of this content; asked about files of a store, once they are fetched."""
        return False

    def claim(self, task: MediumTask) -> AbstractContextManager[None]:
        """Return the context of an analysis and its commit, which tells others what is under way."""
        return nullcontext()


@dataclass(frozen=True, slots=True)
class TaskRunner:
    """Analyze one file and keep the result; callable and picklable.

    `scratch`: folder for videos that are being made, on the disk where they are kept; None makes none.
    """

    plan: Plan
    store: TaskStore
    scratch: Path | None = None

    def __call__(self, task: MediumTask) -> TaskResult | CacheHit:
        """Analyze a file and commit the result; a SetupError ends the run, any other error becomes a failure."""
        with self.store.claim(task):
            result = self._analyze(task)
            if isinstance(result, CacheHit):
                return result
            try:
                self.store.commit(task, result)
            except AnalysisError as error:  # numbers that no table can hold
                failed = _failed(task.file, error.code, f"{task.file.display_path}: {error.message}")
                result = TaskResult(failed, {}, result.seconds, result.medium_id)
                self.store.commit(task, result)
            return result

    def _analyze(self, task: MediumTask) -> TaskResult | CacheHit:
        began, file, medium_id = time.perf_counter(), task.file, None
        try:
            if file.failure is not None:
                raise file.failure
            models = load_models(*self.plan.models)
            with (
                translate_memory_errors(displayable(file.path.name)),
                _temporary_folder(self.scratch) as folder,
                local_copy(file, folder) as path,
            ):
                medium_id = file_medium_id(path) if file.storage else None
                if medium_id and self.store.has_result(task, medium_id):
                    return CacheHit(medium_id)
                result = analyze_file(
                    path, self.plan, models, display_path=file.display_path, scratch=folder, options=task.options
                )
                before = time.perf_counter()
                files = self.store.save_maps(result)
            stages = {**result.stages, "write": time.perf_counter() - before}
            densities = Densities({}, domains=result.domains)
            problems = (*file.problems, *result.problems)
            small = replace(
                result, densities=densities, pictures={}, videos={}, series={}, stages=stages, problems=problems
            )
            return TaskResult(small, files, time.perf_counter() - began, medium_id)
        except SetupError:
            raise
        except (MediumError, AnalysisError) as error:
            name, message = displayable(file.path.name), error.message
            if message.startswith(f"{name}: "):  # of a reader, which knows the file's own name alone
                message = file.display_path + message[len(name) :]
            failed = _failed(file, error.code, message)
        except Exception as error:  # the one broad net of the program: a run must outlive any one file
            message = f"{file.display_path}: the analysis failed: {type(error).__name__}: {error}; please report this"
            failed = _failed(file, "internal", message, trace=traceback.format_exc())
        return TaskResult(failed, {}, time.perf_counter() - began, medium_id)


@contextmanager
def _temporary_folder(scratch: Path | None) -> Iterator[Path | None]:
    """Make a folder of one medium's own, removed with all that was not moved out of it."""
    if scratch is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _failed(file: MediaFile, code: str, message: str, *, trace: str | None = None) -> Failed:
    return Failed(file.display_path, file_name(file), code, message, size_bytes=file.size_bytes, trace=trace)


def file_name(file: MediaFile) -> str:
    """Name of a file as tables hold it: what is shown is valid UTF-8, the name on disk need not be."""
    return file.display_path.rsplit("/", 1)[-1]
