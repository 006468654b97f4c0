"""The media room: what a file holds, its pictures, sound and subtitles, in exact video time."""

from vidence.media.audio import AudioChunk, read_audio
from vidence.media.fanout import Consumer, fan_out
from vidence.media.picture import DecodedFrame
from vidence.media.probe import probe
from vidence.media.subtitles import read_subtitles
from vidence.media.video import VideoReader, open_video

__all__ = [
    "AudioChunk",
    "Consumer",
    "DecodedFrame",
    "VideoReader",
    "fan_out",
    "open_video",
    "probe",
    "read_audio",
    "read_subtitles",
]
