"""A conversation whose windows become memories, and that a restart takes up again."""

from __future__ import annotations

import pytest

from tests.memory.conftest import HashEmbedder
from vidence.errors import UserError
from vidence.memory import LongMemory, MemoryManager, ShortMemory
from vidence.store.sqlite import SqliteMemories


def _talk(manager: MemoryManager, turns: int) -> None:
    for n in range(turns):
        manager.add_message("user", f"My cat number {n} is called Whiskers{n}.")
        manager.add_message("assistant", f"Nice name, Whiskers{n}!")


def test_a_full_window_becomes_a_summary_linked_to_its_turns(long_memory: LongMemory) -> None:
    manager = MemoryManager(long_memory)
    _talk(manager, 4)
    assert manager.short_memory.window_count == 1
    (summary,) = long_memory.book.memories.all("main")
    assert summary.memory_type == "conversation_summary"
    assert summary.derived_from == tuple(f"turn_{n:04d}" for n in range(1, 7))
    assert "user: My cat number 0" in summary.content
    assert "assistant: Nice name" in summary.content
    assert summary.metadata["original_content"].count("\n") == 5
    assert len(manager.short_memory.current_window) == 2


def test_what_was_said_is_found_across_sessions(memories: SqliteMemories, embedder: HashEmbedder) -> None:
    _talk(MemoryManager(LongMemory(memories, embedder=embedder)), 3)
    later = MemoryManager(LongMemory(memories, embedder=embedder))
    (found,) = later.retrieve_relevant_memories("What is cat number 2 called?")
    assert "Whiskers2" in found["content"]
    assert found["metadata"]["type"] == "conversation_summary"
    assert later.long_memory.long_term_memories[found["index"]] == found["content"]
    assert later.retrieve_relevant_memories("thermonuclear astrophysics budget") == []


def test_a_session_is_taken_up_where_it_was_left(memories: SqliteMemories) -> None:
    manager = MemoryManager(LongMemory(memories), session_id="s1")
    _talk(manager, 4)
    again = MemoryManager(LongMemory(memories))
    assert again.load_state("s1")
    assert again.short_memory.conversation_history == manager.short_memory.conversation_history
    assert again.short_memory.current_window == manager.short_memory.current_window
    assert not again.load_state("unknown")
    assert again.get_stats()["memories"] == 1
    assert again.get_stats()["search"].startswith("words alone")


@pytest.mark.parametrize(
    ("version", "body", "said"), [(1, "{broken", "damaged"), (1, "{}", "damaged"), (9, "{}", "newer vidence")]
)
def test_a_damaged_or_newer_state_is_named(
    memories: SqliteMemories, version: int, body: str, said: str
) -> None:
    memories.save_state("main", "conversation:s1", version, body)
    manager = MemoryManager(LongMemory(memories), session_id="s1")
    with pytest.raises(UserError, match=said):
        manager.load_state()
    assert manager.short_memory.conversation_history == []


@pytest.mark.parametrize(
    ("role", "content", "said"), [("pirate", "arr", "is not a role"), ("user", "  ", "empty")]
)
def test_bad_messages_are_refused(role: str, content: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        ShortMemory().append_message(role, content)


def test_a_turn_id_said_twice_is_refused() -> None:
    short = ShortMemory()
    short.append_message("user", "hello", "t1")
    with pytest.raises(UserError, match="'t1'"):
        short.append_message("assistant", "hi", "t1")
    assert len(short.get_recent(5)) == 1


def test_time_never_runs_backwards_in_a_conversation() -> None:
    times = iter([100.0, 50.0])
    short = ShortMemory(clock=lambda: next(times))
    assert [short.append_message("user", text)["timestamp"] for text in ("a", "b")] == [100.0, 100.0]


def test_files_and_actions_are_bounded() -> None:
    short = ShortMemory(max_files=2, max_actions=3)
    for n in range(5):
        short.add_file(f"{n}.mp4")
        short.add_action(f"step {n}")
    assert [file["path"] for file in short.files] == ["3.mp4", "4.mp4"]
    assert [action["action"] for action in short.actions] == ["step 2", "step 3", "step 4"]


def test_the_window_is_closed_only_once_the_turn_is_answered() -> None:
    short = ShortMemory(conversation_window_size=1)
    short.append_message("user", "question")
    before = short.window_is_full
    short.append_message("assistant", "answer")
    assert (before, short.window_is_full) == (False, True)
    window, number = short.rollover_window()
    assert ([message["role"] for message in window], number) == (["user", "assistant"], 0)


@pytest.mark.parametrize("config", [{"alpha": 7}, {"alfa": 0.5}])
def test_bad_settings_are_named(memories: SqliteMemories, config: dict[str, float]) -> None:
    with pytest.raises(UserError, match="alpha"):
        LongMemory(memories, retriever_config=config)
