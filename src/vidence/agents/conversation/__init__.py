"""Talking over several turns: what kind of words were said, and what a follow-up means."""

from vidence.agents.conversation.follow_up import Resolved, Turn, resolve
from vidence.language.question.utterance import Utterance, read_utterance

__all__ = ["Resolved", "Turn", "Utterance", "read_utterance", "resolve"]
