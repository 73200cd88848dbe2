from .objectives.file import (
    MediaRule,
    ObjectivesConfig,
    benchmark_choice,
    load_objectives,
    resolve_objective,
    unused_patterns,
)
from .objectives.objective import BrandSettings, Industry, Objective, UseCase

__all__ = [
    "BrandSettings",
    "Industry",
    "MediaRule",
    "Objective",
    "ObjectivesConfig",
    "UseCase",
    "benchmark_choice",
    "load_objectives",
    "resolve_objective",
    "unused_patterns",
]
