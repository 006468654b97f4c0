"""What a question names as one attribute: the weather, the time of day, the language that is spoken."""

from __future__ import annotations

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, read, untold
from vidence.embedded.recipes.scene import most_agree, scene_words, scenes_at
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import pick, sentence
from vidence.language.identify import spoken_language
from vidence.language.question import Question, read_question
from vidence.ops.get_transcript import GetTranscriptResult

__all__ = ["answer", "attribute_of"]

_FRAMES = 5
_SCENE = {"weather": "weather", "daytime": "time_of_day"}
"""The attribute of a scene that a type of answer asks for."""
_SPOKEN = "language"
_TELLING = 400
"""Characters of a transcript by which its language is told."""
_LEAST, _AGREED, _SURE_LANGUAGE = 0.3, 0.4, 0.85


def attribute_of(question: Question) -> str | None:
    """Return the attribute that a question asks for; None where it asks for something else."""
    expected = question.expected.type
    if expected == _SPOKEN:
        return _SPOKEN if question.form.sense in ("said", "heard") else None
    return _SCENE.get(expected)


def answer(inquiry: Inquiry) -> Steps:
    """Tell the attribute that most looks agree on, or the language of the transcript."""
    name = attribute_of(read_question(inquiry.variables.question))
    assert name is not None
    language = inquiry.language
    if name == _SPOKEN:
        (record,) = yield [call("get_transcript", inquiry)]
        told = read(record, GetTranscriptResult)
        said = " ".join(line.text for line in told.transcript)[:_TELLING] if told else ""
        spoken = spoken_language(said)
        if spoken is None or record is None:
            return untold(inquiry)
        quote = told.transcript[0].text if told else None
        return Finding(
            sentence(pick(language, *spoken), language),
            _SURE_LANGUAGE,
            claim(inquiry.say("spoken_in", pick(language, *spoken)), record, quote=quote),
        )
    span = yield from find_span(inquiry)
    times = sample_times(span, _FRAMES)
    looks = yield from scenes_at(inquiry, times)
    agreed = most_agree(looks, name)
    if agreed is None:
        return untold(inquiry)
    value, count, shown = agreed
    text = sentence(pick(language, *scene_words(name, value)), language)
    return Finding(text, _LEAST + _AGREED * count / len(times), claim(text, shown, quote=value))
