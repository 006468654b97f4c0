"""Reading pictures: passes, samples and seeks give the frame a player would show."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.media.clips import even_ticks, make_clip, number_in
from tests.media.test_probe import edited
from vidence.errors import UserError
from vidence.media import DecodedFrame, VideoReader, open_video
from vidence.schema.time import TimeRange

VFR = [0, *np.cumsum([1800, 9000, 3600, 18000] * 12).tolist()]

KINDS: dict[str, dict[str, Any]] = {
    "b-frames.mp4": {"b_frames": 3, "ticks": even_ticks(60)},
    "open-gop.mp4": {
        "b_frames": 3,
        "ticks": even_ticks(60),
        "options": {"x264-params": "open-gop=1:scenecut=0"},
    },
    "vfr.mp4": {"ticks": VFR, "fps": 50},
    "vfr.mkv": {"ticks": VFR, "fps": 50},
    "late.ts": {"ticks": even_ticks(60, start_s=7)},
    "live.mkv": {"ticks": even_ticks(60), "container": {"live": "1"}},
    "fragmented.mp4": {"ticks": even_ticks(60), "container": {"movflags": "frag_keyframe+empty_moov"}},
    "plain.avi": {"ticks": even_ticks(60), "b_frames": 0},
    "bare.flv": {"ticks": even_ticks(60)},
    "intra.mkv": {"ticks": even_ticks(60), "codec": "ffv1", "b_frames": 0},
    "vp9.webm": {"ticks": even_ticks(60), "codec": "libvpx-vp9", "b_frames": 0, "options": {"cpu-used": "8"}},
    "raw.h264": {"ticks": even_ticks(60), "format": "h264"},
}


@pytest.fixture(params=KINDS, scope="module")
def clip(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name: str = request.param
    return make_clip(tmp_path_factory.mktemp("clips") / name, **KINDS[name])


@pytest.fixture
def reader(clip: Path) -> Iterator[VideoReader]:
    with open_video(clip) as opened:
        yield opened


def number(picture: DecodedFrame) -> int:
    return number_in(picture.gray())


def test_a_pass_gives_every_frame_once_in_order(reader: VideoReader) -> None:
    pictures = [(picture.index, number(picture), picture.time) for picture in reader.frames()]
    expected = list(range(reader.info.video.num_frames))
    assert [index for index, _, _ in pictures] == expected
    assert [number for _, number, _ in pictures] == expected
    times = [time for _, _, time in pictures]
    assert times[0] == 0
    assert times == sorted(set(times))
    assert float(times[-1]) < reader.info.duration_s


def test_times_are_those_written(clip: Path, reader: VideoReader) -> None:
    ticks: list[int] = KINDS[clip.name]["ticks"]
    for picture, tick in zip(reader.frames(), ticks, strict=True):
        assert picture.time_s == pytest.approx((tick - ticks[0]) / 90000, abs=0.0011)


def test_seeking_finds_the_frame_on_display(reader: VideoReader) -> None:
    times = [picture.time for picture in reader.frames()]
    wanted = random.Random(4).sample(range(len(times)), 25)
    for place, picture in zip(wanted, reader.at(float(times[place]) for place in wanted), strict=True):
        assert (number(picture), picture.index, picture.time) == (place, place, times[place])
    # Between two frames the earlier one is still on display.
    middles = [(a + b) / 2 for a, b in pairwise(times)]
    assert [number(picture) for picture in reader.at(middles)] == list(range(len(middles)))


def test_the_last_frame_stays_up_to_the_end(reader: VideoReader) -> None:
    (picture,) = reader.at([reader.info.duration_s])
    assert picture.index == reader.info.video.num_frames - 1


def test_samples_match_seeks(reader: VideoReader) -> None:
    sampled = [(picture.index, picture.time) for picture in reader.frames(every_s=0.3)]
    times = [Fraction(3, 10) * place for place in range(100) if 0.3 * place < reader.info.video.duration_s]
    sought = [(picture.index, picture.time) for picture in reader.at(times)]
    assert sampled == list(dict.fromkeys(sought))


def test_span_holds_the_frames_that_begin_in_it(reader: VideoReader) -> None:
    times = [picture.time for picture in reader.frames()]
    span = TimeRange(start_time=float(times[20]), end_time=float(times[33]))
    assert [number(picture) for picture in reader.frames(span=span)] == list(range(20, 33))


def test_span_inside_one_frame_gives_that_frame(reader: VideoReader) -> None:
    times = [picture.time_s for picture in reader.frames()]
    gap = times[8] - times[7]
    span = TimeRange(start_time=times[7] + gap * 0.4, end_time=times[7] + gap * 0.6)
    assert [number(picture) for picture in reader.frames(span=span)] == [7]


def test_edited_out_frames_are_never_seen(tmp_path: Path) -> None:
    path = edited(make_clip(tmp_path / "e.mp4", b_frames=0, gop=48), skip_frames=5)
    with open_video(path) as reader:
        assert [number(picture) for picture in reader.frames()] == list(range(5, 48))
        assert [number(picture) for picture in reader.at([0, 0.5])] == [5, 17]


def test_recordings_joined_end_to_end_play_on(tmp_path: Path) -> None:
    half = make_clip(tmp_path / "half.ts", ticks=even_ticks(60)).read_bytes()
    path = tmp_path / "joined.ts"
    path.write_bytes(half + half)
    with open_video(path) as reader:
        pictures = [(number(picture), picture.time_s) for picture in reader.frames()]
        assert [seen for seen, _ in pictures] == [*range(60), *range(60)]
        assert [time for _, time in pictures] == pytest.approx([index / 25 for index in range(120)])
        assert [number(picture) for picture in reader.at([4.0, 1.0])] == [40, 25]
        assert not reader.info.exact
        skipped = [picture.time_s for picture in reader.frames(skip_non_reference=True)]
        assert skipped[-1] == pytest.approx(119 / 25), "frames left out must not shorten the video"


def test_skipping_non_reference_frames_keeps_times_true(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "b.mp4", b_frames=2)
    with open_video(path) as reader:
        pictures = [(picture.index, number(picture)) for picture in reader.frames(skip_non_reference=True)]
        assert 0 < len(pictures) < 48
        assert all(index == seen for index, seen in pictures)
        assert len(list(reader.frames())) == 48


def test_a_draft_looks_the_same_when_small(shared_dir: Path) -> None:
    path = shared_dir / "media" / "videos" / "bikes.mp4"
    with open_video(path) as full, open_video(path, draft=True) as draft:
        for one, other in zip(full.frames(), draft.frames(), strict=True):
            small = [picture.gray(size=(64, 36)).astype(int) for picture in (one, other)]
            assert one.time == other.time
            assert np.abs(small[0] - small[1]).mean() < 3


@pytest.mark.parametrize("time", [-0.1, 2.5, float("nan"), float("inf")])
def test_times_outside_the_video_name_its_length(tmp_path: Path, time: float) -> None:
    with open_video(make_clip(tmp_path / "a.mp4")) as reader, pytest.raises(UserError, match=r"0 to 1\.92 s"):
        reader.at([0.5, time])


@pytest.mark.parametrize("every_s", [0.0, -1.0, float("nan")])
def test_impossible_steps_are_refused(tmp_path: Path, every_s: float) -> None:
    with open_video(make_clip(tmp_path / "a.mp4")) as reader, pytest.raises(UserError, match="every_s"):
        reader.frames(every_s=every_s)


def test_a_second_pass_ends_the_first(tmp_path: Path) -> None:
    with open_video(make_clip(tmp_path / "a.mp4")) as reader:
        first = reader.frames()
        next(first)
        assert len(list(reader.frames())) == 48
        with pytest.raises(UserError, match="another was begun"):
            next(first)


def test_pictures_outlive_the_reader(tmp_path: Path) -> None:
    with open_video(make_clip(tmp_path / "a.mp4")) as reader:
        pictures = list(reader.frames())
    assert [number(picture) for picture in pictures] == list(range(48))
    with pytest.raises(UserError, match="closed"):
        list(reader.frames())


def test_real_clips_seek_to_the_pixel(shared_dir: Path) -> None:
    for name in ("composite.mp4", "vtest.avi"):
        with open_video(shared_dir / "media" / "videos" / name) as reader:
            span = TimeRange(start_time=38, end_time=42)
            passed = {picture.time: picture.gray(size=(64, 36)) for picture in reader.frames(span=span)}
            for picture in reader.at(random.Random(1).sample(sorted(passed), 8)):
                assert np.array_equal(picture.gray(size=(64, 36)), passed[picture.time])


def test_the_reference_rate_counts_what_other_frames_depend_on(tmp_path: Path) -> None:
    every = make_clip(tmp_path / "plain.mp4", ticks=even_ticks(60), b_frames=0)
    some = make_clip(
        tmp_path / "b.mp4",
        ticks=even_ticks(60),
        b_frames=3,
        options={"x264-params": "b-adapt=0:b-pyramid=none:scenecut=0"},
    )
    with open_video(every) as reader:
        assert reader.reference_rate() == pytest.approx(25, abs=0.6)
        assert len(list(reader.frames())) == 60
    with open_video(some) as reader:
        assert 25 / 4 <= reader.reference_rate() < 12
