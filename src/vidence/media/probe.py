"""Probe a file: read what it holds from the container and check it against the first frame."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from av.codec.context import CodecContext
from av.container import InputContainer
from av.stream import Disposition, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream as LibVideoStream

from vidence.errors import DamagedMedia, MediaError, NotAVideo
from vidence.media.decode import Damage, decode_packet, only, read_packets
from vidence.media.ending import find_ending, stated_end
from vidence.media.picture import Colours, Orientation, Scaler, orientation_of
from vidence.media.source import DEFAULT_MAX_PIXELS, check_file, open_source, reading
from vidence.media.timeline import PacketLog, Timeline, index_timeline
from vidence.schema.media import AudioStream, MediaInfo, SubtitleStream, VideoStream

__all__ = ["Survey", "find_video", "probe", "survey"]

# Reading every packet of a file is cheap but not free: past this the rest is estimated.
_SCAN_LIMIT_S = 60.0
_COVERS = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
_STILL_BRANDS = {"avif", "heic", "heix", "heim", "mif1"}
_STILL_WHEN_SINGLE = {"apng", "gif", "jpegxl_anim", "webp_pipe"}
_BITMAP_SUBTITLES = frozenset(
    {"dvbsub", "dvb_subtitle", "dvdsub", "dvd_subtitle", "pgssub", "hdmv_pgs_subtitle", "xsub"}
)

_ASIDE = Disposition.comment | Disposition.visual_impaired | Disposition.descriptions | Disposition.karaoke
"""Tracks beside the main sound: commentary, audio description, karaoke."""

_MOST_HOLES = 5
_TAIL_BYTES, _TAIL_SHARE = 2000, 0.2
"""Sound, an index or a picture may follow the last frame, but no more than this."""
_LOST_START_S, _LATE_START_S = 0.2, 0.5
_TS_PACKETS = (188, 192, 204)
_DEFAULT_RATE = Fraction(25)
_MAX_RATE = 1000
_MAX_ASPECT = 8


@dataclass(frozen=True, slots=True)
class Survey:
    """A probed file: what crosses rooms, and what reading it needs besides."""

    info: MediaInfo
    timeline: Timeline
    scaler: Scaler


@dataclass(frozen=True, slots=True)
class _First:
    """The first displayed frame and what was learnt on the way to it."""

    frame: VideoFrame
    start: int
    orientation: Orientation


def probe(path: str | os.PathLike[str], *, max_pixels: int = DEFAULT_MAX_PIXELS) -> MediaInfo:
    """Return what the file at `path` is made of; times and sizes are as shown."""
    return survey(path, max_pixels=max_pixels).info


def survey(path: str | os.PathLike[str], *, max_pixels: int = DEFAULT_MAX_PIXELS) -> Survey:
    """Probe `path` and keep the timeline that accurate reading needs."""
    path = Path(path)
    size_bytes = check_file(path).st_size
    with open_source(path, max_pixels=max_pixels) as container, reading(path):
        stream = find_video(container, path)
        _check_size(stream, path, max_pixels)
        # Built before packets are read: demuxers that have no header learn of streams as they go.
        audio, subtitles = _audio_streams(container), _subtitle_streams(container)
        only(container, stream)
        damage = Damage()
        first, timeline, warnings = _read_timeline(container, stream, path, size_bytes, damage)
        if container.format.name in _STILL_WHEN_SINGLE and timeline.count == 1:
            raise _still_image(path)
        scaler = Scaler(first.orientation, _pixel_aspect(stream), Colours.of(first.frame))
        video = _describe(stream, first, timeline, scaler)
        ending = find_ending(
            path, stated_end(container, timeline), timeline, audio[0].index if audio else None
        )
        late_s = float(timeline.start * timeline.time_base) - (container.start_time or 0) / 1_000_000
        if audio and late_s > _LATE_START_S:
            warnings.append(f"its pictures begin {late_s:.1f} s after its sound")
        if not any("truncated" in warning for warning in warnings):
            warnings += ending.warnings
        others = sum(1 for other in container.streams.video if not other.disposition & _COVERS)
        if others > 1:
            warnings.append(f"holds {others} video streams; stream {stream.index} is the one analysed")
        info = MediaInfo(
            path=path,
            container=container.format.name,
            size_bytes=size_bytes,
            duration_s=ending.duration_s,
            video=video,
            audio=audio,
            subtitles=subtitles,
            exact=timeline.steady and not any("estimated" in warning for warning in warnings),
            warnings=tuple(warnings),
        )
        return Survey(info, timeline, scaler)


def find_video(container: InputContainer, path: Path) -> LibVideoStream:
    """Return the first stream of moving pictures, or say why there is none."""
    name = container.format.name
    still = name.endswith("_pipe") and name not in _STILL_WHEN_SINGLE
    if still or name == "ico" or container.metadata.get("major_brand") in _STILL_BRANDS:
        raise _still_image(path)
    streams = [stream for stream in container.streams.video if not stream.disposition & _COVERS]
    if not streams:
        kinds = sorted({stream.type for stream in container.streams if stream.type != "video"})
        held = f"only {' and '.join(kinds)}" if kinds else "no streams at all"
        raise NotAVideo(f"{path} holds no video, {held}. Give a file with moving pictures.")
    stream = streams[0]
    if not _has_decoder(stream):
        raise MediaError(f"{path} uses a video codec this build cannot decode. Convert it to H.264 or VP9.")
    return stream


def _still_image(path: Path) -> NotAVideo:
    return NotAVideo(f"{path} is a still image. Give a video; for one picture, make a one-frame video of it.")


def _check_size(stream: LibVideoStream, path: Path, max_pixels: int) -> None:
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > max_pixels:
        raise MediaError(
            f"{path} has frames of {width}x{height} pixels, over the limit of {max_pixels}."
            " Scale it down, or raise max_pixels (VIDENCE_MAX_PIXELS)."
        )


def _read_timeline(
    container: InputContainer, stream: LibVideoStream, path: Path, size_bytes: int, damage: Damage
) -> tuple[_First, Timeline, list[str]]:
    """Decode up to the first frame; read on only when the container's index cannot be trusted."""
    assert stream.time_base is not None
    stream.thread_count = 1
    log, first, warnings = PacketLog(), None, list[str]()
    frame_ticks = 1 / (_frame_rate(stream) * stream.time_base)
    deadline = time.monotonic() + _SCAN_LIMIT_S
    for packet in read_packets(container, stream, damage):
        log.add(packet, stream.codec_context.name)
        if first is None:
            first = _first_frame(decode_packet(packet, damage))
            known = first and index_timeline(
                stream, size_bytes, first.start, stream.codec_context.has_b_frames
            )
            if first and known:
                timeline, cut = known
                warnings += _lost_start(log, first, stream.time_base)
                if cut:
                    warnings.append(f"truncated: the last {cut} of {timeline.count + cut} frames are missing")
                return first, timeline, warnings
        if time.monotonic() > deadline:
            warnings.append("very long: frame count and duration are estimated")
            break
    if first is None and container.format.name == "webp_pipe":
        raise MediaError(
            f"{path} is an animated WebP, which cannot be decoded here. Convert it to GIF or MP4."
        )
    if first is None:
        raise DamagedMedia(f"{path} holds no frame that can be decoded. Copy or download it again.")
    if damage.packets:
        warnings.append(f"damaged or truncated: {damage.packets} unreadable stretches were skipped")
    timeline = log.timeline(stream.time_base, first.start, frame_ticks)
    warnings += _lost_start(log, first, stream.time_base)
    warnings += _cut_short(container, size_bytes, log)
    holes = timeline.holes
    warnings += [f"no pictures could be read from {a:.1f} s to {b:.1f} s" for a, b in holes[:_MOST_HOLES]]
    if len(holes) > _MOST_HOLES:
        warnings.append(f"and no pictures in {len(holes) - _MOST_HOLES} more places")
    if not timeline.steady:
        warnings.append("timestamps are missing or jump back: times are estimated from the frame rate")
    return first, timeline, warnings


