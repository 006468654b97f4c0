"""Choose between given options by timed captions."""

from vidence.embedded.choice.captions import Embed, VectorCache
from vidence.embedded.choice.score import ChoiceScores, Witness, score_options

__all__ = ["ChoiceScores", "Embed", "VectorCache", "Witness", "score_options"]
