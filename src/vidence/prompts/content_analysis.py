"""The prompt that asks what a text is about."""

from __future__ import annotations

from pathlib import Path

from vidence.prompts.fenced import data
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import load_template
from vidence.schema.message import Message
from vidence.schema.planning import ContentAnalysis, ContentVariables

__all__ = ["CONTENT_TASK", "build_content_analysis_prompt"]

CONTENT_TASK = "content.analyze"


def build_content_analysis_prompt(variables: ContentVariables, *, overrides: Path | None = None) -> Prompt:
    """Return the prompt for keywords, entities, times, topics, language, importance and a summary."""
    template = load_template("content_analysis", variables.language, overrides=overrides)
    text = template.fill(content=data(variables.content), today=variables.today)
    return Prompt(
        CONTENT_TASK, (Message(role="user", text=text),), variables, ContentAnalysis, (template.use,)
    )
