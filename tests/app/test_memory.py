"""The memories of a workspace: one book for each video, a general one, and conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import make_sign
from vidence.app import Workspace, open_workspace
from vidence.app.memory import open_conversations, open_memory, recall
from vidence.errors import MissingFile
from vidence.memory import MemoryBook
from vidence.schema.memory import NewMemory

TEA, CAT = "Ann drinks green tea every morning.", "The cat sleeps on the red sofa."


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as opened:
        yield opened


def general(workspace: Workspace) -> MemoryBook:
    return open_memory(workspace, by_meaning=False)[0]


def test_without_an_embedder_the_book_says_so_and_still_works(workspace: Workspace) -> None:
    book, note = open_memory(workspace, by_meaning=False)
    assert note is not None
    assert "by words alone" in note
    book.write(NewMemory(content=TEA))
    assert [memory.content for memory, _ in recall(book, "green tea", 5)] == [TEA]


def test_a_book_opened_again_holds_what_was_written(workspace: Workspace, tmp_path: Path) -> None:
    general(workspace).write(NewMemory(content="小明喜欢红色的自行车。"))
    workspace.close()
    with open_workspace(home=tmp_path / "home") as again:
        found = recall(general(again), "小明喜欢什么自行车？", 5)
    assert [memory.content for memory, _ in found] == ["小明喜欢红色的自行车。"]


def test_a_video_has_memories_of_its_own(workspace: Workspace, tmp_path: Path) -> None:
    first = workspace.add(make_sign(tmp_path / "a.mp4", "A")).video
    second = workspace.add(make_sign(tmp_path / "b.mp4", "B")).video
    book, _ = open_memory(workspace, first.video_id, by_meaning=False)
    book.write(NewMemory(content=CAT))
    assert recall(book, "the cat on the sofa", 5) != []
    for other in (general(workspace), open_memory(workspace, second.video_id, by_meaning=False)[0]):
        assert recall(other, "the cat on the sofa", 5, nearest=True) == []


def test_a_video_s_memories_are_found_by_its_name_and_its_id(workspace: Workspace, tmp_path: Path) -> None:
    video = workspace.add(make_sign(tmp_path / "a.mp4", "A")).video
    by_id, _ = open_memory(workspace, video.video_id, by_meaning=False)
    by_name, _ = open_memory(workspace, "a.mp4", by_meaning=False)
    assert by_name is by_id
    with pytest.raises(MissingFile):
        open_memory(workspace, "b.mp4", by_meaning=False)


def test_what_answers_nothing_is_not_recalled_unless_the_nearest_is_wanted(workspace: Workspace) -> None:
    book = general(workspace)
    book.write(NewMemory(content=TEA))
    book.write(NewMemory(content=CAT))
    question = "Which helicopter landed on the glacier?"
    assert recall(book, question, 5) == []
    assert recall(book, "Where does the cat sleep?", 1, nearest=True)[0][0].content == CAT


def test_no_more_is_recalled_than_wanted(workspace: Workspace) -> None:
    book = general(workspace)
    for number in ("one", "two", "three", "four"):
        book.write(NewMemory(content=f"Ann owns a teapot, cup number {number}, blue like the {number} door."))
    assert len(recall(book, "Ann teapot cup", 2)) == 2


def test_the_most_relevant_is_recalled_first(workspace: Workspace) -> None:
    book = general(workspace)
    book.write(NewMemory(content=TEA))
    book.write(NewMemory(content=CAT))
    found = recall(book, "What does Ann drink in the morning: tea?", 5, nearest=True)
    scores = [score for _, score in found]
    assert found[0][0].content == TEA
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_conversation_becomes_a_general_memory(workspace: Workspace) -> None:
    talk, note = open_conversations(workspace, session_id="s1", by_meaning=False)
    assert note is not None
    talk.add_message("user", "My sister Mia moved to Oslo.")
    talk.add_message("assistant", "I will remember that.")
    talk.close_window()
    book = general(workspace)
    found = recall(book, "Where did Mia move?", 5, nearest=True)
    assert any("Oslo" in memory.content for memory, _ in found)
    assert {memory.session_id for memory, _ in found} == {"s1"}
