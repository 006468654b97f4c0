"""The media room: what a file holds, its pictures, sound and subtitles, in exact video time."""

from vidence.media.picture import Picture
from vidence.media.probe import probe
from vidence.media.video import VideoReader, open_video

__all__ = ["Picture", "VideoReader", "open_video", "probe"]
