"""The Solver's conversation: its prompts, the system's messages, and a history that fits the engine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.language.identify import LANGUAGE_NAMES
from vidence.language.tokens import has_words
from vidence.llm.facts import count_text
from vidence.llm.structured import without_thinking
from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import cut, data, frames_text, options_text, record_text, videos_text
from vidence.runs.run import CallOutcome, Fetched
from vidence.schema.agent import CheckerResponse, OperationCard, SolverResponse, SolverVariables
from vidence.schema.message import EncodedPicture, Message

__all__ = ["SOLVER_TASK", "Solver", "fit_history", "menu_text", "prose_answer"]

SOLVER_TASK = "solver.step"

_ACTIONS = '"retrieve_more_frames" | "answer_question"'
_HEADINGS = {
    "en": ('Options (answer with one; "option" is its number):', "Videos:"),
    "zh": ('选项（选择其一，"option" 填它的编号）：', "视频："),
}
_ANSWER_MARK = re.compile(
    r"(?:final answer|answer|最终答案|答案)\s*\**\s*(?:is|是)?\s*[:：]\s*", re.IGNORECASE
)
_SHORT_PROSE = 400
_LAST_STEP = "System Notification: This is your last step. Choose answer_question now."
_SHARE = 0.75
"""The part of an engine's context that a conversation may fill; the rest is for its reply."""
_PICTURE_TOKENS = 800
_KEPT_CHARS = 400
_LEFT_OUT = " … (the rest of this was left out to save room)"


class Solver:
    """Keeps `chat_history`; every message of the system is written as the user's."""

    def __init__(
        self, wording: Wording, *, context_tokens: int, operations: Sequence[OperationCard] = ()
    ) -> None:
        self._wording, self._context_tokens = wording, context_tokens
        self._operations = operations
        self._untold = {one.name: one.details for one in operations if not one.is_relevant}
        """The details of what was shown in short and was not called wrongly yet."""
        self.chat_history: list[Message] = []
        self._templates: list[str] = []

    def begin(self, variables: SolverVariables, pictures: Sequence[EncodedPicture] = ()) -> None:
        """Open the conversation: the role, the reply format, the question and the first frames."""
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

    def tell(self, text: str, pictures: Sequence[EncodedPicture] = ()) -> None:
        """Add a message of the system."""
        self.chat_history.append(Message(role="user", text=text, pictures=tuple(pictures)))

    def tell_frames(self, fetched: Fetched) -> None:
        """Add the message that brings new frames."""
        told = frames_text(fetched.frames) if fetched.frames else "none."
        note = f" ({fetched.note})" if fetched.note else ""
        if fetched.problem:
            note = f"\n{data(cut(fetched.problem))}"
        text = f"System Notification: Retrieved {len(fetched.frames)} new frames: {told}{note}"
        self.tell(text, fetched.pictures)

    def tell_results(self, observed: Sequence[CallOutcome], *, skipped: int, most: int) -> None:
        """Add the message that brings the results of operations."""
        parts = [self._observation_text(one) for one in observed]
        if skipped:
            parts.append(f"{skipped} more calls were not answered: at most {most} at once.")
        results = "\n".join(parts)
        self.tell(f"System Notification: Results of {len(observed)} operations:\n{results}")

    def tell_verdict(self, verdict: CheckerResponse) -> None:
        """Add the message that sends an answer back."""
        reason = verdict.feedback.strip().rstrip(".。") or "The answer is not certain enough"
        score = f"Confidence Score: {verdict.confidence_score}/5"
        self.tell(f"System Feedback: {score}. Reason: {reason}. Please try again.")

    def remind_last_step(self) -> None:
        """Add to the message that waits for the Solver's reply that no step is left."""
        last = self.chat_history[-1]
        self.chat_history[-1] = last.model_copy(update={"text": f"{last.text}\n{_LAST_STEP}"})

    def replied(self, text: str) -> None:
        """Add the Solver's own reply."""
        self.chat_history.append(Message(role="assistant", text=text))

    def prompt(self, variables: SolverVariables) -> Prompt:
        """Return the prompt for the next action."""
        return Prompt(
            task=SOLVER_TASK,
            messages=fit_history(self.chat_history, self._context_tokens),
            variables=variables,
            response=SolverResponse,
            templates=self._wording.uses(*self._templates),
        )

    def _protocol(self, variables: SolverVariables) -> str:
        callable_ = variables.may_call_operations and bool(self._operations)
        menu = menu_text(self._operations)
        return self._fill(
            "solver.protocol",
            actions=f'{_ACTIONS} | "call_operations"' if callable_ else _ACTIONS,
            option="0" if variables.options else "null",
            operations=self._fill("solver.operations", operations=menu) if callable_ else "",
            language=LANGUAGE_NAMES[variables.language],
        )

    def _observation_text(self, one: CallOutcome) -> str:
        """Return a result, or what was wrong with the call and, the first time, how to call it."""
        if one.record is not None:
            return record_text(one.record)
        name = one.call.operation
        told = [f"{name} could not be answered:", data(cut(one.problem))]
        return "\n".join([*told, *([self._untold.pop(name)] if name in self._untold else [])])

    def _fill(self, template_id: str, **values: str) -> str:
        if template_id not in self._templates:
            self._templates.append(template_id)
        return self._wording.fill(template_id, **values)


def menu_text(operations: Sequence[OperationCard]) -> str:
    """Return what may be called, one below the other: what the question needs in full, the rest in short."""
    return "\n".join(one.details if one.is_relevant else one.line for one in operations)


def prose_answer(reply: str) -> str:
    """Return the answer in a reply without JSON: what follows "Answer:", else its last paragraph."""
    text = without_thinking(reply).strip().strip("`").strip()
    if "{" in text or not has_words(text):
        return ""
    marked = _ANSWER_MARK.split(text)
    if len(marked) > 1 and has_words(marked[-1]):
        return marked[-1].strip().strip("*").strip()
    return text if len(text) <= _SHORT_PROSE else re.split(r"\n\s*\n", text)[-1].strip()


def fit_history(messages: Sequence[Message], context_tokens: int) -> tuple[Message, ...]:
    """Return the conversation cut to the engine's context: old pictures go first, then old words.

    The system's message, the question and the newest message always stay whole.
    """
    kept = list(messages)
    limit = int(context_tokens * _SHARE)
    if sum(len(one.text) + 5 + _PICTURE_TOKENS * len(one.pictures) for one in kept) <= limit:
        # A token is at least a character, so nothing need be counted.
        return tuple(kept)
    old = range(1, len(kept) - 1)
    for change in (_without_pictures, _shortened):
        for index in old:
            if _size(kept) <= limit:
                return tuple(kept)
            if change is _shortened and index == 1:
                continue
            kept[index] = change(kept[index])
    return tuple(kept)


def _size(messages: Sequence[Message]) -> int:
    return sum(count_text(one.text) + 4 + _PICTURE_TOKENS * len(one.pictures) for one in messages)


def _without_pictures(message: Message) -> Message:
    return message.model_copy(update={"pictures": ()})


def _shortened(message: Message) -> Message:
    if len(message.text) <= _KEPT_CHARS + len(_LEFT_OUT):
        return message
    return message.model_copy(update={"text": message.text[:_KEPT_CHARS] + _LEFT_OUT})
