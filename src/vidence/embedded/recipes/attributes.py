"""What a question names as one attribute: the weather, time of day, language, colour, or how it was made."""

from __future__ import annotations

from vidence.embedded.recipes.made import tell_made
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, has_cue, read, untold
from vidence.embedded.recipes.scene import most_agree, scene_words, scenes_at
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import pick, sentence
from vidence.language.colours import find_colours
from vidence.language.identify import spoken_language
from vidence.language.question import Question, read_question
from vidence.ops.get_transcript import GetTranscriptResult
from vidence.runs.notes import noted_lines

__all__ = ["answer", "attribute_of"]

_FRAMES = 5
_SCENE = {"weather": "weather", "daytime": "time_of_day"}
"""The attribute of a scene that a type of answer asks for."""
_SPOKEN = "language"
_TONE, _MADE = "tone", "made"
_TELLING = 400
"""Characters of a transcript by which its language is told."""
_LEAST, _AGREED, _SURE = 0.3, 0.4, 0.85
_GREYS = frozenset({"black", "white", "grey"})


def attribute_of(question: Question) -> str | None:
    """Return the attribute that a question asks for; None where it asks for something else."""
    expected = question.expected.type
    if has_cue("tone_asked", question.form.asked):
        return _TONE
    if has_cue("made_asked", question.form.asked):
        return _MADE
    if expected == _SPOKEN:
        return _SPOKEN if question.form.sense in ("said", "heard") else None
    return _SCENE.get(expected)


def answer(inquiry: Inquiry) -> Steps:
    """Tell the attribute that most looks agree on, or the language of the transcript."""
    name = attribute_of(read_question(inquiry.variables.question))
    assert name is not None
    language = inquiry.language
    if name == _TONE:
        return (yield from _tone(inquiry))
    if name == _MADE:
        return (yield from tell_made(inquiry))
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
            _SURE,
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


def _tone(inquiry: Inquiry) -> Steps:
    """Tell whether the picture is black and white, as notes say of each shot that is, or has a colour."""
    language, span = inquiry.language, (yield from find_span(inquiry))
    (record,) = yield [call("get_notes", inquiry, language=language)]
    notes = [one for one in (noted_lines(record) if record else ()) if one.kind == "seen" and span.holds(one)]
    grey = [one for one in notes if has_cue("grey_picture", one.text)]
    lasts_s = sum(min(one.end_time, span.end_s) - max(one.start_time, span.start_s) for one in grey)
    is_grey = 2 * lasts_s > span.end_s - span.start_s
    proof = grey[0] if is_grey else next((one for one in notes if set(find_colours(one.text)) - _GREYS), None)
    if proof is None:
        return untold(inquiry)
    asked = [name for name in ("tone_grey", "tone_colour") if has_cue(name, inquiry.form.text)]
    told = "tone_grey" if is_grey else "tone_colour"
    said = inquiry.say(told if len(asked) > 1 else "yes" if told in asked else "no")
    return Finding(sentence(said, language), _SURE, claim(proof.text, record, proof, quote=proof.text))
