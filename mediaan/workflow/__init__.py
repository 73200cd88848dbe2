"""The public functions: one picture, one array, or folders of files to a run directory with its report."""

from mediaan.workflow.folder import analyze_folder
from mediaan.workflow.picture import analyze, make_recipe, predict_density
from mediaan.workflow.settings import Settings

__all__ = ["Settings", "analyze", "analyze_folder", "make_recipe", "predict_density"]
