"""Demux and decode damaged files: bad packets are skipped and counted."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, cast

from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from av.packet import Packet
from av.stream import Discard, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

__all__ = ["Damage", "decode_packet", "decode_video", "only", "read_packets", "seek_sound"]

# A demuxer that fails this often in a row without giving a packet has nothing more to give.
_MAX_FAILURES = 64
_FATAL = (errno.EIO, errno.ESTALE, errno.ENODEV, errno.ETIMEDOUT)

StreamT = TypeVar("StreamT", bound=Stream)


@dataclass(slots=True)
class Damage:
    """How much of a file could not be read or decoded so far."""

    packets: int = 0


def only(container: InputContainer, stream: Stream) -> None:
    """Make the demuxer drop every stream but `stream`."""
    for other in container.streams:
        if other.index != stream.index:
            other.discard = Discard.all


def seek_sound(container: InputContainer, stream: AudioStream, time: Fraction) -> None:
    """Go to a time of the stream's own clock; a file that cannot seek is read on from where it is."""
    if stream.time_base is None or time <= (stream.start_time or 0) * stream.time_base:
        return
    try:
        container.seek(int(time / stream.time_base), stream=stream)
    except FFmpegError:
        return


def read_packets(container: InputContainer, stream: StreamT, damage: Damage) -> Iterator[Packet[StreamT]]:
    """Yield the stream's packets, the empty flushing one last, stepping over unreadable stretches."""
    failures = 0
    while failures < _MAX_FAILURES:
        try:
            for packet in container.demux(stream):
                failures = 0
                yield cast("Packet[StreamT]", packet)
            return
        except IndexError:
            # PyAV stumbles at the very end over streams that appeared midway; ours is flushed by then.
            return
        except FFmpegError as exc:
            if exc.errno in _FATAL:
                raise
            damage.packets += 1
            failures += 1


def decode_video(container: InputContainer, stream: VideoStream, damage: Damage) -> Iterator[VideoFrame]:
    """Yield the frames of a stream in display order from where the container stands."""
    for packet in read_packets(container, stream, damage):
        yield from decode_packet(packet, damage)


def decode_packet(packet: Packet[VideoStream], damage: Damage) -> list[VideoFrame]:
    """Return the frames a packet releases; none, counted, when it is damaged."""
    try:
        return packet.decode()
    except (FFmpegError, ValueError, MemoryError):
        damage.packets += 1
        return []
