"""From the time of a window, which leaves out the silences, back to the time of the recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from vidence.models.speech.speakers import voice_pitch
from vidence.models.speech.whisper import HeardSegment
from vidence.models.speech.windows import RATE, Span
from vidence.schema.perception import FloatArray, SpeechWord
from vidence.schema.speech import Utterance, Word

__all__ = ["after", "left_unheard", "utterances"]

_SPLIT_GAP_S = 1.0
"""A pause this long ends an utterance."""

_MIN_REST_S = 1.2
"""Speech this long after the last word written: now and then Whisper stops after one sentence of several."""
_MIN_HEARD_S = 0.2
"""What ends sooner has not moved on: the rest is the same sound again, and would be heard so for ever."""

_BREATH = RATE // 2
_SHORTEST_S = 0.02


def utterances(segment: HeardSegment, score: float, spans: Sequence[Span]) -> Iterator[Utterance]:
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


def left_unheard(spans: Sequence[Span], written: Sequence[HeardSegment]) -> list[Span]:
    """Return the speech after the last word written, if there is enough of it to be heard on its own."""
    reached_s = max((one.end_s for one in written), default=0.0)
    if reached_s <= _MIN_HEARD_S:
        return []
    rest = after(spans, reached_s)
    return rest if sum(span.duration_s for span in rest) >= _MIN_REST_S else []


def after(spans: Sequence[Span], window_s: float) -> list[Span]:
    """Return what of the spans lies after a time of their window."""
    rest, at = [], 0.0
    for span in spans:
        skip = round(max(0.0, window_s - at) * RATE)
        # So little at the end of a span is the breath after the last word.
        if not skip or skip <= len(span.samples) - _BREATH:
            rest.append(replace(span, start_s=span.start_s + skip / RATE, samples=span.samples[skip:]))
        at += span.duration_s
    return rest


def _real(word: SpeechWord, spans: Sequence[Span]) -> Word:
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


def _sound(start_s: float, end_s: float, spans: Sequence[Span]) -> FloatArray:
    parts = [
        span.samples[
            max(0, int((start_s - span.start_s) * RATE)) : max(0, int((end_s - span.start_s) * RATE))
        ]
        for span in spans
    ]
    return np.concatenate(parts)


def _spell(words: Sequence[Word], language: str) -> str:
    return ("" if language in ("zh", "ja", "th", "yue") else " ").join(word.text for word in words)
