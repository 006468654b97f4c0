"""The critic of a monitor: taking notes, checking statements, and judging the briefing as a whole."""

from __future__ import annotations

from collections.abc import Mapping

from vidence.embedded.choice.captions import VectorCache
from vidence.embedded.recipes.recipe import Embed
from vidence.embedded.wire import json_reply, read_variables
from vidence.intel.critic.review import check_statements
from vidence.intel.digest import select_notes
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.prompts.topics import CHECK_TASK, SELECT_TASK
from vidence.runs.checker import CHECKER_TASK
from vidence.schema.agent import CheckerResponse, CheckerVariables
from vidence.schema.briefing import CheckVariables
from vidence.schema.topics import SelectVariables

__all__ = ["critic_skills"]


def critic_skills(embed: Embed) -> Mapping[str, Skill]:
    """Return the skills of the critic; no language model has a part in them."""
    cached = VectorCache(embed)

    def select(prompt: Prompt) -> str:
        return json_reply("", select_notes(read_variables(prompt, SelectVariables), cached))

    def check(prompt: Prompt) -> str:
        return json_reply("", check_statements(read_variables(prompt, CheckVariables), cached))

    return {SELECT_TASK: select, CHECK_TASK: check, CHECKER_TASK: _judge}


def _judge(prompt: Prompt) -> str:
    """Accept a briefing when the verifier resolved every citation of it."""
    variables = read_variables(prompt, CheckerVariables)
    verdicts = [claim.verdict for claim in variables.claims]
    if variables.answer.cannot_tell:
        response = CheckerResponse(confidence_score=4)
    elif not verdicts or "failed" in verdicts:
        response = CheckerResponse(confidence_score=2, feedback="A statement is not in what it cites.")
    else:
        response = CheckerResponse(confidence_score=5 if set(verdicts) == {"verified"} else 4)
    return json_reply("", response)
