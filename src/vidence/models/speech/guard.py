"""Decides whether what Whisper wrote was said at all: it writes fluent text over noise, music and silence."""

from __future__ import annotations

import math
import re

from vidence.models.speech.whisper import HeardSegment

__all__ = ["KEEP", "is_loop", "is_phantom", "said_probability"]

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
    r"以下是普通话的句子|请不吝点赞.*|.*(点赞|订阅).*(转发|打赏).*|字幕.*(提供|制作|志愿者).*|谢谢(大家|观看|收看)*|"
    r"(ご視聴)?ありがとうございました|редактор субтитров.*|продолжение следует|.*♪.*)$",
    re.IGNORECASE,
)
"""What Whisper says when there is nothing to hear; believed only when everything else is sure."""


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
    """Say whether the text goes round in circles."""
    text = segment.text
    units = re.findall(r"[\u4e00-\u9fff]|\w+", text.lower())
    if len(units) >= 4 and len(set(units)) <= len(units) / 4:
        return True
    if re.search(r"([^\W\d])\1{5,}", text.lower()):
        return True
    return segment.compression > _MAX_COMPRESSION and bool(re.search(r"(.{2,30}?)\1{3,}", text))


def is_phantom(text: str) -> bool:
    """Say whether the whole text is one of Whisper's usual inventions."""
    return _PHANTOMS.match(text.strip(" .。!！?？,，、…-\"'")) is not None
