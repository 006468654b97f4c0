"""A look at an MP4's tables before libav allocates what they claim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["claims_too_much"]

_PARENTS = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl", b"moof", b"traf"})
# Where the sample count lies after the box's header.
_COUNTS = {b"stsz": 8, b"stz2": 8, b"trun": 4}
_FIRST_BOXES = frozenset(
    {b"ftyp", b"moov", b"mdat", b"moof", b"free", b"wide", b"skip", b"styp", b"sidx", b"pnot"}
)
_MAX_BOXES = 200_000
# libav spends some 80 bytes on each claimed sample; below this many that is nothing to worry about.
_HARMLESS = 2_000_000


def claims_too_much(path: Path, size_bytes: int) -> bool:
    """Say whether an MP4 claims more samples than it has bytes, which would fill memory before failing."""
    if size_bytes > 2**32 or size_bytes < 8:
        return False
    with path.open("rb") as file:
        if file.read(8)[4:] not in _FIRST_BOXES:
            return False
        claimed = sum(_counts(file, 0, size_bytes, [_MAX_BOXES]))
    return claimed > max(_HARMLESS, size_bytes)


def _counts(file: BinaryIO, begin: int, end: int, left: list[int]) -> Iterator[int]:
    """Yield the sample counts stated by the boxes between two positions."""
    while begin + 8 <= end and left[0] > 0:
        left[0] -= 1
        file.seek(begin)
        header = file.read(32)
        kind, size, length = header[4:8], int.from_bytes(header[:4], "big"), 8
        if size == 1:
            size, length = int.from_bytes(header[8:16], "big"), 16
        stop = min(end, begin + size) if size else end
        if size and size < length:
            return
        if kind in _PARENTS:
            yield from _counts(file, begin + length, stop, left)
        elif kind in _COUNTS:
            at = length + _COUNTS[kind]
            yield int.from_bytes(header[at : at + 4], "big")
        begin = stop
