"""The composition root: the one place where names become parts and parts become a workspace."""

from vidence.app.benchmarks import BENCHMARKS
from vidence.app.doctor import Check, examine
from vidence.app.models import fetch, list_models, models_to_fetch
from vidence.app.workspace import Workspace, open_workspace

__all__ = [
    "BENCHMARKS",
    "Check",
    "Workspace",
    "examine",
    "fetch",
    "list_models",
    "models_to_fetch",
    "open_workspace",
]
