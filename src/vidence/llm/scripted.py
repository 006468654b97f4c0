"""An engine that gives prepared replies, for tests and for trying out a loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from vidence.errors import BackendError, SettingsError
from vidence.llm.base import EngineBase
from vidence.llm.facts import count_prompt, count_text
from vidence.llm.options import EngineRequest
from vidence.llm.protocol import Capabilities, OnText, Reply
from vidence.prompts import Prompt
from vidence.schema.message import Usage

__all__ = ["Line", "Script", "ScriptedEngine", "build"]

Line = str | BaseException
"""A reply, or an exception to raise."""
Script = Sequence[Line] | Callable[[Prompt], Line]


class ScriptedEngine(EngineBase):
    """Answers from a list, one line per call, or from a function; keeps every prompt it got."""

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        capabilities: Capabilities | None = None,
        pieces: int = 1,
    ) -> None:
        super().__init__(
            name, capabilities or Capabilities(sees_pictures=True, streaming=True, context_tokens=10**6)
        )
        self.prompts: list[Prompt] = []
        self._script = script if callable(script) else list(script)
        self._pieces = pieces
        self._lock = threading.Lock()

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Return the next line of the script."""
        line = self._next(prompt)
        if isinstance(line, BaseException):
            raise line
        if on_text is not None:
            size = max(-(-len(line) // self._pieces), 1)
            for start in range(0, len(line), size):
                on_text(line[start : start + size])
        usage = Usage(input_tokens=count_prompt(prompt), output_tokens=count_text(line))
        return Reply(line, usage, 0.0, self.name)

    def _next(self, prompt: Prompt) -> Line:
        with self._lock:
            self.prompts.append(prompt)
            if callable(self._script):
                return self._script(prompt)
            if len(self.prompts) > len(self._script):
                raise BackendError(
                    f"The script has {len(self._script)} lines and {prompt.task!r} asks for another."
                )
            return self._script[len(self.prompts) - 1]


def build(request: EngineRequest) -> ScriptedEngine:
    """Make a scripted engine from the option `replies`."""
    replies = request.options.get("replies")
    if replies is None or isinstance(replies, str):
        raise SettingsError("The scripted engine needs the option `replies`: a list of texts, or a function.")
    return ScriptedEngine(replies, name=request.name)
