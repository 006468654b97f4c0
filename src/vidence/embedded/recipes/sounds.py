"""Sounds by name and by kind: what a question asks for, and whether an event is that."""

from __future__ import annotations

from functools import lru_cache

from vidence.index.narrate.naming import sound_name
from vidence.language.search_words import stems
from vidence.language.tables import read_table
from vidence.ops.detect_audio_events import AudioEvent
from vidence.schema.agent import AnswerLanguage

__all__ = ["asked_kinds", "asked_sounds", "fits_kinds", "is_named", "sound_words"]

_SYNONYMS = {
    word: kind
    for kind, words in {
        "human": "person people bodily body mouth man woman 人 人声",
        "animal": "pet 动物",
        "aircraft": "aeroplane aviation flying 飞行器 航空",
        "water": "liquid sea 水 水声",
        "machine": "household appliance tool 机器",
        "music": "instrument 音乐",
        "natural": "nature 自然",
        "vehicle": "traffic 交通",
        "weather": "天气",
    }.items()
    for word in words.split()
}
_KINDS = frozenset(
    {
        "animal",
        "human",
        "water",
        "aircraft",
        "natural",
        "vehicle",
        "machine",
        "bell",
        "weather",
        "bird",
        "music",
    }
)
_MUSICAL = frozenset({"music", "singing"})


def asked_kinds(question: str) -> frozenset[str]:
    """Return the kinds of sound a question restricts itself to: animal, human, water, aircraft, …

    Only words before the sound or the hearing are read: "which animal sound is heard while the woman plays".
    """
    lowered = question.lower()
    cut = min(
        (
            place
            for word in (" heard", " hear ", " sound", " noise", "声", "听")
            if (place := lowered.find(word)) > 0
        ),
        default=len(lowered),
    )
    front = lowered[: cut + 1]
    words = front.replace("(", " ").replace(")", " ").replace("-", " ").split() if front.isascii() else []
    found = {_SYNONYMS.get(word.strip(",.?"), word.strip(",.?")) for word in words} & _KINDS
    found |= {kind for word, kind in _SYNONYMS.items() if not word.isascii() and word in front}
    return frozenset(found - {"human"} if "animal" in found else found)


def fits_kinds(event: AudioEvent, kinds: frozenset[str]) -> bool:
    """Say whether a sound is of every kind asked for; any sound is when none is."""
    if not kinds:
        return True
    own = _kinds_of(event)
    return kinds <= own or ("natural" in kinds and bool((kinds - {"natural"}) & own) and "natural" in own)


def asked_sounds(question: str) -> frozenset[str]:
    """Return the event types whose own names a question holds: a bark is dog_bark."""
    wanted = set(stems(question))
    lowered = question.lower()
    return frozenset(
        name
        for name, (english, chinese, _) in _table().items()
        if english & wanted or any(word in lowered for word in chinese)
    )


def is_named(question: str) -> bool:
    """Say whether the question names a sound or a kind of sound at all."""
    return bool(asked_sounds(question) or asked_kinds(question))


def sound_words(event: AudioEvent, language: AnswerLanguage) -> str:
    """Return what to call a sound in the language."""
    known = sound_name(event.event_type, event.description or "")
    return known.zh if language == "zh" else known.en


def _kinds_of(event: AudioEvent) -> frozenset[str]:
    own: set[str] = set()
    for name in (event.event_type, event.description or ""):
        if name in _table():
            own |= _table()[name][2]
    if event.event_type in _MUSICAL:
        own |= {"music"}
    return frozenset(own)


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[frozenset[str], tuple[str, ...], frozenset[str]]]:
    """Return per sound: English stems for it, Chinese words for it, and its kinds."""
    table = {}
    for name, words, kinds in read_table("search_sounds.tsv"):
        each = words.split(",")
        english = frozenset(stem for word in each if word.isascii() for stem in stems(word))
        chinese = tuple(word for word in each if not word.isascii())
        of = frozenset(_SYNONYMS.get(kind, kind) for kind in kinds.split(","))
        table[name] = (english, chinese, of | ({"natural"} if "nature" in kinds else frozenset()))
    return table
