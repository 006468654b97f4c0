"""The Solver: one lasting conversation that thinks, then says what to do next."""

from __future__ import annotations

import json
from collections.abc import Sequence

from vidence.agents.solver_checker.history import fit_history
from vidence.agents.solver_checker.messages import frames_text, options_text, videos_text
from vidence.language.names import LANGUAGE_NAMES
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import Prompt
from vidence.runs.wording import Wording
from vidence.schema.agent import SolverResponse, SolverVariables
from vidence.schema.message import Message, Picture

__all__ = ["SOLVER_TASK", "OperationSchemas", "Solver"]

SOLVER_TASK = "solver.step"
OperationSchemas = Sequence[dict[str, object]]
"""The operations a Solver may call, as an LLM is told of them."""

_ACTIONS = '"retrieve_more_frames" | "answer_question"'
_HEADINGS = {
    "en": ('Options (answer with one; "option" is its number):', "Videos:"),
    "zh": ('选项（选择其一，"option" 填它的编号）：', "视频："),
}


class Solver:
    """Keeps `chat_history`; every message of the system goes in as the user's."""

    def __init__(self, engine: Engine, wording: Wording, *, operations: OperationSchemas = ()) -> None:
        self.engine = engine
        self._wording = wording
        self._operations = operations
        self.chat_history: list[Message] = []
        self._templates: list[str] = []

    def begin(self, variables: SolverVariables, pictures: Sequence[Picture] = ()) -> None:
        """Open the conversation: who the Solver is, how it replies, the question and the first frames."""
        system = f"{self._fill('solver.system')}\n\n{self._protocol(variables)}"
        self.chat_history = [Message(role="system", text=system)]
        options, videos = _HEADINGS[variables.language]
        asked = self._fill(
            "solver.question",
            question=variables.question,
            options=options_text(variables.options, options),
            videos=videos_text(variables.videos, videos),
            count=str(len(variables.memory)),
            frames=frames_text(variables.memory),
        )
        self.tell(asked, pictures)

    def tell(self, text: str, pictures: Sequence[Picture] = ()) -> None:
        """Add what the system has to say as the user's message."""
        self.chat_history.append(Message(role="user", text=text, pictures=tuple(pictures)))

    def remind(self, text: str) -> None:
        """Add a line to the message that waits for the Solver's reply."""
        last = self.chat_history[-1]
        self.chat_history[-1] = last.model_copy(update={"text": f"{last.text}\n{text}"})

    def step(
        self, variables: SolverVariables, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Ask for the next action; the reply joins the history."""
        prompt = Prompt(
            task=SOLVER_TASK,
            messages=fit_history(self.chat_history, self.engine.capabilities.context_tokens),
            variables=variables,
            response=SolverResponse,
            templates=self._wording.uses(*self._templates),
        )
        reply = self.engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        self.chat_history.append(Message(role="assistant", text=reply.text))
        return reply

    def _protocol(self, variables: SolverVariables) -> str:
        callable_ = variables.may_call_operations and bool(self._operations)
        lines = "\n".join(json.dumps(one, ensure_ascii=False) for one in self._operations)
        return self._fill(
            "solver.protocol",
            actions=f'{_ACTIONS} | "call_operations"' if callable_ else _ACTIONS,
            option="0" if variables.options else "null",
            operations=self._fill("solver.operations", schemas=lines) if callable_ else "",
            language=LANGUAGE_NAMES[variables.language],
        )

    def _fill(self, template_id: str, **values: str) -> str:
        if template_id not in self._templates:
            self._templates.append(template_id)
        return self._wording.fill(template_id, **values)
