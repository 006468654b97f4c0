"""The skills of the planner's tasks, by task."""

from __future__ import annotations

from collections.abc import Mapping

from vidence.embedded.planning.beliefs import tom_skill
from vidence.embedded.planning.navigation import vln_skill
from vidence.embedded.planning.plan import analyze_skill, command_skill, final_skill
from vidence.embedded.solver import Embed
from vidence.llm.embedded import Skill
from vidence.memory.analyst import content_skill

__all__ = ["planning_skills"]


def planning_skills(embed: Embed) -> Mapping[str, Skill]:
    """Return what the embedded engine can do beside solving and checking."""
    return {
        "planner.analyze": analyze_skill(embed),
        "executor.command": command_skill(embed),
        "planner.final_output": final_skill(embed),
        "content.analyze": content_skill,
        "vln.next_action": vln_skill,
        "tom.beliefs": tom_skill,
    }
