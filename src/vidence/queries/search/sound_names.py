"""Map usual words for sounds, English or Chinese, to event types and finer names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache

from vidence.language.identify import has_han
from vidence.language.tables import read_table
from vidence.language.tokens import stems
from vidence.models.sounds.audio_events.labels import CLASSES
from vidence.models.sounds.detector import SoundEvents

__all__ = ["known_types", "near_types", "sound_names"]

_MORE = {
    "speech": "speech,voice,talk,talking,speaking,conversation,说话,讲话,语音,人声,对话,谈话",
    "silence": "silence,silent,quiet,静音,安静,寂静,无声,沉默",
    "clipping": "clipping,clipped,distortion,overload,削波,爆音,失真",
    "noise": "noise,static,hiss,噪声,噪音,杂音",
    "tone": "tone,单音,长音",
}
"""Words that the search table leaves out, since in a question they mean no particular sound."""
_NAMES = frozenset({*SoundEvents.labels, *CLASSES, "tone"})
"""All event types and finer names."""


def known_types() -> list[str]:
    """Return all event types, sorted."""
    return sorted(SoundEvents.labels)


def sound_names(asked: str) -> frozenset[str]:
    """Return the event types and finer names that a word or phrase means; empty if it is unknown.

    An event name means itself, a word for a sound means the sounds it names, and a word for a kind of sound
    (animal, water, 动物) means all sounds of that kind.
    """
    plain = re.sub(r"[\s\-_]+", "_", asked.strip().lower())
    if plain in _NAMES:
        return frozenset({plain})
    return _chinese(plain) if has_han(plain) else _english(plain)


def near_types(asked: str) -> list[str]:
    """Return event types with a name or a synonym spelled similarly."""
    plain = re.sub(r"[\s\-_]+", "_", asked.strip().lower())
    words = {word.replace(" ", "_"): name for name, word in reversed(list(_words()))}
    words |= {name: name for name in known_types()}
    near = difflib.get_close_matches(plain, words, n=6, cutoff=0.6)
    return list(dict.fromkeys(words[word] for word in near if words[word] in SoundEvents.labels))[:3]


def _english(plain: str) -> frozenset[str]:
    """Return the sounds that all known words of a phrase share, else those that any of them means."""
    meant = [found for stem in stems(plain.replace("_", " ")) if (found := _by_stem().get(stem))]
    if not meant:
        return frozenset()
    return frozenset.intersection(*meant) or frozenset.union(*meant)


def _chinese(plain: str) -> frozenset[str]:
    """Return the sounds named by the longest known words inside a phrase: 汽车喇叭声 contains 喇叭."""
    held = [(word, name) for name, word in [*_words(), *_kinds()] if has_han(word) and word in plain]
    longest = max((len(word) for word, _ in held), default=0)
    return frozenset(name for word, name in held if len(word) == longest)


@lru_cache(maxsize=1)
def _by_stem() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, word in [*_words(), *_kinds()]:
        for stem in stems(word):
            found.setdefault(stem, set()).add(name)
    return {stem: frozenset(names) for stem, names in found.items()}


def _words() -> Iterator[tuple[str, str]]:
    """Yield each name with a word for it."""
    rows = [(row[0], row[1]) for row in read_table("search_sounds.tsv")]
    for name, words in [*rows, *_MORE.items()]:
        if name in _NAMES:
            yield from ((name, word) for word in words.split(","))


def _kinds() -> Iterator[tuple[str, str]]:
    """Yield each name with a word for what kind of sound it is."""
    for name, _, kinds in read_table("search_sounds.tsv"):
        if name in _NAMES:
            yield from ((name, kind) for kind in kinds.split(","))
