"""get_transcript over words already in the index: spans to the word, speakers only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.ops import OpContext
from vidence.ops.get_transcript import GetTranscriptRequest, TranscriptLine, run
from vidence.schema.speech import Utterance, Word
from vidence.schema.time import TimeRange


def spoken(text: str, pieces: list[str], start_s: float) -> Utterance:
    words = tuple(
        Word(text=one, start_time=start_s + i, end_time=start_s + i + 0.9, confidence=0.9)
        for i, one in enumerate(pieces)
    )
    return Utterance(start_time=start_s, end_time=words[-1].end_time, text=text, words=words)


ENGLISH = spoken("One, two and three -- four.", ["One,", "two", "and", "three", "--", "four."], 1.0)
CHINESE = spoken("你好，世界。", ["你", "好，", "世", "界。"], 10.0)
WRITTEN = (
    Utterance(start_time=20.0, end_time=25.0, text="A subtitle.", speaker="Ann"),
    Utterance(start_time=20.0, end_time=24.0, text="Another at the same time.", speaker="Bob"),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path_factory.mktemp("words") / "home") as workspace:
        yield workspace


@pytest.fixture(scope="module")
def video_id(library: Workspace, sample: Path) -> str:
    added = library.add(sample).video.video_id
    library.store.observations.append(added, "transcript", [ENGLISH, CHINESE, *WRITTEN])
    return added


def said(
    library: Workspace, video_id: str, span: tuple[float, float] | None = None, *, speakers: bool = False
) -> list[TranscriptLine]:
    request = GetTranscriptRequest(
        video_id=video_id,
        time_range=TimeRange(start_time=span[0], end_time=span[1]) if span else None,
        include_speaker_info=speakers,
    )
    return run(OpContext(library.settings, library.store, library.indexer), request).transcript


def test_without_a_span_all_is_said(library: Workspace, video_id: str) -> None:
    lines = said(library, video_id)
    assert {line.text for line in lines} == {ENGLISH.text, CHINESE.text, *(one.text for one in WRITTEN)}
    assert {line.speaker_id for line in lines} == {None}


@pytest.mark.parametrize(
    ("span", "text", "start", "end"),
    [
        ((2.0, 4.1), "two and", 2.0, 3.9),
        ((0.0, 3.0), "One, two", 1.0, 2.9),
        ((4.0, 9.0), "three -- four.", 4.0, 6.9),
        ((11.0, 13.0), "好，世", 11.0, 12.9),
    ],
)
@pytest.mark.parametrize("speakers", [False, True])
def test_a_span_holds_only_the_words_said_in_it(
    library: Workspace,
    video_id: str,
    span: tuple[float, float],
    text: str,
    start: float,
    end: float,
    speakers: bool,
) -> None:
    (line,) = said(library, video_id, span, speakers=speakers)
    assert (line.text, line.start_time, line.end_time) == (text, start, end)


def test_between_the_words_nothing_is_said(library: Workspace, video_id: str) -> None:
    assert said(library, video_id, (7.5, 9.5)) == []


def test_a_subtitle_comes_whole_because_its_words_have_no_times(library: Workspace, video_id: str) -> None:
    texts = {line.text for line in said(library, video_id, (21.0, 22.0))}
    assert texts == {one.text for one in WRITTEN}


def test_two_who_speak_at_once_keep_their_names(library: Workspace, video_id: str) -> None:
    lines = said(library, video_id, (20.0, 25.0), speakers=True)
    assert {line.text: line.speaker_id for line in lines} == {one.text: one.speaker for one in WRITTEN}
