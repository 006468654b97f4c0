"""`analyze_sentiment`: how texts speak, of something named or as a whole, in English and Chinese."""

from __future__ import annotations

from pydantic import Field

from vidence.intel.critic.sentiment import POLARITIES, Polarity, sentiment_of, sentiments
from vidence.intel.passages import plain_text
from vidence.language.tokens import sentences
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Result, TopicRequest
from vidence.schema.frozen import Frozen

__all__ = ["OPERATION", "AnalyzeSentimentRequest", "AnalyzeSentimentResult"]

_CLEAR = 0.6
"""The probability from which a sentence is an opinion."""
_MOST_OPINIONS = 50


class AnalyzeSentimentRequest(TopicRequest):
    """The texts to read."""

    texts: list[str] = Field(min_length=1, max_length=500, description="Sentences, reviews or short texts.")
    extract_opinions: bool = Field(
        default=False, description="Also list the sentences that clearly praise or blame."
    )
    target: str | None = Field(
        default=None,
        max_length=200,
        description="Whom or what the sentiment is towards; else the whole text.",
    )


class TextSentiment(Frozen):
    """The sentiment of one text."""

    text: str
    sentiment: Polarity
    probabilities: dict[Polarity, float]


class Opinion(Frozen):
    """A sentence that clearly praises or blames."""

    sentence: str
    sentiment: Polarity
    probability: float


class AnalyzeSentimentResult(Result):
    """The sentiment of each text, and how many there are of each."""

    results: list[TextSentiment]
    counts: dict[Polarity, int]
    opinions: list[Opinion] = Field(description="Empty unless `extract_opinions` was asked for.")


def run(context: OpContext, request: AnalyzeSentimentRequest) -> AnalyzeSentimentResult:
    """Rate each text, and each of its sentences where opinions are asked for."""
    model = context.shelf.text
    context.used(model.model_id)
    rated = sentiments(request.texts, model.embed, target=request.target)
    results = [
        TextSentiment(
            text=text,
            sentiment=sentiment_of(row),
            probabilities={name: round(float(one), 3) for name, one in zip(POLARITIES, row, strict=True)},
        )
        for text, row in zip(request.texts, rated, strict=True)
    ]
    counts = {name: sum(one.sentiment == name for one in results) for name in POLARITIES}
    opinions = _opinions(context, request) if request.extract_opinions else []
    return AnalyzeSentimentResult(results=results, counts=counts, opinions=opinions)


def _opinions(context: OpContext, request: AnalyzeSentimentRequest) -> list[Opinion]:
    lines = [line for text in request.texts for line in sentences(plain_text(text))]
    if request.target is not None:
        lines = [line for line in lines if request.target.casefold() in line.casefold()]
    if not lines:
        return []
    rated = sentiments(lines, context.shelf.text.embed, target=request.target)
    found = [
        Opinion(sentence=line, sentiment=sentiment_of(row), probability=round(float(row.max()), 3))
        for line, row in zip(lines, rated, strict=True)
        if sentiment_of(row) != "neutral" and row.max() >= _CLEAR
    ]
    return sorted(found, key=lambda one: -one.probability)[:_MOST_OPINIONS]


OPERATION = Operation(
    name="analyze_sentiment",
    category="topic",
    purpose="Tell whether texts praise, blame or neither, towards a target where one is named.",
    request=AnalyzeSentimentRequest,
    result=AnalyzeSentimentResult,
    run=run,
    stateful=True,
    example={"texts": ["The service was excellent."]},
    notes=(
        "English sentences are rated towards the target; Chinese texts as a whole, by a model of reviews. "
        "The probabilities are those of small models (docs/monitor.md says how often they are right)."
    ),
)
