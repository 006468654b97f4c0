"""Descriptions by a vision model: the prompt with our rules, and cutting the answer to length."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.index.narrate.describe import Description, voice_for
from vidence.index.narrate.facts import Facts
from vidence.index.narrate.voice import Detail, Language
from vidence.models.protocols import Captioner
from vidence.prompts import load_template
from vidence.schema.perception import Rgb

__all__ = ["CAPTION_FRAMES", "caption_times", "captioned", "fit", "prompt_for"]

CAPTION_FRAMES = 8
"""The most frames a vision model is sent for one description."""

_LENGTH: dict[Language, dict[Detail, str]] = {
    "en": {
        "brief": "Use one sentence of fewer than 20 words.",
        "standard": "Use two or three sentences.",
        "detailed": "Use at least six sentences.",
    },
    "zh": {
        "brief": "只用一句话，不超过三十个字。",
        "standard": "用两到三句话。",
        "detailed": "至少用六句话。",
    },
}
_FOCUS: dict[Language, str] = {
    "en": "Speak about this above all: {asked}. If nothing of the sort is seen, say so plainly.",
    "zh": "请重点描述：{asked}。如果没有看到，请直接说明。",
}
_END: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?<=[.!?])[”\"']?\s+(?=[A-Z“\"'])"),
    "zh": re.compile(r"(?<=[。！？])"),
}
_BASE, _AGREED = 0.6, 0.35


def prompt_for(detail: Detail, language: Language, asked: str | None) -> str:
    """Return the prompt for the vision model."""
    focus = _FOCUS[language].format(asked=asked) if asked else ""
    return (
        load_template("caption.picture", language).fill(length=_LENGTH[language][detail], focus=focus).strip()
    )


def captioned(
    captioner: Captioner,
    images: Sequence[Rgb],
    facts: Facts,
    *,
    detail: Detail,
    language: Language,
    asked: str | None = None,
) -> Description:
    """Return the vision model's description, more confident where it names what the detector found."""
    answer = captioner.caption(images, prompt=prompt_for(detail, language, asked))
    text = fit(answer, detail, language)
    return Description(text, round(_BASE + _AGREED * _agreement(text, facts, language), 3))


def caption_times(facts: Facts) -> list[float]:
    """Return the times of the frames to send, at most eight, spread over the shots."""
    spans = [shot.span for shot in facts.shots]
    if len(spans) >= CAPTION_FRAMES:
        step = (len(spans) - 1) / (CAPTION_FRAMES - 1)
        spans = [spans[round(index * step)] for index in range(CAPTION_FRAMES)]
        return sorted({(span.start_time + span.end_time) / 2 for span in spans})
    each = CAPTION_FRAMES // len(spans)
    return [
        span.start_time + span.duration_s * (index + 0.5) / each for span in spans for index in range(each)
    ]


def fit(text: str, detail: Detail, language: Language) -> str:
    """Cut an answer to the length of its level; a vision model does not always keep to it."""
    parts = [part.strip() for part in _END[language].split(" ".join(text.split())) if part.strip()]
    if detail == "standard":
        parts = parts[:3]
    elif detail == "brief":
        parts = [_short(parts[0], language)]
    return (" " if language == "en" else "").join(parts)


def _short(sentence: str, language: Language) -> str:
    """Drop words from the end until the sentence is brief enough."""
    voice, words = voice_for(language), sentence.split() if language == "en" else list(sentence)
    while len(words) > 1 and not voice.fits(_cut(words, sentence, language)):
        words = words[:-1]
    return _cut(words, sentence, language)


def _cut(words: Sequence[str], whole: str, language: Language) -> str:
    text = (" " if language == "en" else "").join(words)
    return text if text == whole else f"{text.rstrip(' ,;:，；：、')}…"


def _agreement(text: str, facts: Facts, language: Language) -> float:
    """Return the share of the certain things that the text mentions."""
    names = {
        name
        for shot in facts.shots
        for thing in shot.things
        if thing.sure
        for name in [thing.name.en if language == "en" else thing.name.zh]
    }
    lowered = text.lower()
    return sum(name.lower() in lowered for name in names) / len(names) if names else 0.5
