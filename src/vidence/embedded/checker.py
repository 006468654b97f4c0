"""The embedded Checker: judges an answer by its claims, its form and its own probability."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vidence.embedded.wire import json_reply, read_variables
from vidence.language.colours import find_colours
from vidence.language.question import Kind, QuestionForm, read_question
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.schema.agent import PASS_SCORE, CheckerResponse, CheckerVariables

__all__ = ["PASSING", "check", "checker_skill", "score_of"]

_SCORES = ((0.85, 5), (0.65, 4), (0.4, 3), (0.2, 2))
"""The least probability for each score; below all of them the score is 1."""
PASSING = next(least for least, score in _SCORES if score == PASS_SCORE)
"""The probability from which an answer passes."""
_UNSAID, _BORNE_OUT = 0.5, 0.7
"""The probability of an answer whose Solver gave none: as it is, and where every claim of it is verified."""
_PARTLY, _UNPROVEN, _WRONG_FORM = 0.75, 0.4, 0.6
_NUMBER = (
    r"\d|\b(?:no|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|never)\b"
    r"|[零一二两三四五六七八九十没无]"
)
_FORMS: dict[Kind, str] = {
    "count": _NUMBER,
    "yes_no": r"^\W*(?:yes|no)\b|^\W*(?:是|否|有|没|不|能|会|对)",
    "camera": r"static|still|mov|pan|tilt|zoom|track|yes|no|静|动|固定|摇|推|拉",
}


@dataclass(frozen=True)
class _Doubt:
    factor: float
    english: str
    chinese: str


def checker_skill() -> Skill:
    """Return the skill of `checker.evaluate`."""

    def evaluate(prompt: Prompt) -> str:
        response = check(read_variables(prompt, CheckerVariables))
        return json_reply(f"{response.confidence_score}/5. {response.feedback}".strip(), response)

    return evaluate


def score_of(probability: float) -> int:
    """Return the score of a calibrated probability."""
    return next((score for least, score in _SCORES if probability >= least), 1)


def check(variables: CheckerVariables) -> CheckerResponse:
    """Judge an answer; below 4 the feedback says what to do about it."""
    held = variables.answer.probability
    doubts = _doubts(variables)
    probability = (_UNSAID if doubts else _BORNE_OUT) if held is None else held
    for doubt in doubts:
        probability *= doubt.factor
    score = score_of(probability)
    if score >= 4:
        return CheckerResponse(confidence_score=score)
    chinese = variables.language == "zh"
    reasons = [doubt.chinese if chinese else doubt.english for doubt in doubts]
    if not reasons:
        reasons = [
            "证据太弱，请换一种方式再看" if chinese else "The evidence is thin; look another way or wider"
        ]
    return CheckerResponse(confidence_score=score, feedback=("；" if chinese else "; ").join(reasons))


def _doubts(variables: CheckerVariables) -> list[_Doubt]:
    doubts = []
    if not variables.options:
        form = read_question(variables.question).form
        if not variables.answer.cannot_tell and not _answers(form, variables):
            doubts.append(_Doubt(_WRONG_FORM, f"The answer is not of the kind asked for ({form.kind})",
                                 f"答案不符合所问的类型（{form.kind}）"))  # fmt: skip
    verdicts = [claim.verdict for claim in variables.claims]
    if not any(verdict in ("verified", "partly") for verdict in verdicts):
        doubts.append(_Doubt(_UNPROVEN, "No claim of the answer is proven by a record; cite what proves it",
                             "答案没有任何经过证实的论断，请引用能证明它的记录"))  # fmt: skip
    elif any(verdict != "verified" for verdict in verdicts):
        problems = "; ".join(problem for claim in variables.claims for problem in claim.problems)[:200]
        doubts.append(_Doubt(_PARTLY, f"Part of it is not in the records cited: {problems}",
                             f"部分内容不在所引用的记录中：{problems}"))  # fmt: skip
    return doubts


def _answers(form: QuestionForm, variables: CheckerVariables) -> bool:
    """Whether the answer is of the kind the question asks for."""
    answer = variables.answer.final_answer
    if not answer.strip():
        return False
    if form.kind == "colour":
        return bool(find_colours(answer))
    if form.wants_seconds and form.kind in ("when", "cuts"):
        return _inside(answer, variables)
    if form.kind == "cuts":
        return bool(re.search(_NUMBER, answer, re.IGNORECASE))
    pattern = _FORMS.get(form.kind)
    return pattern is None or bool(re.search(pattern, answer, re.IGNORECASE))


def _inside(answer: str, variables: CheckerVariables) -> bool:
    """Whether the first time named lies inside one of the videos."""
    match = re.search(r"(?:(\d+):)?(\d+(?:\.\d+)?)", answer)
    if match is None:
        return False
    time_s = int(match[1] or 0) * 60 + float(match[2])
    return not variables.videos or time_s <= max(video.duration_s for video in variables.videos) + 1
