"""Which written transcript of a video comes first, and what becomes of its late and broken lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.store.videos import make_file, make_info
from vidence.index.subtitles.written import find_written, sidecars_fingerprint
from vidence.schema.media import MediaInfo, SubtitleStream


def _srt(*cues: tuple[float, float, str]) -> str:
    def clock(seconds: float) -> str:
        return f"00:00:{int(seconds):02d},{round(seconds % 1 * 1000):03d}"

    return "".join(f"{n}\n{clock(a)} --> {clock(b)}\n{text}\n\n" for n, (a, b, text) in enumerate(cues, 1))


ENGLISH = _srt((0.5, 1.0, "What are you doing with that?"))


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return make_file(tmp_path / "film.mp4")


def _info(film: Path, *streams: SubtitleStream) -> MediaInfo:
    return make_info(film).model_copy(update={"subtitles": streams})


def test_a_video_without_subtitles_has_no_transcript(film: Path) -> None:
    assert find_written([film], _info(film)) == []
    assert sidecars_fingerprint([film]) == ""


def test_the_language_of_the_sound_track_comes_first(film: Path) -> None:
    for name in ("film.de.srt", "film.en.srt", "film.zh.srt"):
        film.with_name(name).write_text(ENGLISH, encoding="utf-8")
    for spoken, best in (("deu", "film.de.srt"), ("chi", "film.zh.srt"), (None, "film.en.srt")):
        info = _info(film)
        audio = info.audio[0].model_copy(update={"language": spoken})
        first, *_ = find_written([film], info.model_copy(update={"audio": (audio,)}))
        assert first.name == best


def test_lines_after_the_end_are_left_out_and_the_last_is_cut(film: Path) -> None:
    film.with_name("film.srt").write_text(
        _srt((0.5, 1.0, "One."), (1.5, 9.0, "Two."), (5.0, 6.0, "Three.")), encoding="utf-8"
    )
    (found,) = find_written([film], _info(film))
    assert [(u.start_time, u.end_time, u.text) for u in found.utterances] == [
        (0.5, 1.0, "One."),
        (1.5, 2.002, "Two."),
    ]
    assert found.warnings == ("film.srt: 1 subtitles after the end of the video left out",)
    assert found.source == "sidecar"


def test_a_file_that_cannot_be_read_comes_last_with_its_reason(film: Path) -> None:
    film.with_name("film.srt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    film.with_name("film.de.srt").write_text(ENGLISH, encoding="utf-8")
    good, bad = find_written([film], _info(film))
    assert (good.name, bad.name) == ("film.de.srt", "film.srt")
    assert bad.utterances == ()
    assert "film.srt" in bad.warnings[0]


def test_subtitles_lie_beside_any_copy_of_the_video(film: Path, tmp_path: Path) -> None:
    copy = make_file(tmp_path / "elsewhere" / "copy.mp4")
    copy.with_name("copy.srt").write_text(ENGLISH, encoding="utf-8")
    (found,) = find_written([film, copy], _info(film))
    assert found.name == "copy.srt"
    film.with_name("film.srt").write_text(ENGLISH, encoding="utf-8")
    (nearer,) = find_written([film, copy], _info(film))
    assert nearer.name == "film.srt", "the first copy that has any decides"


def test_subtitles_that_are_pictures_are_named_and_forced_ones_ignored(film: Path) -> None:
    pictures = SubtitleStream(index=2, codec="hdmv_pgs_subtitle", language="eng", is_text=False)
    forced = SubtitleStream(index=3, codec="subrip", language="eng", is_forced=True)
    (found,) = find_written([film], _info(film, pictures, forced))
    assert (found.source, found.name, found.utterances) == ("embedded", "stream 2", ())
    assert "hdmv_pgs_subtitle" in found.warnings[0]


def test_a_stream_that_cannot_be_read_is_a_warning(film: Path) -> None:
    stream = SubtitleStream(index=2, codec="subrip", language="eng")
    (found,) = find_written([film], _info(film, stream))
    assert found.utterances == ()
    assert found.warnings


def test_the_fingerprint_follows_names_sizes_and_times(film: Path) -> None:
    beside = film.with_name("film.srt")
    beside.write_text(ENGLISH, encoding="utf-8")
    os.utime(beside, (1000, 1000))
    first = sidecars_fingerprint([film])
    assert len(first) == 8
    assert sidecars_fingerprint([film]) == first
    os.utime(beside, (2000, 2000))
    touched = sidecars_fingerprint([film])
    beside.write_text(ENGLISH + ENGLISH, encoding="utf-8")
    os.utime(beside, (2000, 2000))
    grown = sidecars_fingerprint([film])
    beside.rename(film.with_name("film.en.srt"))
    renamed = sidecars_fingerprint([film])
    assert len({first, touched, grown, renamed}) == 4
