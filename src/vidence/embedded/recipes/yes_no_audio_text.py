"""Yes or no: whether something is heard, said or written."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    has_cue,
    lines_of,
    sounds_of,
)
from vidence.embedded.recipes.shown import plain_letters, written_lines
from vidence.embedded.recipes.sounds import asked_kinds, asked_sounds, fits_kinds, sound_words
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import between, joined, quoted
from vidence.language.identify import has_han
from vidence.language.tokens import stems
from vidence.ops.detect_audio_events import AudioEvent
from vidence.ops.get_transcript import TranscriptLine
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import NotedLine

__all__ = ["is_heard", "is_said", "is_written"]


_BESIDE_S = 0.5


def is_heard(inquiry: Inquiry) -> Steps:
    """Answer whether the sounds that the question names, a voice or anything can be heard."""
    language, asked = inquiry.language, inquiry.form.text
    span = yield from find_span(inquiry)
    sounds, speech = yield (call("detect_audio_events", inquiry), call("get_transcript", inquiry))
    events = [one for one in sounds_of(sounds) if span.holds(one, _BESIDE_S)]
    lines = [one for one in lines_of(speech) if span.holds(one, _BESIDE_S)]
    if lines and has_cue("speech", asked):
        return _yes(inquiry, lines[0], speech, 0.85, "yes_voice")
    names, kinds = asked_sounds(asked), asked_kinds(asked)
    fits = [one for one in events if names & {one.event_type, one.description}]
    if kinds and not names:
        fits = [one for one in events if fits_kinds(one, kinds)]
    if not fits and has_cue("any_sound", asked):
        fits = events
    if not fits:
        return _not_heard(inquiry, events, bool(lines), sounds)
    best = max(fits, key=lambda one: one.confidence)
    when = between(best.start_time, best.end_time, language)
    text = inquiry.say("yes_heard", sound_words(best, language), when=when)
    return Finding(text, 0.55 + 0.35 * best.confidence, claim(text, sounds, best, quote=best.event_type))


def _not_heard(
    inquiry: Inquiry, events: Sequence[AudioEvent], talks: bool, record: EvidenceRecord | None
) -> Finding:
    names = list(dict.fromkeys(sound_words(one, inquiry.language) for one in events[:3]))
    names += [inquiry.say("speech_sound")] if talks else []
    text = inquiry.say("only_heard", joined(names, inquiry.language)) if names else inquiry.say("all_silent")
    if not inquiry.variables.videos[0].has_audio:
        text = inquiry.say("no_track")
    return Finding(text, 0.7 if names else 0.85, claim(text, record))


def is_said(inquiry: Inquiry) -> Steps:
    """Answer whether words, a topic or anything is said, or whether a language is spoken."""
    form = inquiry.form
    (record,) = yield (call("get_transcript", inquiry),)
    lines = lines_of(record)
    is_chinese = has_cue("in_chinese", form.text)
    if (is_chinese or has_cue("in_english", form.text)) and lines and not form.quoted:
        # The script of the transcript tells the language.
        spoken = next((line for line in lines if has_han(line.text) == is_chinese), None)
        if spoken is not None:
            return _yes(inquiry, spoken, record, 0.75)
        text = inquiry.say("other_tongue", quoted(lines[0].text))
        return Finding(text, 0.6, claim(text, record, quote=lines[0].text))
    topic = [target.head for target in form.targets if target.category != "person"][-1:]
    words = set(stems(" ".join(form.quoted or topic)))
    line = next((line for line in lines if words <= set(stems(line.text))), None)
    if line is not None:
        return _yes(inquiry, line, record, 0.85)
    text = inquiry.say("not_said" if lines else "no_speech")
    return Finding(text, 0.7, claim(text, record))


def is_written(inquiry: Inquiry) -> Steps:
    """Answer whether the quoted words, or any words, are on screen."""
    lines, record = yield from written_lines(inquiry)
    wanted = [bare for word in inquiry.form.quoted if (bare := plain_letters(word))]
    fits = [line for line in lines if not wanted or any(word in plain_letters(line.text) for word in wanted)]
    if fits:
        return _yes(inquiry, max(fits, key=lambda line: line.confidence), record, 0.8)
    text = inquiry.say("not_written")
    return Finding(text, 0.6, claim(text, record))


def _yes(
    inquiry: Inquiry,
    line: TranscriptLine | NotedLine,
    record: EvidenceRecord | None,
    sure: float,
    name: str = "yes_words",
) -> Finding:
    """Answer yes with the words that prove it."""
    text = inquiry.say(name, quoted(line.text))
    return Finding(text, sure, claim(text, record, line, quote=line.text))
