"""Open the tokenizers of text networks: a `tokenizer.json`, or a SentencePiece model."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import Unigram

from vidence.errors import BackendError
from vidence.models.protobuf import compile_schema

__all__ = ["load_sentencepiece", "open_tokenizer"]

_UNKNOWN_ID = 0
_SENTENCEPIECE = compile_schema(
    "sentencepiece",
    """
    message Piece { string piece = 1; float score = 2; }
    message Normalizer { bytes precompiled_charsmap = 2; }
    message Model { repeated Piece pieces = 1; Normalizer normalizer_spec = 3; }
    """,
)


def open_tokenizer(path: Path) -> Tokenizer:
    """Return the tokenizer stored at `path` as JSON."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as exc:  # the tokenizers package raises a bare Exception
        raise BackendError(f"{path} is not a readable tokenizer: {exc}") from exc


@lru_cache(maxsize=2)
def load_sentencepiece(path: Path) -> Tokenizer:
    """Return the tokenizer a SentencePiece `.model` file describes, normaliser included.

    Two models share the embedded one, and reading it takes half a second; callers must not change it.
    """
    try:
        model = _SENTENCEPIECE["Model"].FromString(path.read_bytes())
        if not model.pieces:
            raise ValueError("it holds no pieces")
        vocabulary = [(one.piece, one.score) for one in model.pieces]
        tokenizer = Tokenizer(Unigram(vocabulary, unk_id=_UNKNOWN_ID, byte_fallback=False))
        charsmap = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
        tokenizer.normalizer = normalizers.Sequence(
            [charsmap, normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]
        )
    except Exception as exc:  # The tokenizers library raises bare Exception on a malformed map.
        raise BackendError(
            f"{path} is not a readable SentencePiece model: {exc}. Reinstall its package."
        ) from exc
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    return tokenizer
