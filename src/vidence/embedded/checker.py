"""The embedded Checker: judges an answer by its claims, its form and its own probability."""

from __future__ import annotations

import re

from vidence.embedded.wire import json_reply, read_variables
from vidence.language.colours import find_colours
from vidence.language.phrases import phrase
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
    for factor, _ in doubts:
        probability *= factor
    score = score_of(probability)
    if score >= PASS_SCORE:
        return CheckerResponse(confidence_score=score)
    reasons = [reason for _, reason in doubts] or [phrase("doubt_thin", variables.language)]
    feedback = ("；" if variables.language == "zh" else "; ").join(reasons)
    return CheckerResponse(confidence_score=score, feedback=feedback)


def _doubts(variables: CheckerVariables) -> list[tuple[float, str]]:
    """Return what speaks against an answer: a factor of its probability, and the reason in words."""
    language, doubts = variables.language, []
    if not variables.options:
        form = read_question(variables.question).form
        if not variables.answer.cannot_tell and not _answers(form, variables):
            doubts.append((_WRONG_FORM, phrase("doubt_kind", language, form.kind)))
    verdicts = [claim.verdict for claim in variables.claims]
    if not any(verdict in ("verified", "partly") for verdict in verdicts):
        doubts.append((_UNPROVEN, phrase("doubt_unproven", language)))
    elif any(verdict != "verified" for verdict in verdicts):
        problems = "; ".join(problem for claim in variables.claims for problem in claim.problems)[:200]
        doubts.append((_PARTLY, phrase("doubt_partly", language, problems)))
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
