"""What tells one model of the user's from another: its name, its options and what its files hold.

A path says little: the file behind it may be replaced, or be moved without changing. So the path of a model
stands for the files found there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["identity"]

_PATH = "path"
_NOT_THE_MODEL = frozenset({"timeout_s", "api_key_env"})
"""Options that change how long or with what key a model is asked, never what it says."""
_SUFFIXES = frozenset({".onnx", ".onnx_data", ".data", ".bin", ".json", ".txt", ".model"})
_BLOCK = 1 << 16
_LOOKS = 4


def identity(name: str, options: Mapping[str, str]) -> str:
    """Return a text that changes when the model does: its name, and the options that count."""
    told = [
        f"{key}={_content(options[key]) if key == _PATH else options[key]}"
        for key in sorted(options)
        if key not in _NOT_THE_MODEL
    ]
    return "/".join([name, *told])


def _content(text: str) -> str:
    """Return a digest of what lies at a path, or the path itself where nothing can be read."""
    path = Path(text).expanduser()
    try:
        files = [path] if path.is_file() else sorted(_files(path))
        if not files:
            return text
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file.relative_to(path)}\n{file.stat().st_size}\n".encode())
            for block in _blocks(file):
                digest.update(block)
    except (OSError, RuntimeError):
        return text
    return digest.hexdigest()[:16]


def _files(folder: Path) -> Iterator[Path]:
    for pattern in ("*", "*/*"):
        yield from (file for file in folder.glob(pattern) if file.suffix in _SUFFIXES and file.is_file())


def _blocks(file: Path) -> Iterator[bytes]:
    """Yield parts of a file spread over its length: weights differ everywhere, and may be gigabytes."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        for look in range(_LOOKS):
            opened.seek(max(0, size - _BLOCK) * look // (_LOOKS - 1))
            yield opened.read(_BLOCK)
