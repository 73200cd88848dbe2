"""Provide the public functions: one image, one array, or folders of files to a run with its report."""

from mediaan.workflow.folder.analyze import analyze_folder
from mediaan.workflow.folder.settings import Settings
from mediaan.workflow.medium import analyze, make_recipe, predict_density

__all__ = ["Settings", "analyze", "analyze_folder", "make_recipe", "predict_density"]
