"""A library of videos as one story: what is said in each is quoted with its video and its moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import make_sign
from vidence.app import open_workspace
from vidence.app.story import Story
from vidence.app.story_view import quoted_claims, story_lines
from vidence.runs.worlds.story import number_quotes

TALKS = {
    "harbour": [
        "Welcome to the harbour tour.",
        "The old lighthouse was built by Edith Marlow.",
        "Mind the step.",
    ],
    "island": [
        "This is the island talk.",
        "Edith Marlow was born on Heron Island.",
        "Thank you for listening.",
    ],
}


def _srt(lines: list[str]) -> str:
    return "\n\n".join(
        f"{number + 1}\n00:00:0{2 * number},000 --> 00:00:0{2 * number + 1},500\n{line}"
        for number, line in enumerate(lines)
    )


@pytest.fixture
def talks(tmp_path: Path) -> list[Path]:
    for name, lines in TALKS.items():
        make_sign(tmp_path / f"{name}.mp4", name, seconds=6)
        (tmp_path / f"{name}.srt").write_text(_srt(lines))
    return [tmp_path / f"{name}.mp4" for name in TALKS]


def test_what_is_said_is_quoted_with_its_video_and_moment(
    talks: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    with open_workspace(home=tmp_path / "home") as workspace:
        story = Story("talks", workspace=workspace)
        added = story.add(*talks)
        assert added.documents == ("harbour.mp4", "island.mp4")
        answer = story.ask("Where was Edith Marlow born?")
        videos = {video.name: video.video_id for video in workspace.videos()}
    assert "Heron Island" in answer.answer
    quotes = [one.quote for one in number_quotes(answer.evidence) if "Heron Island" in one.quote.text]
    assert {quote.video_id for quote in quotes} == {videos["island.mp4"]}
    assert all(quote.time_s is not None and 0 <= quote.time_s <= 4 for quote in quotes)
    assert any("island.mp4" in line and "00:0" in line for line in story_lines(answer))


def test_a_line_of_a_transcript_is_cited_at_its_own_time(
    talks: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    with open_workspace(home=tmp_path / "home") as workspace:
        story = Story("talks", workspace=workspace)
        story.add(*talks)
        answer = story.ask("Where was Edith Marlow born?")
    claim = next(one for one in answer.claims if "Heron Island" in one.text)
    (citation,) = claim.citations
    assert (citation.quote, citation.start_time, citation.end_time) == (TALKS["island"][1], 2.0, 3.5)
    (placed,) = next(one.quotes for one in quoted_claims(answer) if one.text == claim.text)
    assert (placed.quote.text, placed.quote.time_s, placed.quote.end_s) == (TALKS["island"][1], 2.0, 3.5)
    assert placed.quote.video_id is not None
    assert any(
        "00:02–00:04: Edith Marlow was born" in line.replace(" ¶1", "") for line in story_lines(answer)
    )
