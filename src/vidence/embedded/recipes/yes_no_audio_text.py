"""Yes or no: whether something is heard, said or written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    lines_of,
    sounds_of,
)
from vidence.embedded.recipes.sounds import asked_kinds, asked_sounds, fits_kinds, sound_words
from vidence.embedded.recipes.spans import QuestionSpan, find_span
from vidence.embedded.recipes.wording import between, joined, pick, quoted
from vidence.embedded.recipes.written import plain_letters, written_lines
from vidence.language.identify import has_han
from vidence.language.tokens import stems
from vidence.ops.detect_audio_events import AudioEvent
from vidence.ops.get_transcript import TranscriptLine
from vidence.schema.evidence import EvidenceRecord

__all__ = ["is_heard", "is_said", "is_written"]

_SPEECH = re.compile(
    r"\b(?:speech|speak\w*|talk\w*|voice|say|said|words?)\b|说话|讲话|人声|语音", re.IGNORECASE
)


@dataclass(frozen=True)
class _Tongue:
    """A spoken language and the pattern of its names."""

    pattern: re.Pattern[str]
    is_chinese: bool


_TONGUES = (
    _Tongue(re.compile(r"\b(?:Chinese|Mandarin)\b|中文|汉语|普通话|中国话", re.IGNORECASE), True),
    _Tongue(re.compile(r"\bEnglish\b|英语|英文", re.IGNORECASE), False),
)


def is_heard(inquiry: Inquiry) -> Steps:
    span = yield from find_span(inquiry)
    sounds, speech = yield (call("detect_audio_events", inquiry), call("get_transcript", inquiry))
    events = [one for one in sounds_of(sounds) if _overlaps(one.start_time, one.end_time, span)]
    lines = [one for one in lines_of(speech) if _overlaps(one.start_time, one.end_time, span)]
    language, names = inquiry.form.language, asked_sounds(inquiry.form.text)
    kinds = asked_kinds(inquiry.form.text)
    if _SPEECH.search(inquiry.form.text) and lines:
        said = quoted(lines[0].text, language)
        text = pick(language, f"Yes, a voice says {said}.", f"有，有人说{said}。")
        return Finding(
            text,
            0.85,
            claim(text, speech, start_s=lines[0].start_time, end_s=lines[0].end_time, quote=lines[0].text),
        )
    fits = [one for one in events if one.event_type in names or (one.description or "") in names]
    fits = fits or ([one for one in events if kinds and fits_kinds(one, kinds)] if not names else [])
    fits = fits or (events if _any_sound(inquiry) else [])
    if fits:
        best = max(fits, key=lambda one: one.confidence)
        when = between(best.start_time, best.end_time, language)
        name = sound_words(best, language)
        text = pick(language, f"Yes, {name} can be heard at {when}.", f"有，在 {when}可以听到{name}。")
        proof = claim(text, sounds, start_s=best.start_time, end_s=best.end_time, quote=best.event_type)
        return Finding(text, 0.55 + 0.35 * best.confidence, proof)
    return _not_heard(inquiry, events, bool(lines), sounds)


def _any_sound(inquiry: Inquiry) -> bool:
    return bool(
        re.search(r"\b(?:any|a) (?:sound|noise|audio)\b|有声音|任何声音", inquiry.form.text, re.IGNORECASE)
    )


def _not_heard(
    inquiry: Inquiry, events: Sequence[AudioEvent], talks: bool, record: EvidenceRecord | None
) -> Finding:
    language = inquiry.form.language
    names = list(dict.fromkeys(sound_words(one, language) for one in events[:3]))
    names += [pick(language, "speech", "说话声")] if talks else []
    if not inquiry.variables.videos[0].has_audio:
        text = pick(language, "No, the video has no sound track.", "没有，视频没有音轨。")
    elif not names:
        text = pick(
            language, "No, nothing can be heard: the track is silent.", "没有，音轨是静音的，什么也听不到。"
        )
    else:
        only = joined(names, language)
        text = pick(language, f"No, that was not heard; only {only}.", f"没有，没有听到；只听到{only}。")
    return Finding(text, 0.85 if not names else 0.7, claim(text, record))


def is_said(inquiry: Inquiry) -> Steps:
    (record,) = yield (call("get_transcript", inquiry),)
    lines = lines_of(record)
    language, form = inquiry.form.language, inquiry.form
    tongue = next((one for one in _TONGUES if one.pattern.search(form.text)), None)
    if tongue is not None and lines and not form.quoted:
        return _in_tongue(inquiry, tongue, lines, record)
    words = set(stems(" ".join(form.quoted))) if form.quoted else _topic(inquiry)
    for line in lines:
        if (words and words <= set(stems(line.text))) or (not words and lines):
            text = pick(
                language, f"Yes: {quoted(line.text, language)}.", f"有：{quoted(line.text, language)}。"
            )
            return Finding(
                text, 0.85, claim(text, record, start_s=line.start_time, end_s=line.end_time, quote=line.text)
            )
    text = pick(language, "No, that is not said.", "没有，没有说到。")
    if not lines:
        text = pick(language, "No, nothing is said in the video.", "没有，视频中没有人说话。")
    return Finding(text, 0.7, claim(text, record))


def _in_tongue(
    inquiry: Inquiry, tongue: _Tongue, lines: Sequence[TranscriptLine], record: EvidenceRecord | None
) -> Finding:
    """Answer whether a language is spoken, by the script of the transcript."""
    language = inquiry.form.language
    spoken = next((line for line in lines if has_han(line.text) == tongue.is_chinese), None)
    if spoken is None:
        heard = quoted(lines[0].text, language)
        text = pick(language, f"No; what is said is {heard}.", f"没有；说的是{heard}。")
        return Finding(text, 0.6, claim(text, record, quote=lines[0].text))
    said = quoted(spoken.text, language)
    text = pick(language, f"Yes: {said}.", f"有：{said}。")
    proof = claim(text, record, start_s=spoken.start_time, end_s=spoken.end_time, quote=spoken.text)
    return Finding(text, 0.75, proof)


def _topic(inquiry: Inquiry) -> set[str]:
    heads = [target.head for target in inquiry.form.targets if target.category != "person"]
    return set(stems(" ".join(heads[-1:])))


def is_written(inquiry: Inquiry) -> Steps:
    """Answer whether the quoted words, or any words, are on screen."""
    lines, record = yield from written_lines(inquiry)
    language = inquiry.form.language
    wanted = [bare for word in inquiry.form.quoted if (bare := plain_letters(word))]
    fits = [line for line in lines if not wanted or any(word in plain_letters(line.text) for word in wanted)]
    if fits:
        best = max(fits, key=lambda line: line.confidence)
        text = pick(language, f"Yes: {quoted(best.text, language)}.", f"有：{quoted(best.text, language)}。")
        proof = claim(text, record, start_s=best.start_time, end_s=best.end_time, quote=best.text)
        return Finding(text, 0.8, proof)
    text = pick(language, "No, no such text was found.", "没有，没有找到这样的文字。")
    return Finding(text, 0.6, claim(text, record))


def _overlaps(start_s: float, end_s: float, span: QuestionSpan) -> bool:
    return end_s > span.start_s - 0.5 and start_s < span.end_s + 0.5
