"""Open a file with libav: refuse what is not a plain readable file, translate the errors of libav."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.format import ContainerFormat

from vidence.errors import DamagedMedia, FileProblem, MediaError, NotAVideo

__all__ = ["DEFAULT_MAX_PIXELS", "check_file", "claims_too_much", "open_source", "reading"]

DEFAULT_MAX_PIXELS = 8192 * 8192

# Seconds libav may spend opening a file, or waiting for one packet of it.
_OPEN_TIMEOUT_S = 60.0
_READ_TIMEOUT_S = 60.0

# Demuxers that follow names to other files, devices or the network, or that draw a "video" out of plain text.
_UNSAFE_FORMATS = frozenset(
    {"adf", "alsa", "bin", "concat", "concatf", "dash", "data", "fbdev", "ffmetadata", "hls", "idf", "image2"}
    | {"imf", "kmsgrab", "lavfi", "oss", "rtp", "rtsp", "sap", "sdp", "tty", "v4l2", "video4linux2,v4l2"}
    | {"webm_dash_manifest", "x11grab", "xbin"}
)
# Formats that may announce a stream anywhere in the file.
_HEADERLESS = frozenset(
    {"asf", "dhav", "flv", "live_flv", "mpeg", "mpegts", "nsv", "nut", "ogg", "rm", "wtv"}
)
_MEDIA_MAGIC = (
    b"\x1aE\xdf\xa3",
    b"RIFF",
    b"FLV",
    b"OggS",
    b"\x00\x00\x01\xba",
    b"\x00\x00\x01\xb3",
    b"\x30\x26\xb2\x75",
)
_MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"moof", b"free", b"wide", b"skip", b"styp")
_PARENTS = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl", b"moof", b"traf"})
# Offset of the sample count after the box's header.
_COUNTS = {b"stsz": 8, b"stz2": 8, b"trun": 4}
_FIRST_BOXES = frozenset({*_MP4_BOXES, b"sidx", b"pnot"})
_MAX_BOXES = 200_000
# libav allocates about 80 bytes for each claimed sample; up to this many are harmless.
_HARMLESS = 2_000_000


def check_file(path: Path) -> os.stat_result:
    """Return the file's status, or say in one line why it cannot be read."""
    try:
        status = path.stat()
    except OSError as exc:
        raise _file_problem(path, exc) from exc
    except ValueError as exc:
        raise FileProblem(f"{str(path)!r} is not a usable path: {exc}.") from exc
    if stat.S_ISDIR(status.st_mode):
        raise FileProblem(f"{path} is a folder. Give the path of one video file.")
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem(f"{path} is a pipe, socket or device. Save it to a plain file first.")
    if not os.access(path, os.R_OK):
        raise FileProblem(f"{path} may not be read. Check its permissions.")
    if status.st_size == 0:
        raise NotAVideo(f"{path} is empty (0 bytes). Copy or download it again.")
    return status


def open_source(path: Path, *, max_pixels: int = DEFAULT_MAX_PIXELS) -> InputContainer:
    """Open `path` for demuxing; the caller closes it."""
    size_bytes = check_file(path).st_size
    try:
        hostile = claims_too_much(path, size_bytes)
    except OSError as exc:
        raise _file_problem(path, exc) from exc
    if hostile:
        raise DamagedMedia(
            f"{path} claims more frames than it has bytes: its index is corrupt. Download it again."
        )
    try:
        container = _open(path, max_pixels)
        if container.format.name not in _HEADERLESS:
            return container
        # PyAV sizes its tables by the streams known at the start and reads past them when one appears later.
        count = len(container.streams)
        container.close()
        return _open(path, max_pixels, max_streams=str(count))
    except FFmpegError as exc:
        raise _unopenable(path, exc) from exc


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what libav raises while `path` is being read into a vidence error."""
    try:
        yield
    except FFmpegError as exc:
        if isinstance(exc, OSError) and exc.errno in (errno.EIO, errno.ESTALE, errno.ENODEV, errno.ETIMEDOUT):
            raise FileProblem(
                f"{path} stopped being readable ({exc.strerror}). Check the disk and try again."
            ) from exc
        raise DamagedMedia(
            f"{path} cannot be decoded ({exc.strerror}). Convert or download it again."
        ) from exc


def _open(path: Path, max_pixels: int, **container_options: str) -> InputContainer:
    return av.open(
        # "file:" keeps names such as "a:b.mp4" from being taken for a protocol.
        "file:" + os.fspath(path.absolute()),
        "r",
        options={"max_pixels": str(max_pixels)},
        container_options={
            "protocol_whitelist": "file",
            "format_whitelist": _safe_formats(),
            **container_options,
        },
        metadata_errors="replace",
        timeout=(_OPEN_TIMEOUT_S, _READ_TIMEOUT_S),
    )


@cache
def _safe_formats() -> str:
    names = (name for name in av.formats_available if name not in _UNSAFE_FORMATS)
    return ",".join(sorted(name for name in names if _is_input(name)))


def _is_input(name: str) -> bool:
    try:
        return ContainerFormat(name, "r").is_input
    except ValueError:
        return False


def _file_problem(path: Path, exc: OSError) -> FileProblem:
    if isinstance(exc, FileNotFoundError | NotADirectoryError):
        return FileProblem(f"{path} does not exist. Check the path.")
    if isinstance(exc, PermissionError):
        return FileProblem(f"{path} may not be read. Check the permissions of it and of its folder.")
    return FileProblem(f"{path} cannot be read: {exc.strerror}.")


def _unopenable(path: Path, exc: FFmpegError) -> MediaError | FileProblem:
    if isinstance(exc, FileNotFoundError | PermissionError):
        return _file_problem(path, exc)
    try:
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as gone:
        return _file_problem(path, gone)
    # A container whose start is sound but which libav cannot open has lost its index, as cut-off MP4s do.
    if head.startswith(_MEDIA_MAGIC) or head[4:8] in _MP4_BOXES:
        return DamagedMedia(
            f"{path} is truncated or corrupt: its index cannot be read. Copy or download it again."
        )
    return NotAVideo(
        f"{path} is not a video file, whatever its name says. Give an MP4, MKV, WebM, AVI, MOV or TS file."
    )


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