def _lost_start(log: PacketLog, first: _First, time_base: Fraction) -> list[str]:
    """Return a warning where frames come before the first that could be decoded."""
    lost_s = float((first.start - log.first_tick) * time_base) if log.first_tick is not None else 0.0
    return [f"no pictures could be read in its first {lost_s:.1f} s"] if lost_s > _LOST_START_S else []


def _cut_short(container: InputContainer, size_bytes: int, log: PacketLog) -> list[str]:
    """Return a warning where the beginning or the end of a file was not read, or a packet is cut."""
    if any(stream.type == "attachment" for stream in container.streams):
        return []
    head, tail = log.first_bytes or 0, size_bytes - log.end_bytes if log.end_bytes else 0
    most = max(_TAIL_BYTES, _TAIL_SHARE * size_bytes)
    parts = [("first", head)] * (head > most) + [("last", tail)] * (tail > most)
    if parts:
        return [f"the {name} {size / size_bytes:.0%} of the file could not be read" for name, size in parts]
    if container.format.name == "mpegts" and all(size_bytes % size for size in _TS_PACKETS):
        return ["it ends in the middle of a packet: it may have been cut"]
    return []


def _first_frame(frames: list[VideoFrame]) -> _First | None:
    for frame in frames:
        tick = frame.pts if frame.pts is not None else frame.dts
        return _First(frame, tick or 0, orientation_of(frame))
    return None


