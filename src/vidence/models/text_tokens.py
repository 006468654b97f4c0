"""Reads a SentencePiece unigram model into a fast tokenizer, without its C++ library."""

from __future__ import annotations

import struct
from pathlib import Path

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import Unigram

from vidence.errors import BackendError
from vidence.models.protobuf import fields

__all__ = ["load_sentencepiece"]

_PIECES, _NORMALIZER = 1, 3
_PIECE_TEXT, _PIECE_SCORE = 1, 2
_CHARSMAP = 2
_UNKNOWN_ID = 0


def load_sentencepiece(path: Path) -> Tokenizer:
    """Return the tokenizer a SentencePiece `.model` file describes, normaliser included."""
    try:
        vocabulary, charsmap = _read_model(path.read_bytes())
        tokenizer = Tokenizer(Unigram(vocabulary, unk_id=_UNKNOWN_ID, byte_fallback=False))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]
        )
    except Exception as exc:  # The tokenizers library raises bare Exception on a malformed map.
        raise BackendError(
            f"{path} is not a readable SentencePiece model: {exc}. Reinstall its package."
        ) from exc
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    return tokenizer


def _read_model(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    vocabulary: list[tuple[str, float]] = []
    charsmap = b""
    for number, value in fields(memoryview(data)):
        if isinstance(value, int):
            continue
        if number == _PIECES:
            vocabulary.append(_read_piece(value))
        elif number == _NORMALIZER:
            charsmap = _field(value, _CHARSMAP)
    if not vocabulary:
        raise ValueError("it holds no pieces")
    return vocabulary, charsmap


def _read_piece(message: memoryview) -> tuple[str, float]:
    score = _field(message, _PIECE_SCORE)
    return _field(message, _PIECE_TEXT).decode("utf-8"), struct.unpack("<f", score)[0] if score else 0.0


def _field(message: memoryview, wanted: int) -> bytes:
    for number, value in fields(message):
        if number == wanted and not isinstance(value, int):
            return bytes(value)
    return b""
