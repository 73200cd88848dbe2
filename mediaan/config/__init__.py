"""Configuration: what a run computes, and what its media are for.

Names resolve when first used: rules and norm sets need arrays and tables, a single objective does not.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = [
    "BrandSettings",
    "Industry",
    "MediaRule",
    "Objective",
    "ObjectivesConfig",
    "Recipe",
    "UseCase",
    "benchmark_choice",
    "load_objectives",
    "resolve_objective",
    "unused_patterns",
]

_HOMES = {
    "BrandSettings": "brand",
    "Industry": "objective",
    "MediaRule": "objectives",
    "Objective": "objective",
    "ObjectivesConfig": "objectives",
    "Recipe": "recipe",
    "UseCase": "objective",
    "benchmark_choice": "objectives_file",
    "load_objectives": "objectives_file",
    "resolve_objective": "objectives",
    "unused_patterns": "objectives",
}

if TYPE_CHECKING:
    from mediaan.config.brand import BrandSettings
    from mediaan.config.objective import Industry, Objective, UseCase
    from mediaan.config.objectives import MediaRule, ObjectivesConfig, resolve_objective, unused_patterns
    from mediaan.config.objectives_file import benchmark_choice, load_objectives
    from mediaan.config.recipe import Recipe


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"mediaan.config.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mediaan.config' has no attribute {name!r}")
