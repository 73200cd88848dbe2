from .brand import BrandSettings
from .objective import Industry, Objective, UseCase
from .objectives import (
    MediaRule,
    ObjectivesConfig,
    benchmark_choice,
    load_objectives,
    resolve_objective,
    unused_patterns,
)

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
