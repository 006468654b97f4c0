"""Reads a SentencePiece unigram model into a fast tokenizer, without its C++ library."""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import Unigram

from vidence.errors import BackendError
from vidence.models.convert.protobuf import fields

__all__ = ["load_sentencepiece"]

_PIECES, _NORMALIZER = 1, 3
_PIECE_TEXT, _PIECE_SCORE = 1, 2
_CHARSMAP = 2
_UNKNOWN_ID = 0
_PIECE_TAG, _TEXT_TAG, _SCORE_TAG = 0x0A, 0x0A, 0x15
"""How a piece, its text and its score announce themselves."""
_ONE_BYTE = 0x80
"""Lengths from here on take more than one byte."""
_FLOAT = struct.Struct("<f")


@lru_cache(maxsize=2)
def load_sentencepiece(path: Path) -> Tokenizer:
    """Return the tokenizer a SentencePiece `.model` file describes, normaliser included.

    Two models share the embedded one, and reading it takes half a second; nobody may change what is returned.
    """
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
    vocabulary, at = _read_pieces(data)
    charsmap = b""
    for number, value in fields(memoryview(data)[at:]):
        if isinstance(value, int):
            continue
        if number == _PIECES:
            vocabulary.append(_read_piece(value))
        elif number == _NORMALIZER:
            charsmap = _field(value, _CHARSMAP)
    if not vocabulary:
        raise ValueError("it holds no pieces")
    return vocabulary, charsmap


def _read_pieces(data: bytes) -> tuple[list[tuple[str, float]], int]:
    """Read the pieces a file begins with, as long as they have the usual form, and say where that ends.

    There are 128,000 of them: reading each as a general message takes most of a second.
    """
    pieces: list[tuple[str, float]] = []
    at, end = 0, len(data) - 2
    while at < end and data[at] == _PIECE_TAG and data[at + 1] < _ONE_BYTE:
        length = data[at + 1]
        found = _read_plain_piece(data[at + 2 : at + 2 + length])
        if found is None:
            break
        pieces.append(found)
        at += 2 + length
    return pieces, at


def _read_plain_piece(message: bytes) -> tuple[str, float] | None:
    """Read a piece that is its text and its score, in this order, perhaps with a type after them."""
    if len(message) < 2 or message[0] != _TEXT_TAG or message[1] >= _ONE_BYTE:
        return None
    end = 2 + message[1]
    if len(message) < end + 5 or message[end] != _SCORE_TAG:
        return None
    return message[2:end].decode("utf-8"), _FLOAT.unpack_from(message, end + 1)[0]


def _read_piece(message: memoryview) -> tuple[str, float]:
    score = _field(message, _PIECE_SCORE)
    return _field(message, _PIECE_TEXT).decode("utf-8"), _FLOAT.unpack(score)[0] if score else 0.0


def _field(message: memoryview, wanted: int) -> bytes:
    for number, value in fields(message):
        if number == wanted and not isinstance(value, int):
            return bytes(value)
    return b""
