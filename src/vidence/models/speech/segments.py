"""From Whisper's segments to utterances: which were really said, and when in the recording.

Whisper writes fluent text over noise, music and silence, and its windows leave out the pauses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from vidence.models.speech.speakers import voice_pitch
from vidence.models.speech.whisper import HeardSegment
from vidence.models.speech.windows import RATE, SpeechSpan
from vidence.schema.perception import FloatArray, SpeechWord
from vidence.schema.speech import Utterance, Word

__all__ = ["KEEP", "after", "is_loop", "is_phantom", "left_out", "said_probability", "unheard", "utterances"]

_SPLIT_GAP_S = 1.0
"""A pause this long ends an utterance."""

_MIN_REST_S = 1.2
"""Whisper sometimes stops after one of several sentences: this much speech after it is decoded again."""
_MIN_PROGRESS_S = 0.2
"""An answer that ends sooner made no progress, and the rest would be decoded for ever."""

_BREATH = RATE // 2
_SHORTEST_S = 0.02
KEEP = 0.5
"""Less probable segments are dropped."""

# Logistic fit on 85 spoken segments (clean and mixed with noise at 3 to 25 dB) against 31 that Whisper
# base invented on 400 ESC-50 clips; left-out folds were told apart 97 to 100 % of the time.
_WORDS, _LANGUAGE, _NO_SPEECH, _VOICE, _BIAS = 1.847, 1.205, -1.639, 1.236, -0.927

_MAX_COMPRESSION = 2.4
"""Text that shrinks more than this is one phrase over and over."""
_SURE = 0.9
_PHANTOMS = re.compile(
    r"^(thanks?( you)?( (so|very) much)?( for watching)?|you|bye( bye)?|please subscribe.*|"
    r"subtitles? by .*|.*amara\.org.*|transcri(bed|ption) by .*|i'?m sorry|okay|yeah|"
    r"m+h?m*|h+m+|u+h+|u+m+|a+h+|o+h+|"
    r"嗯+([,，]?好)?|请不吝点赞.*|.*(点赞|订阅).*(转发|打赏).*|字幕.*(提供|制作|志愿者).*|谢谢(大家|观看|收看)*|"
    r"(ご視聴)?ありがとうございました|редактор субтитров.*|продолжение следует|.*♪.*)$",
    re.IGNORECASE,
)
"""What Whisper writes when there is nothing to hear; kept only with a high probability."""


def utterances(segment: HeardSegment, score: float, spans: Sequence[SpeechSpan]) -> Iterator[Utterance]:
    """Put a segment back into video time, cut in two where a silence had been left out."""
    words = [_real(word, spans) for word in segment.words]
    cuts = [i + 1 for i, (a, b) in enumerate(pairwise(words)) if b.start_time - a.end_time >= _SPLIT_GAP_S]
    for first, last in pairwise([0, *cuts, len(words)]):
        part = words[first:last]
        text = segment.text if not cuts else _spell(part, segment.language)
        if part and text:
            yield Utterance(
                start_time=part[0].start_time,
                end_time=max(part[-1].end_time, part[0].start_time),
                text=text,
                language=segment.language,
                confidence=score,
                words=tuple(part),
                pitch_hz=voice_pitch(_sound(part[0].start_time, part[-1].end_time, spans)),
            )


def left_out(spans: Sequence[SpeechSpan], written: Sequence[HeardSegment]) -> list[SpeechSpan]:
    """Return the speech after the last decoded word, if there is enough of it to decode on its own."""
    reached_s = max((one.end_s for one in written), default=0.0)
    if reached_s <= _MIN_PROGRESS_S:
        return []
    rest = after(spans, reached_s)
    return rest if sum(span.duration_s for span in rest) >= _MIN_REST_S else []


def unheard(spans: Sequence[SpeechSpan], kept: Sequence[Utterance]) -> list[SpeechSpan]:
    """Return the stretches of several that are long enough for words, but of which no word was kept."""
    times = [(word.start_time + word.end_time) / 2 for one in kept for word in one.words]
    return [
        span
        for span in spans
        if len(spans) > 1
        and span.duration_s >= _MIN_REST_S
        and not any(span.start_s <= time_s <= span.end_s for time_s in times)
    ]


def after(spans: Sequence[SpeechSpan], window_s: float) -> list[SpeechSpan]:
    """Return what of the spans lies after a time of their window."""
    rest, at = [], 0.0
    for span in spans:
        skip = round(max(0.0, window_s - at) * RATE)
        # So little at the end of a span is only breath after the last word.
        if not skip or skip <= len(span.samples) - _BREATH:
            rest.append(replace(span, start_s=span.start_s + skip / RATE, samples=span.samples[skip:]))
        at += span.duration_s
    return rest


def _real(word: SpeechWord, spans: Sequence[SpeechSpan]) -> Word:
    """Put a word into the span that holds its middle: it was said before or after the pause, not across."""
    at, middle = 0.0, (word.start_s + word.end_s) / 2
    for span in spans[:-1]:
        if middle <= at + span.duration_s:
            break
        at += span.duration_s
    else:
        span = spans[-1]
    start, end = (
        span.start_s + min(max(time_s - at, 0.0), span.duration_s) for time_s in (word.start_s, word.end_s)
    )
    # A word pressed against the end of its span still takes a moment.
    start = max(span.start_s, min(start, end - _SHORTEST_S))
    return Word(text=word.text, start_time=start, end_time=max(start, end), confidence=word.confidence)


def _sound(start_s: float, end_s: float, spans: Sequence[SpeechSpan]) -> FloatArray:
    parts = [
        span.samples[
            max(0, int((start_s - span.start_s) * RATE)) : max(0, int((end_s - span.start_s) * RATE))
        ]
        for span in spans
    ]
    return np.concatenate(parts)


def _spell(words: Sequence[Word], language: str) -> str:
    return ("" if language in ("zh", "ja", "th", "yue") else " ").join(word.text for word in words)


def said_probability(segment: HeardSegment, *, language: float, voice: float) -> float:
    """Return how probable it is that the segment was spoken.

    Args:
        language: probability of the window's likeliest language; noise has none.
        voice: mean speech probability of the frames, from the voice detector.
    """
    p = min(max(segment.word_probability, 0.0), 1.0)
    words = math.log((p + 0.02) / (1.02 - p))
    score = _WORDS * words + _LANGUAGE * language + _NO_SPEECH * segment.no_speech + _VOICE * voice + _BIAS
    probability = 1.0 / (1.0 + math.exp(-score))
    if is_loop(segment) or not re.search(r"\w", segment.text):
        return 0.0
    if is_phantom(segment.text) and probability < _SURE:
        return min(probability, KEEP / 2)
    return probability


def is_loop(segment: HeardSegment) -> bool:
    """Say whether the text repeats itself."""
    text = segment.text
    units = re.findall(r"[\u4e00-\u9fff]|\w+", text.lower())
    if len(units) >= 4 and len(set(units)) <= len(units) / 4:
        return True
    if re.search(r"([^\W\d])\1{5,}", text.lower()):
        return True
    return segment.compression > _MAX_COMPRESSION and bool(re.search(r"(.{2,30}?)\1{3,}", text))


def is_phantom(text: str) -> bool:
    """Say whether the whole text is one that Whisper often invents."""
    return _PHANTOMS.match(text.strip(" .。!！?？,，、…-\"'")) is not None
