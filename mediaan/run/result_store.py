"""Keep the results of a run in its workers: maps as files, then one part that commits the medium."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from mediaan.analysis.tasks import CacheHit, MediumTask, TaskResult, TaskStore, file_name
from mediaan.maps.encode import encode_image
from mediaan.run.crash_log import Claims
from mediaan.run.files import folder_name, part_key
from mediaan.run.parts import PartStore, aoi_results, identity_of
from mediaan.saliency.density_storage import encode_densities
from mediaan.storage import Storage
from mediaan.types.result import Failed, Result

_JPEG_QUALITY = 85


def write_maps(storage: Storage, result: Result, *, densities: bool = True) -> dict[str, str]:
    """Write the images, videos and densities of a result into a run.

    `densities`: whether to write ``density.npz`` too.
    Returns: path of each, relative to the run, by name of the map.
    Raises SetupError: the disk is full or may not be written to.
    """
    folder = Path("maps") / folder_name(result.medium.name, result.medium.medium_id)
    data = {
        name: (f"{name}.jpg", encode_image(picture, quality=_JPEG_QUALITY)) for name, picture in result.pictures.items()
    }
    if densities:
        data["density"] = ("density.npz", encode_densities(result.densities, result.series))
    if result.aois is not None:
        results = aoi_results(result.medium, result.aois)
        data |= {name: (f"{name}.json", content) for name, content in results.items()}
    for file, content in data.values():
        storage.write((folder / file).as_posix(), content)
    written = {name: (folder / file).as_posix() for name, (file, _) in data.items()}
    for name, video in result.videos.items():  # only renamed, where it was made on the disk of the run
        written[name] = (folder / video.name).as_posix()
        storage.take(video, written[name])
    return written


@dataclass(frozen=True, slots=True)
class ResultStore(TaskStore):
    """Commit results as parts of a run; picklable.

    `claims`: what workers are at; they know the recipe of the run.
    `exposure_s`: how long images are looked at whose options do not say it, s.
    `densities`: whether to keep them.
    `retry_failed`: whether what failed before is analyzed again.
    """

    parts: PartStore
    claims: Claims
    exposure_s: float
    densities: bool = True
    retry_failed: bool = False

    def save_maps(self, result: Result) -> dict[str, str]:
        """Write the maps of a result, and return the path of each, relative to the run, by name."""
        return write_maps(self.parts.storage, result, densities=self.densities)

    def commit(self, task: MediumTask, result: TaskResult) -> None:
        """Commit the result of a task as a part."""
        key, exposure_s = self.key(task, result), self._exposure_s(task)
        self.parts.commit(key, result.outcome, result.files, result.seconds, exposure_s=exposure_s)

    def commit_failure(self, task: MediumTask, code: str, message: str) -> TaskResult:
        """Commit a failure in place of a worker that died, and return it."""
        file = task.file
        failed = Failed(
            file.display_path,
            file_name(file),
            code,
            f"{file.display_path}: {message}",
            size_bytes=file.size_bytes,
        )
        result = TaskResult(failed)
        self.commit(task, result)
        return result

    def has_result(self, task: MediumTask, medium_id: UUID) -> bool:
        """Return whether there is a part of this content with the same options."""
        part = self.parts.read(part_key(self.claims.recipe_id, str(medium_id), task.options_id))
        return part is not None and not (part.failed and self.retry_failed) and part.serves(self._exposure_s(task))

    def claim(self, task: MediumTask) -> AbstractContextManager[None]:
        """Claim a medium while it is analyzed."""
        return self.claims(task)

    def key(self, task: MediumTask, result: TaskResult | CacheHit) -> str:
        """Return the key of the part that holds the result of a task."""
        medium_id = task.medium_id or result.medium_id
        identity = str(medium_id) if isinstance(result, CacheHit) else identity_of(result.outcome, medium_id)
        return part_key(self.claims.recipe_id, identity, task.options_id)

    def _exposure_s(self, task: MediumTask) -> float:
        return self.exposure_s if task.options.exposure_s is None else task.options.exposure_s
