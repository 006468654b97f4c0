"""The embedded engine by name, `create_llm_engine("embedded")`, and its skills, task by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from vidence.embedded.checker import checker_skill
from vidence.embedded.choice.captions import VectorCache
from vidence.embedded.extraction import reader_skills
from vidence.embedded.monitor import MONITOR_SKILLS
from vidence.embedded.planning.beliefs import tom_skill
from vidence.embedded.planning.navigation import vln_skill
from vidence.embedded.planning.plan import analyze_skill, command_skill, final_skill
from vidence.embedded.recipes.recipe import Embed
from vidence.embedded.solver import solver_skill
from vidence.embedded.story import react_skill, refiner_skill
from vidence.embedded.tool_use import using_tools
from vidence.llm.embedded import EmbeddedEngine, Skill
from vidence.llm.options import CommonOptions, EngineRequest, read_options
from vidence.memory.content_analyzer import content_skill
from vidence.models.shelf import ModelShelf
from vidence.settings import load_settings

__all__ = ["EmbeddedOptions", "build", "embedded_skills"]


def embedded_skills(embed: Embed) -> Mapping[str, Skill]:
    """Return the skill of each task; `embed` turns sentences into an (N, D) array of unit vectors."""
    embed = VectorCache(embed)
    return {
        "solver.step": using_tools(solver_skill(embed)),
        "checker.evaluate": checker_skill(),
        "planner.analyze": analyze_skill(embed),
        "executor.command": command_skill(embed),
        "planner.final_output": final_skill(embed),
        "content.analyze": content_skill,
        "vln.next_action": vln_skill,
        "tom.beliefs": tom_skill,
        **MONITOR_SKILLS,
        "react.step": react_skill(embed),
        "refiner.queries": refiner_skill,
        **reader_skills(embed),
    }


class EmbeddedOptions(CommonOptions):
    """The options of language models, which change nothing here, and skills instead of vidence's own."""

    skills: Mapping[str, Skill] | None = None


def build(request: EngineRequest) -> EmbeddedEngine:
    """Make an embedded engine."""
    options = read_options(request, EmbeddedOptions)
    return EmbeddedEngine(options.skills or embedded_skills(_embed), name=request.name)


def _embed(texts: Sequence[str]) -> Any:
    return _shelf().text.embed(texts)


@cache
def _shelf() -> ModelShelf:
    """Return the models that the user's settings choose, opened when first used."""
    return ModelShelf.of(load_settings())
