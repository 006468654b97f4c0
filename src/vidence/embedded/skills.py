"""What the embedded engine can do, task by task."""

from __future__ import annotations

from collections.abc import Mapping

from vidence.embedded.checker import checker_skill
from vidence.embedded.planning.skills import planning_skills
from vidence.embedded.solver import Embed, solver_skill
from vidence.llm.embedded import Skill

__all__ = ["embedded_skills"]


def embedded_skills(embed: Embed) -> Mapping[str, Skill]:
    """Return the skills of the loop's tasks; `embed` turns sentences into an (N, D) array of unit vectors."""
    return {
        "solver.step": solver_skill(embed),
        "checker.evaluate": checker_skill(),
        **planning_skills(embed),
    }