def _describe(stream: LibVideoStream, first: _First, timeline: Timeline, scaler: Scaler) -> VideoStream:
    frame, fps = first.frame, _frame_rate(stream)
    if timeline.step is not None:
        fps = 1 / (timeline.step * timeline.time_base)
    elif timeline.variable:
        fps = timeline.count / timeline.duration
    elif (usual := timeline.usual_fps) is not None and not 0.9 < usual / fps < 1.1:
        # One long pause must not make a film of 25 frames a second one of 0.1.
        fps = usual
    width, height = scaler.natural_size(frame.width, frame.height)
    return VideoStream(
        index=stream.index,
        codec=stream.codec_context.name,
        width=width,
        height=height,
        coded_width=frame.width,
        coded_height=frame.height,
        rotation=first.orientation.rotation,
        mirrored=first.orientation.mirrored,
        pixel_aspect=scaler.pixel_aspect,
        pixel_format=frame.format.name,
        bit_depth=max((component.bits for component in frame.format.components), default=8),
        fps=fps,
        variable_frame_rate=timeline.variable,
        start_time=timeline.start * timeline.time_base,
        num_frames=timeline.count,
        duration_s=float(timeline.duration),
    )


def _frame_rate(stream: LibVideoStream) -> Fraction:
    """Return the average frame rate, or the best guess when the container's is impossible."""
    for rate in (stream.average_rate, stream.guessed_rate, stream.base_rate):
        if rate is not None and 0 < rate <= _MAX_RATE:
            return Fraction(rate)
    return _DEFAULT_RATE


def _pixel_aspect(stream: LibVideoStream) -> Fraction:
    """Return how much wider than high a pixel is shown; 1 when unstated or absurd."""
    aspect = stream.sample_aspect_ratio
    if aspect is None or not Fraction(1, _MAX_ASPECT) <= aspect <= _MAX_ASPECT:
        return Fraction(1)
    return Fraction(aspect)


def _has_decoder(stream: Stream) -> bool:
    """Say whether this build can decode the stream."""
    # PyAV's stubs promise a context; it is None for codecs libav cannot decode.
    context: CodecContext | None = stream.codec_context
    return context is not None


def _audio_streams(container: InputContainer) -> tuple[AudioStream, ...]:
    """Describe the sound streams that can be decoded, the one a player would choose first."""
    found = []
    for stream in sorted(container.streams.audio, key=_rank):
        context = stream.codec_context
        if not _has_decoder(stream) or context.sample_rate <= 0:
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


def _subtitle_streams(container: InputContainer) -> tuple[SubtitleStream, ...]:
    """Describe the embedded subtitle streams."""
    return tuple(
        SubtitleStream(
            index=stream.index,
            codec=stream.codec_context.name,
            language=_language(stream),
            is_text=stream.codec_context.name not in _BITMAP_SUBTITLES,
            is_forced=bool(stream.disposition & Disposition.forced),
        )
        for stream in container.streams.subtitles
        if _has_decoder(stream)
    )


def _rank(stream: Stream) -> tuple[bool, bool]:
    return bool(stream.disposition & _ASIDE), not stream.disposition & Disposition.default


def _language(stream: Stream) -> str | None:
    return None if stream.language in (None, "", "und") else stream.language
