"""Describe the streams of a container; impossible rates and shapes are replaced by likely ones."""

from __future__ import annotations

from fractions import Fraction

from av.codec.context import CodecContext
from av.container import InputContainer
from av.stream import Disposition, Stream
from av.video.stream import VideoStream

from vidence.schema.media import AudioStream, SubtitleStream

__all__ = [
    "BITMAP_SUBTITLES",
    "audio_streams",
    "frame_rate",
    "has_decoder",
    "pixel_aspect",
    "subtitle_streams",
]

BITMAP_SUBTITLES = frozenset(
    {"dvbsub", "dvb_subtitle", "dvdsub", "dvd_subtitle", "pgssub", "hdmv_pgs_subtitle", "xsub"}
)

_ASIDE = Disposition.comment | Disposition.visual_impaired | Disposition.descriptions | Disposition.karaoke
"""Tracks beside the main sound: commentary, audio description, karaoke."""

_DEFAULT_RATE = Fraction(25)
_MAX_RATE = 1000
_MAX_ASPECT = 8


def frame_rate(stream: VideoStream) -> Fraction:
    """Return the average frame rate, or the best guess when the container's is impossible."""
    for rate in (stream.average_rate, stream.guessed_rate, stream.base_rate):
        if rate is not None and 0 < rate <= _MAX_RATE:
            return Fraction(rate)
    return _DEFAULT_RATE


def pixel_aspect(stream: VideoStream) -> Fraction:
    """Return how much wider than high a pixel is shown; 1 when unstated or absurd."""
    aspect = stream.sample_aspect_ratio
    if aspect is None or not Fraction(1, _MAX_ASPECT) <= aspect <= _MAX_ASPECT:
        return Fraction(1)
    return Fraction(aspect)


def has_decoder(stream: Stream) -> bool:
    """Say whether this build can decode the stream."""
    # PyAV's stubs promise a context; it is None for codecs libav cannot decode.
    context: CodecContext | None = stream.codec_context
    return context is not None


def audio_streams(container: InputContainer) -> tuple[AudioStream, ...]:
    """Describe the sound streams that can be decoded, the one a player would choose first."""
    found = []
    for stream in sorted(container.streams.audio, key=_rank):
        context = stream.codec_context
        if not has_decoder(stream) or context.sample_rate <= 0:
            continue
        seconds = float(stream.duration * stream.time_base) if stream.duration and stream.time_base else None
        found.append(
            AudioStream(
                index=stream.index,
                codec=context.name,
                sample_rate=context.sample_rate,
                channels=context.channels,
                language=_language(stream),
                duration_s=seconds if seconds is None or seconds > 0 else None,
            )
        )
    return tuple(found)


def subtitle_streams(container: InputContainer) -> tuple[SubtitleStream, ...]:
    """Describe the embedded subtitle streams."""
    return tuple(
        SubtitleStream(
            index=stream.index,
            codec=stream.codec_context.name,
            language=_language(stream),
            is_text=stream.codec_context.name not in BITMAP_SUBTITLES,
            is_forced=bool(stream.disposition & Disposition.forced),
        )
        for stream in container.streams.subtitles
        if has_decoder(stream)
    )


def _rank(stream: Stream) -> tuple[bool, bool]:
    return bool(stream.disposition & _ASIDE), not stream.disposition & Disposition.default


def _language(stream: Stream) -> str | None:
    return None if stream.language in (None, "", "und") else stream.language
