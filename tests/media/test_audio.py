"""Sound comes in video time, whatever the offset, rate or damage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.media.clips import add_sound, add_video, beep, even_ticks, make_clip, write_frames, write_sound
from vidence.errors import UserError
from vidence.media import open_video, read_audio
from vidence.schema.time import TimeRange


def sounding(
    path: Path,
    samples: NDArray[np.float32],
    *,
    codec: str = "flac",
    rate: int = 48_000,
    video_start_s: float = 0,
    audio_start_s: float = 0,
    gaps: Sequence[tuple[int, int]] = (),
) -> Path:
    with av.open(path, "w") as output:
        video = add_video(output, options={"preset": "ultrafast"})
        sound = add_sound(output, codec, rate=rate)
        write_sound(output, sound, samples, rate=rate, start_s=audio_start_s, gaps=gaps)
        write_frames(output, video, even_ticks(75, start_s=video_start_s))
    return path


def whole(path: Path, *, rate: int = 16_000, span: TimeRange | None = None) -> NDArray[np.float32]:
    return np.concatenate([chunk.samples for chunk in read_audio(path, rate=rate, span=span)])


def beep_at(samples: NDArray[np.float32], rate: int = 16_000) -> float:
    return float(np.argmax(np.abs(samples) > 0.2)) / rate


@pytest.mark.parametrize(
    ("name", "codec", "rate"),
    [
        ("a.mkv", "flac", 48_000),
        ("a.mp4", "aac", 44_100),
        ("a.webm", "libopus", 48_000),
        ("a.ts", "aac", 48_000),
    ],
)
def test_a_beep_is_where_it_was_put(tmp_path: Path, name: str, codec: str, rate: int) -> None:
    if name == "a.webm":
        path = tmp_path / name
        with av.open(path, "w") as output:
            video = add_video(output, codec="libvpx", b_frames=0)
            write_sound(output, add_sound(output, codec), beep(3, 1.5))
            write_frames(output, video, even_ticks(75))
    else:
        path = sounding(tmp_path / name, beep(3, 1.5, rate=rate), codec=codec, rate=rate)
    samples = whole(path)
    assert samples.dtype == np.float32
    assert beep_at(samples) == pytest.approx(1.5, abs=0.012)
    assert len(samples) / 16_000 == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize(
    ("video_start_s", "audio_start_s", "expected"),
    [(0, 0.5, 2.0), (0.5, 0, 1.0), (0.5, 0.5, 1.5), (1.0, 0.25, 0.75)],
)
def test_offsets_between_sound_and_pictures_are_kept(
    tmp_path: Path, video_start_s: float, audio_start_s: float, expected: float
) -> None:
    path = sounding(
        tmp_path / "o.mkv", beep(3, 1.5), video_start_s=video_start_s, audio_start_s=audio_start_s
    )
    assert beep_at(whole(path)) == pytest.approx(expected, abs=0.005)


def test_gaps_are_silence_and_later_sound_stays_in_place(tmp_path: Path) -> None:
    path = sounding(tmp_path / "g.mkv", beep(3, 2.0), gaps=[(20, 60)])
    samples = whole(path)
    assert beep_at(samples) == pytest.approx(2.0, abs=0.005)
    assert not samples[int(0.6 * 16_000) : int(1.2 * 16_000)].any()


def test_sound_of_joined_recordings_plays_on(tmp_path: Path) -> None:
    half = sounding(tmp_path / "half.ts", beep(3, 1.0), codec="aac").read_bytes()
    path = tmp_path / "joined.ts"
    path.write_bytes(half + half)
    samples = whole(path)
    assert beep_at(samples) == pytest.approx(1.0, abs=0.02)
    assert beep_at(samples[3 * 16_000 :]) == pytest.approx(1.0, abs=0.05)


def test_sound_that_is_announced_late_is_no_harm(tmp_path: Path) -> None:
    # More than libav reads when it looks for streams at the start.
    noise = list(np.random.default_rng(1).integers(0, 255, (80, 240, 320, 3), dtype=np.uint8))
    mute = make_clip(tmp_path / "mute.ts", ticks=even_ticks(80), images=noise, size=(320, 240), b_frames=0)
    assert mute.stat().st_size > 5_000_000
    path = tmp_path / "joined.ts"
    late = sounding(tmp_path / "late.ts", beep(3, 1.0), codec="aac")
    path.write_bytes(mute.read_bytes() + late.read_bytes())
    with open_video(path) as reader:
        assert sum(1 for _ in reader.frames()) == reader.info.video.num_frames == 80 + 75


def test_chunks_are_even_and_adjoin(tmp_path: Path) -> None:
    chunks = list(read_audio(sounding(tmp_path / "c.mkv", beep(3, 1.5)), chunk_s=0.7, rate=8_000))
    assert [chunk.start_time for chunk in chunks] == pytest.approx([0, 0.7, 1.4, 2.1, 2.8])
    assert {len(chunk.samples) for chunk in chunks[:-1]} == {5600}
    assert chunks[0].end_time == pytest.approx(0.7)


def test_nothing_is_lost_where_one_piece_meets_the_next(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).uniform(-0.5, 0.5, 3 * 44_100).astype(np.float32)
    path = sounding(tmp_path / "p.mkv", noise, rate=44_100)
    resampler = av.AudioResampler(format="flt", layout="mono", rate=16_000)
    with av.open(path) as source:
        frames = list(source.decode(audio=0))
    expected = [piece.to_ndarray()[0] for frame in [*frames, None] for piece in resampler.resample(frame)]
    assert len(frames) > 20
    np.testing.assert_array_equal(whole(path), np.concatenate(expected))


def test_a_span_gives_just_that_stretch(tmp_path: Path) -> None:
    path = sounding(tmp_path / "s.mkv", beep(3, 1.5))
    chunks = list(read_audio(path, span=TimeRange(start_time=1.25, end_time=1.75)))
    assert [chunk.start_time for chunk in chunks] == [1.25]
    assert len(chunks[0].samples) == 8_000
    assert beep_at(chunks[0].samples) == pytest.approx(0.25, abs=0.005)


def test_not_a_number_never_leaves(tmp_path: Path) -> None:
    samples = beep(3, 1.5)
    samples[10_000:20_000:7] = np.nan
    samples[30_000:31_000:3] = np.inf
    path = tmp_path / "n.mkv"
    with av.open(path, "w") as output:
        video = add_video(output)
        sound = output.add_stream("pcm_f32le", rate=48_000)
        sound.codec_context.layout = "mono"
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="flt", layout="mono")
        frame.sample_rate = 48_000
        output.mux(sound.encode(frame))
        output.mux(sound.encode(None))
        write_frames(output, video, even_ticks(75))
    read = whole(path)
    assert np.isfinite(read).all()
    assert np.abs(read).max() <= 1


def test_damaged_packets_are_skipped_and_counted(tmp_path: Path) -> None:
    path = sounding(tmp_path / "d.mp4", beep(3, 2.5))
    with av.open(path) as container:
        packets = [(packet.pos, packet.size) for packet in container.demux(audio=0) if packet.pos is not None]
    data = bytearray(path.read_bytes())
    for at, size in packets[30:40]:
        data[at : at + size] = bytes(size)
    path.write_bytes(data)
    chunks = list(read_audio(path))
    assert beep_at(np.concatenate([chunk.samples for chunk in chunks])) == pytest.approx(2.5, abs=0.01)
    assert chunks[-1].skipped_packets >= 1


def test_silent_video_and_wrong_streams_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no sound"):
        read_audio(make_clip(tmp_path / "mute.mp4"))
    path = sounding(tmp_path / "a.mkv", beep(3, 1.5))
    with pytest.raises(UserError, match=r"audio streams are \[1\]"):
        read_audio(path, stream=0)
    with pytest.raises(UserError, match="chunk_s"):
        read_audio(path, chunk_s=0)
    with pytest.raises(UserError, match="ends at 3"):
        read_audio(path, span=TimeRange(start_time=50, end_time=60))


def test_real_sound_lasts_as_long_as_its_video(shared_dir: Path) -> None:
    samples = whole(shared_dir / "media" / "videos" / "intel_talk.mp4")
    assert len(samples) / 16_000 == pytest.approx(41.08, abs=0.05)
    assert np.abs(samples).max() > 0.1
