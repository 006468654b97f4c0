"""Reports, transcripts and searches of a workspace from Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.app.report import Transcript, story_of
from vidence.errors import UserError
from vidence.schema.speech import Utterance


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as opened:
        yield opened


def said(start: float, text: str) -> Utterance:
    return Utterance(start_time=start, end_time=start + 1, text=text, language="en", confidence=0.9)


def test_a_transcript_prints_as_lines_and_as_subtitles() -> None:
    transcript = Transcript([said(0.5, "Hello\nthere."), said(61, "Bye.")])
    assert str(transcript) == "00:00.500  Hello there.\n01:01.000  Bye."
    assert transcript.srt().startswith("1\n00:00:00,500 --> ")
    assert transcript.vtt().startswith("WEBVTT\n")


def test_a_report_indexes_what_it_needs(workspace: Workspace, plain: Path) -> None:
    report = workspace.report(plain, language="zh")
    assert (report.name, report.language, report.gaps) == (plain.name, "zh", ())
    assert list(report.model_dump()) == ["video_id", "info", "scenes", "shots"]
    assert [shot.segment_id for shot in report.shots] == ["seg_001"]
    assert workspace.transcript(plain) == []


def test_a_video_is_told_as_a_story_in_the_order_of_time(workspace: Workspace, plain: Path) -> None:
    (line,) = story_of(workspace, str(plain), language="en").splitlines()
    caption = workspace.report(plain, language="en").shots[0].caption
    assert line == f"[00:00.000] {caption}"


def test_a_search_names_the_videos_it_left_out(workspace: Workspace, plain: Path, sample: Path) -> None:
    workspace.add(sample)
    found = workspace.search("a red cup", plain)
    assert (found.videos_searched, found.videos_unindexed) == (1, 0)
    everywhere = workspace.search("a red cup")
    assert (everywhere.videos_searched, everywhere.videos_unindexed) == (1, 1)


@pytest.mark.parametrize("query", ["", "🐱", "x" * 3000])
def test_a_query_without_words_is_refused(workspace: Workspace, query: str) -> None:
    with pytest.raises(UserError, match="in words"):
        workspace.search(query)
