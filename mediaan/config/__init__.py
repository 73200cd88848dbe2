"""Configuration: what a run computes, and what its media are for."""

from mediaan.config.brand import BrandSettings
from mediaan.config.objective import Industry, Objective, UseCase
from mediaan.config.objectives import MediaRule, ObjectivesConfig, resolve_objective, unused_patterns
from mediaan.config.objectives_file import benchmark_choice, load_objectives
from mediaan.config.recipe import Recipe

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
