"""Choosing between given options by what timed captions say."""

from vidence.embedded.choice.score import ChoiceScores, OptionScore, Witness, score_options
from vidence.embedded.choice.vectors import Embed, VectorCache

__all__ = ["ChoiceScores", "Embed", "OptionScore", "VectorCache", "Witness", "score_options"]
