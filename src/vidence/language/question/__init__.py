"""Understanding questions: `read_question` is the one entry, its parts are modules of this package."""

from vidence.language.question.expect import AnswerType, Expected, suits
from vidence.language.question.form import Anchor, Kind, Ordinal, QuestionForm, Relation, Target
from vidence.language.question.read import Cues, Question, read_question
from vidence.language.question.search import SearchQuery
from vidence.language.question.state import StateAspect, StateQuestion
from vidence.language.question.understand import actions_of, name_of, targets_of
from vidence.language.question.utterance import ChatUtterance

__all__ = [
    "Anchor",
    "AnswerType",
    "ChatUtterance",
    "Cues",
    "Expected",
    "Kind",
    "Ordinal",
    "Question",
    "QuestionForm",
    "Relation",
    "SearchQuery",
    "StateAspect",
    "StateQuestion",
    "Target",
    "actions_of",
    "name_of",
    "read_question",
    "suits",
    "targets_of",
]
