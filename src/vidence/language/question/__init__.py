"""Understanding questions: what is asked, about what, and when."""

from vidence.language.question.form import Anchor, Kind, QuestionForm, Target
from vidence.language.question.understand import targets_of, understand

__all__ = ["Anchor", "Kind", "QuestionForm", "Target", "targets_of", "understand"]
