"""The unit of work where attention alone is wanted: one picture in, its densities out."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mediaan.analysis.models import load_models
from mediaan.errors import AnalysisError, MediumError, SetupError
from mediaan.media import open_picture
from mediaan.media.folder import displayable
from mediaan.types.maps import Densities
from mediaan.types.result import Failed


@dataclass(frozen=True, slots=True)
class Prediction:
    """What came of one picture.

    Attributes
    ----------
    outcome : Densities or Failed
    seconds : mapping of str to float
        Wall time to ``decode`` it to the model's view and to ``predict``, s.
    """

    outcome: Densities | Failed
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DensityTask:
    """Callable and picklable, for many threads at once: a path in, a prediction out, whatever happens to it.

    Parameters
    ----------
    model : str
    device : {'auto', 'cpu', 'cuda'}
    threads : int
        Threads per prediction on the CPU; 0 leaves it to the runtime.
    max_megapixels : float
        Larger pictures are refused.
    domain : str or None
        Which of the domains that the model tells apart the pictures are; None: the model tells by itself.
    """

    model: str = "attention"
    device: str = "auto"
    threads: int = 0
    max_megapixels: float = 100.0
    domain: str | None = None

    def __call__(self, path: Path) -> Prediction:
        """Predict one picture; a SetupError ends the work, anything else becomes a failure of this picture."""
        try:
            return self._predict(path)
        except SetupError:
            raise
        except (MediumError, AnalysisError) as error:
            return Prediction(failed_picture(path, error.code, error.message))
        except Exception as error:  # like a run, a list of pictures must outlive any one of them
            message = f"{displayable(path.name)}: the prediction failed: {error!r}; please report this"
            return Prediction(failed_picture(path, "internal", message, trace=traceback.format_exc()))

    def _predict(self, path: Path) -> Prediction:
        predictor = load_models(self.model, self.device, self.threads).still
        began = time.perf_counter()
        opened = open_picture(path, [predictor.view], max_megapixels=self.max_megapixels)
        decoded = time.perf_counter()
        (densities,) = predictor.predict(opened.chunks[0].views[predictor.view.name], domain=self.domain)
        return Prediction(densities, {"decode": decoded - began, "predict": time.perf_counter() - decoded})


def failed_picture(path: Path, code: str, message: str, *, trace: str | None = None) -> Failed:
    """A picture without densities, and why."""
    return Failed(displayable(str(path)), displayable(path.name), code, message, trace=trace)
