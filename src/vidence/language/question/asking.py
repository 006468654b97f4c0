"""The part of a question that asks: without what is told before it, and without a leading "At the end, …"."""

from __future__ import annotations

import re
from functools import lru_cache

from vidence.language.tables import patterns_of

__all__ = ["asking_part"]

_SENTENCE_END = re.compile(r"(?<=[a-z\d)][.!;])(?<!\b[A-Z][a-z]\.)(?<!\bMrs\.)\s+|(?<=[。！；])\s*(?=\S)")
_ORDERS = re.compile(
    r"(?:^|, )\W*(?:please )?(?:complete|describe|finish|list|put|arrange|sort|count|name|tell|give|sum"
    r"|look|find|choose|analy[sz]\w+|explain|identify|compare|considering?|summari[sz]e|discuss|evaluate|assess)\b",
    re.IGNORECASE,
)
"""A sentence that asks by itself, without a question mark."""
_SHORT = re.compile(r"\b(what|who|where|how|when|which|why)'s\b(?! \w+'s\b)", re.IGNORECASE)
_AUXILIARY = (
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|isn't|aren't|doesn't|don't|didn't)"
)
_ASKS = (
    r"(?:(?:and|but|so) )?(?:(?:at|in|on|to|from|by|for|of|with) )?"
    rf"(?:what|which|who|whose|whom|where|when|why|how|{_AUXILIARY})\b"
)
_SUBJECT = (
    r"(?:the|an?|he|she|it|they|there|this|that|these|those|his|her|their|its|any\w*|some\w*|we|you|i)\b"
)
_PRONOUN = r"(?:he|she|it|they|this|that|these|those)\b"
_NO_LEAD = re.compile(
    r"\b(?:what|which|who|whose|whom|where|why|how|order|sequence|or|according)\b"
    r"|\S (?:when|if)\b|什么|哪|谁|几|多少|怎|还是|吗|是否|顺序|先后|如何|何时",
    re.IGNORECASE,
)
"""Words that ask themselves, so that nothing with them is a mere lead."""
_MOST_LEADS = 3


@lru_cache(maxsize=256)
def asking_part(text: str) -> str:
    """Return the sentence of a text that asks, from its question word or verb on."""
    part = _SHORT.sub(r"\1 is", _asking_sentence(text))
    for _ in range(_MOST_LEADS):
        found = next((one for one in [lead.match(part) for lead in _leads()] if one), None)
        if found is None or _NO_LEAD.search(found["lead"]):
            break
        part = part[found.end() :]
    return part.strip() or text


def _asking_sentence(text: str) -> str:
    """Return the first sentence with a question mark where those before it only tell something."""
    sentences = _SENTENCE_END.split(text)
    place = next((k for k, one in enumerate(sentences) if re.search(r"[?？]", one)), 0)
    is_told = not any(_ORDERS.search(one) for one in sentences[:place])
    return sentences[place] if place and is_told and not _is_quoted(text) else text


def _is_quoted(text: str) -> bool:
    return re.search(r"[\"“”「」『』]", text) is not None


@lru_cache(maxsize=1)
def _leads() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a lead, each with what must follow it."""
    kinds = {kind: pattern.pattern for kind, pattern in patterns_of("question_leads.tsv").items()}
    forms = (
        rf"\W*(?P<lead>(?:{_lazy(kinds['comma'])}))\s*,\s*(?={_ASKS})",
        rf"\W*(?P<lead>(?:{_lazy(kinds['open'])}))(?={_AUXILIARY} {_SUBJECT})",
        rf"\W*(?P<lead>(?:{_lazy(kinds['topic'])}))\s*,\s*(?={_AUXILIARY} {_PRONOUN})",
        rf"\W*(?P<lead>{kinds['chinese']})\s*[，,]\s*(?!还是|或)(?=\S)",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _lazy(pattern: str) -> str:
    return pattern.replace(".+", "[^?]+?")
