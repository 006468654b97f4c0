"""What people call sounds: any usual word, English or Chinese, to the names events carry."""

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
"""Beyond the table that search reads: words that in a question mean no sound in particular."""
_NAMES = frozenset({*SoundEvents.labels, *CLASSES, "tone"})
"""What an event may be called, by its type or more finely."""


def known_types() -> list[str]:
    """Return every event type there is, sorted."""
    return sorted(SoundEvents.labels)


def sound_names(asked: str) -> frozenset[str]:
    """Return the event types and finer names a word or phrase stands for; none when nobody knows it.

    A name of our own means just that, a word for a sound the sounds it is used for, and a word for a kind of
    sound (animal, water, 动物) all of that kind.
    """
    plain = re.sub(r"[\s\-_]+", "_", asked.strip().lower())
    if plain in _NAMES:
        return frozenset({plain})
    return _chinese(plain) if has_han(plain) else _english(plain)


def near_types(asked: str) -> list[str]:
    """Return event types whose name, or a word for which, is written nearly like this."""
    plain = re.sub(r"[\s\-_]+", "_", asked.strip().lower())
    words = {word.replace(" ", "_"): name for name, word in reversed(list(_words()))}
    words |= {name: name for name in known_types()}
    near = difflib.get_close_matches(plain, words, n=6, cutoff=0.6)
    return list(dict.fromkeys(words[word] for word in near if words[word] in SoundEvents.labels))[:3]


def _english(plain: str) -> frozenset[str]:
    """Read a phrase word by word: what every known word of it may mean, else what any may."""
    meant = [found for stem in stems(plain.replace("_", " ")) if (found := _by_stem().get(stem))]
    if not meant:
        return frozenset()
    return frozenset.intersection(*meant) or frozenset.union(*meant)


def _chinese(plain: str) -> frozenset[str]:
    """Read the longest words that stand in a phrase: 汽车喇叭声 holds 喇叭."""
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
