"""Names that sentences set against another: rivals, competitors, what something is compared with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.language.identify import HAN
from vidence.language.tables import words_of

__all__ = ["rivals_in"]

_COMPARES = re.compile(
    r"\b(?:rivals?|compet\w+|versus|vs\.?|compared (?:with|to)|against|outperform\w*|overt(?:ake|ook|aking)"
    r"|cheaper than|better than|faster than|beats?|challeng\w+|alternatives? to|ahead of|behind)\b"
    r"|竞争|对手|对比|相比|超越|超过|挑战|媲美|不及|落后于|领先于|竞品|取代",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-Z][\w.&-]*(?:[ -](?:[A-Z][\w.&-]*|\d[\w.]*))*")
_HAN_NAME = re.compile(
    f"《([^》]{{2,20}})》|([A-Za-z][A-Za-z0-9.-]+)|([{HAN}]{{2,6}}(?:公司|集团|科技|汽车|手机|平台))"
)
_NO_NAMES = words_of("no_names.tsv", "word", room="intel")
"""Words that begin with a capital and name nobody."""


def rivals_in(name: str, sentences: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the names that sentences set against `name`, each with them, the most frequent first."""
    wanted = name.casefold()
    found: dict[str, list[str]] = {}
    spelt: dict[str, str] = {}
    for sentence in dict.fromkeys(sentences):
        if wanted not in sentence.casefold() or not _COMPARES.search(sentence):
            continue
        for other in _names(sentence):
            key = other.casefold()
            if key in wanted or wanted in key:
                continue
            spelt.setdefault(key, other)
            found.setdefault(key, []).append(sentence)
    return sorted(
        ((spelt[key], texts) for key, texts in found.items()), key=lambda item: (-len(item[1]), item[0])
    )


def _names(sentence: str) -> list[str]:
    if re.search(f"[{HAN}]", sentence):
        names = [next(group for group in match.groups() if group) for match in _HAN_NAME.finditer(sentence)]
    else:
        # The first word of a sentence has a capital whatever it is; two of them are a name.
        found = [match for match in _NAME.finditer(sentence) if match.start() or " " in match[0]]
        names = [match[0].strip(".-& ") for match in found]
        names = [_without_article(one) for one in names]
    return list(dict.fromkeys(one for one in names if len(one) > 1 and one not in _NO_NAMES))


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if first in _NO_NAMES and rest else name
