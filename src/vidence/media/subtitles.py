"""Embedded subtitles as plain text in video time."""

from __future__ import annotations

import os
import re
from pathlib import Path

from av.container import InputContainer
from av.error import FFmpegError
from av.packet import Packet
from av.subtitles.stream import SubtitleStream as LibSubtitleStream
from av.subtitles.subtitle import AssSubtitle

from vidence.errors import UserError
from vidence.media.decode import Damage, only, read_packets
from vidence.media.probe import probe
from vidence.media.source import open_source, reading
from vidence.schema.media import MediaInfo, Subtitle, SubtitleStream

__all__ = ["read_subtitles"]

# More lines than any film holds; a file that claims more is hostile.
_MAX_LINES = 200_000
# How long a line without a stated duration stays up.
_DEFAULT_S = 3.0

_OVERRIDES = re.compile(r"\{[^}]*\}")
# Shapes, which some draw with subtitles, from where drawing is switched on to where it is switched off.
_DRAWING = re.compile(r"\{[^}]*\\p[1-9][^}]*\}.*?(?:\{[^}]*\\p0[^}]*\}|$)", re.DOTALL)
_TAGS = re.compile(r"</?[a-zA-Z][^<>]*>")


def read_subtitles(
    path: str | os.PathLike[str], stream_index: int | None = None, *, info: MediaInfo | None = None
) -> list[Subtitle]:
    """Return the lines of an embedded text subtitle stream (the first by default), or none without one."""
    path = Path(path)
    info = info or probe(path)
    chosen = _choose(info, stream_index)
    if chosen is None:
        return []
    with open_source(path) as container, reading(path):
        stream = next((s for s in container.streams.subtitles if s.index == chosen.index), None)
        if stream is None:
            raise UserError(f"{path.name} has changed since it was probed. Probe it again.")
        only(container, stream)
        return _lines(container, stream, info)


def _choose(info: MediaInfo, stream_index: int | None) -> SubtitleStream | None:
    if stream_index is None:
        if not info.subtitles:
            return None
        chosen = next((stream for stream in info.subtitles if stream.is_text), info.subtitles[0])
    else:
        named = [stream for stream in info.subtitles if stream.index == stream_index]
        if not named:
            known = [stream.index for stream in info.subtitles]
            raise UserError(f"Stream {stream_index} of {info.path.name} is not subtitles; those are {known}.")
        chosen = named[0]
    if not chosen.is_text:
        raise UserError(
            f"Subtitle stream {chosen.index} of {info.path.name} is pictures ({chosen.codec}), not text."
            " Read on-screen text with OCR instead."
        )
    return chosen


def _lines(container: InputContainer, stream: LibSubtitleStream, info: MediaInfo) -> list[Subtitle]:
    found: list[Subtitle] = []
    for packet in read_packets(container, stream, Damage()):
        if packet.pts is None or len(found) >= _MAX_LINES:
            continue
        text = _text(packet)
        start = float(packet.pts * packet.time_base - info.video.start_time)
        end = start + (float(packet.duration * packet.time_base) if packet.duration else _DEFAULT_S)
        if text and end > 0:
            found.append(Subtitle(start_time=max(0.0, start), end_time=end, text=text))
    # Shadows and glows repeat the same words below the first.
    return sorted(dict.fromkeys(found), key=lambda line: (line.start_time, line.end_time))


def _text(packet: Packet[LibSubtitleStream]) -> str:
    try:
        parts = [plain_text(part.ass) for part in packet.decode() if isinstance(part, AssSubtitle)]
    except (FFmpegError, ValueError):
        return ""
    return "\n".join(part for part in parts if part)


def plain_text(event: bytes) -> str:
    """Return the words of an ASS event as libav writes it, without its markup."""
    *_, text = event.decode("utf-8", errors="replace").split(",", 8)
    text = _TAGS.sub("", _OVERRIDES.sub("", _DRAWING.sub("", text)))
    text = text.replace("\\N", "\n").replace("\\n", "\n").replace("\\h", " ")
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
