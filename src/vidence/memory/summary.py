"""The summary of a window of conversation: what was told and asked, without the chatter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from vidence.language.numbers import numbers_in
from vidence.language.tables import pattern_of
from vidence.language.tokens import sentences, terms
from vidence.schema.memory import ConversationMessage

__all__ = ["summarise_window"]

_SHARE = 0.6
"""The part of a window's words that its summary may take up."""
_LEAST_CHARS = 120
_LONGEST_SENTENCE = 240
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’-]+|[\u3400-\u9fff]{2,}(?=叫)|\bmy\b|我的|我叫", re.MULTILINE)


def summarise_window(window: Sequence[ConversationMessage]) -> str:
    """Return when it was and who said what: the sentences that tell most, in a share of the words."""
    said = [
        (place, sentence[:_LONGEST_SENTENCE])
        for place, message in enumerate(window)
        for sentence in sentences(message["content"])
        if sentence.strip()
    ]
    room = max(_LEAST_CHARS, int(_SHARE * sum(len(text) for _, text in said)))
    kept: list[tuple[int, int]] = []
    for place in sorted(
        range(len(said)), key=lambda one: (-_weight(said[one][1], window[said[one][0]]), one)
    ):
        message, text = said[place]
        if kept and (len(text) > room or _weight(text, window[message]) <= 0):
            continue
        kept.append((message, place))
        room -= len(text)
    spoken: dict[int, list[str]] = {}
    for message, place in sorted(kept):
        spoken.setdefault(message, []).append(said[place][1])
    lines = [f"{window[message]['role']}: {' '.join(texts)}" for message, texts in spoken.items()]
    when = datetime.fromtimestamp(window[0]["timestamp"]).strftime("%Y-%m-%d %H:%M")
    return f"[{when}] " + "\n".join(lines)


def _weight(sentence: str, message: ConversationMessage) -> float:
    """Return how much a sentence tells: names, numbers and content words; what the user tells counts more."""
    if pattern_of("chatter.tsv", "chatter").fullmatch(sentence.strip(" .,!?。，！？~")):
        return 0.0
    facts = len(_NAME.findall(sentence)) + len(numbers_in(sentence))
    words = min(len(set(terms(sentence))), 12)
    own = 1.5 if message["role"] == "user" else 1.0
    return own * (0.25 * words + facts)
