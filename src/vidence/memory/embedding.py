"""What is embedded of a document and of a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vidence.language.identify import has_han
from vidence.language.tables import read_table
from vidence.language.tokens import sentences
from vidence.memory.documents import Document
from vidence.models.protocols import TextEmbedder

__all__ = ["MAX_EMBEDDED_CHARS", "as_told_by", "document_texts", "embed_document"]

MAX_EMBEDDED_CHARS = 20_000
_PART_CHARS = 120
_MAX_PARTS = 32

_REWRITES = [
    (kind, re.compile(pattern), word) for kind, pattern, word in read_table("first_person.tsv", "memory")
]


def embed_document(embedder: TextEmbedder, text: str, *, subject: str | None = None) -> NDArray[np.float32]:
    """Return the vector of the text, then those of its parts when it is long."""
    return embedder.embed(document_texts(Document(text, subject=subject))).astype(np.float32)


def document_texts(document: Document) -> list[str]:
    """Return what is embedded of a document: the whole of it, then its parts when it is long."""
    lead = f"{document.subject}. " if document.subject else ""
    text = document.text[:MAX_EMBEDDED_CHARS]
    parts = _parts(text)
    return [lead + text, *(lead + part for part in parts if len(parts) > 1)]


def as_told_by(question: str, speakers: Sequence[str]) -> str:
    """Return the question in the words of the people it names; unchanged when it names none.

    "What digestive issue did Sam experience?" asks for what Sam said as "I have gastritis": the nearer the
    question comes to that form, the nearer its embedding comes to the answer's.
    """
    if not speakers:
        return question
    text = question.strip(" ?？")
    text = _rewritten(text, "asking_zh") if has_han(text) else text
    text = _rewritten(text, "asking")
    for name in _names(speakers):
        text = _in_first_person(text, name)
    return " ".join(_rewritten(text, "pronoun").split()) or question


def _rewritten(text: str, kind: str) -> str:
    for row, pattern, word in _REWRITES:
        if row == kind:
            text = pattern.sub(word, text, count=int(kind == "asking"))
    return text


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    least = max(_PART_CHARS, len(text) // _MAX_PARTS)
    for sentence in sentences(text):
        if parts and len(parts[-1]) < least:
            parts[-1] = f"{parts[-1]} {sentence}"
        else:
            parts.append(sentence)
    return parts


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
