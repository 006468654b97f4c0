"""Understanding questions: what is asked, about what, and when."""

from vidence.agents.embedded.question.form import Anchor, Kind, QuestionForm, Target
from vidence.agents.embedded.question.understand import targets_of, understand

__all__ = ["Anchor", "Kind", "QuestionForm", "Target", "targets_of", "understand"]
