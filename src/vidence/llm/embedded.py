"""The engine without a language model: an algorithm answers each task from the prompt's variables.

The algorithms look at videos and so live above this room, in `embedded/`, which hands them in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from vidence.errors import BackendError
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Capabilities, OnText, Reply
from vidence.prompts import Prompt

__all__ = ["EmbeddedEngine", "Skill"]

Skill = Callable[[Prompt], str]
"""Answers one task's prompts in the wire format: thinking, then a JSON block."""

_CAPABILITIES = Capabilities(
    json_schema=True,
    context_tokens=10**9,
    deterministic=True,
    max_calls=100,
    max_videos=1,
    caption_detail="brief",
    reads_text=False,
    metered=False,
)


class EmbeddedEngine(EngineBase):
    """Answers the tasks it has a skill for, offline and at no cost."""

    def __init__(self, skills: Mapping[str, Skill], *, name: str = "embedded") -> None:
        super().__init__(name, _CAPABILITIES)
        self._skills = dict(skills)

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Run the task's skill over the prompt's variables."""
        skill = self._skills.get(prompt.task)
        if skill is None:
            raise BackendError(
                f"The embedded engine has no skill for {prompt.task!r}; it can do: "
                f"{', '.join(sorted(self._skills)) or 'nothing'}. Give it to a language model (--engine)."
            )
        started = time.perf_counter()
        text = skill(prompt)
        if on_text is not None:
            on_text(text)
        return Reply(text=text, seconds=time.perf_counter() - started, engine=self.name)
