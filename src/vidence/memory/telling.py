"""A question about a person, put the way that person would have told it.

"What digestive issue did Sam experience?" asks for what Sam said as "I have gastritis": the nearer the
question comes to that form, the nearer its meaning vector comes to the answer's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.language.identify import has_han

__all__ = ["as_told_by"]

_ASKING = re.compile(
    r"^(?:(?:in|on|at|for|from|with) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how(?: many| much| long| often)?)\b\s*"
    r"(?:(?:kind|type|sort)s?\s+of)?",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"\b(?:does|did|do|is|was|were|are|has|have|had|would|could|might|will|can|should)\b", re.IGNORECASE
)
_ASKING_ZH = re.compile(
    "什么样的?|什么|哪[些个里儿位]?|谁|怎么样?|怎样|为何|为什么|多少|是不是|是否|[吗呢几？?]"
)
_OTHERS = (
    (re.compile(r"\b(?:himself|herself)\b"), "myself"),
    (re.compile(r"\b(?:his|her)\b"), "my"),
    (re.compile(r"\b(?:he|she)\b"), "I"),
    (re.compile(r"\bhim\b"), "me"),
    (re.compile("[他她]"), "我"),
)


def as_told_by(question: str, speakers: Sequence[str]) -> str:
    """Return the question as a statement of the people it names; as it is when it names none."""
    if not speakers:
        return question
    text = question.strip(" ?？")
    if has_han(text):
        text = _ASKING_ZH.sub("", text)
    text = _AUXILIARY.sub("", _ASKING.sub("", text), count=1)
    for name in _names(speakers):
        text = _in_first_person(text, name)
    for pattern, word in _OTHERS:
        text = pattern.sub(word, text)
    return " ".join(text.split()) or question


def _names(speakers: Sequence[str]) -> list[str]:
    """Return full names before their parts, so that no surname is left standing."""
    parts = {part for speaker in speakers for part in (speaker, *speaker.split())}
    return sorted(parts, key=lambda name: (-len(name), name))


def _in_first_person(text: str, name: str) -> str:
    if has_han(name):
        return text.replace(name, "我")
    quoted = re.escape(name)
    owned = re.sub(rf"\b{quoted}['’]s?(?!\w)", "my", text, flags=re.IGNORECASE)
    return re.sub(rf"\b{quoted}\b", "I", owned, flags=re.IGNORECASE)
