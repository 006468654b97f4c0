"""Captions and options as the scorer reads them: plain, in sentences, clauses and words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from vidence.language.identify import HAN
from vidence.language.tokens import sentences, terms

__all__ = ["Word", "clauses", "content_words", "plain_caption", "statements"]

# Narration data marks who acts: "#C C" the wearer of the camera, "#O" others, "#unsure" what was not clear.
_MARKS = re.compile(r"#\s?(?:unsure|[A-Za-z])\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\b(?:the|this|an?)\s+(?:image|picture|photo|photograph|frame|scene|video|clip)\s+"
    r"(?:showcases?|shows?|depicts?|displays?|features?|captures?|presents?|contains?|is of)\s+",
    re.IGNORECASE,
)
_OPENING_ZH = re.compile(
    r"(?:这张|这幅|该)?(?:图片|画面|图像|照片|镜头|视频)(?:中|里)?(?:显示|展示|呈现)了?[:：，,]?"
)
_CLAUSE = re.compile(r"(?<=[.!?;,])\s+|(?<=[。！？；，、])")
_TOKEN = re.compile(rf"[\u3040-\u30ff{HAN}]+|[^\W_]+")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True)
class Word:
    """A word that carries content: as written, for its meaning, and its stem, for counting."""

    surface: str
    stem: str


def plain_caption(text: str) -> str:
    """Return a caption without the marks and openings that every caption of its maker has."""
    text = _OPENING_ZH.sub("", _OPENING.sub("", _MARKS.sub(" ", text)))
    return _BLANKS.sub(" ", text).strip()


def statements(caption: str) -> list[str]:
    """Return the sentences of a plain caption; none of an empty one."""
    return [one for one in sentences(caption) if one.strip()]


def clauses(option: str) -> list[str]:
    """Return the parts of an option that stand between punctuation; the whole where there is none."""
    found = [part.strip() for part in _CLAUSE.split(option) if part and any(c.isalnum() for c in part)]
    return found or [option]


@lru_cache(maxsize=1 << 14)
def content_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text that carry content, in order and with repetitions."""
    found: list[Word] = []
    for token in _TOKEN.findall(text.lower()):
        if token.isascii() and len(token) == 1 and not token.isdigit():
            continue  # "C does", "person X": names of roles, in every caption and every option.
        stems = list(terms(token))
        spelt = [token] if len(stems) == 1 and token.isascii() else stems
        found += [Word(surface, stem) for surface, stem in zip(spelt, stems, strict=True)]
    return tuple(found)
