"""A conversation whose windows become memories, and that a restart takes up again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.memory.conftest import HashEmbedder
from vidence.errors import UserError
from vidence.llm.scripted import ScriptedEngine
from vidence.memory import LongMemory, MemoryManager, ShortMemory
from vidence.store.sqlite import SqliteMemories


@contextmanager
def serving_embeddings() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve an embeddings API on the loopback; yield its address and what it is sent."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(body)
            rows = [
                {"object": "embedding", "index": place, "embedding": [1.0, float(len(text)), 2.0]}
                for place, text in enumerate(body["input"])
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            reply = json.dumps(
                {"object": "list", "data": rows, "model": body["model"], "usage": usage}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


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
    assert summary.derived_from == tuple(f"turn_{n:04d}" for n in range(1, 4))
    assert "user: My cat number 0" in summary.content
    assert summary.metadata["original_content"].count("\n") == 5
    assert len(summary.content) < len(summary.metadata["original_content"])
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
    short.append_message("assistant", "hi", "t1")
    for role in ("user", "assistant"):
        with pytest.raises(UserError, match="'t1'"):
            short.append_message(role, "hi again", "t1")
    assert len(short.get_recent(5)) == 2


def test_a_turn_holds_a_question_and_its_answer() -> None:
    short = ShortMemory()
    for role, text in (
        ("user", "a?"),
        ("tool", "looked"),
        ("assistant", "b"),
        ("user", "c?"),
        ("assistant", "d"),
    ):
        short.append_message(role, text)
    turns = [message["turn_id"] for message in short.conversation_history]
    assert turns == ["turn_0001"] * 3 + ["turn_0002"] * 2
    assert short.queries == ["a?", "c?"]


def test_what_is_kept_of_a_window_is_a_summary(long_memory: LongMemory) -> None:
    manager = MemoryManager(long_memory)
    for told in (
        "Hello there!",
        "My sister Anna moved to Lyon in 2019. It was raining a bit. Anyway.",
        "Thanks!",
    ):
        manager.add_message("user", told)
        manager.add_message("assistant", "Okay.")
    (kept,) = long_memory.book.memories.all("main")
    assert "Anna moved to Lyon in 2019" in kept.content
    assert "Hello" not in kept.content
    assert "Okay" not in kept.content
    assert "Hello there!" in kept.metadata["original_content"]


def test_an_engine_sums_up_a_window(long_memory: LongMemory) -> None:
    engine = ScriptedEngine(lambda prompt: '{"summary": "Anna lives in Lyon.", "keywords": ["Lyon"]}')
    manager = MemoryManager(long_memory, conversation_window_size=1, llm_engine=engine)
    manager.add_message("user", "My sister Anna moved to Lyon. She likes it.")
    manager.add_message("assistant", "Good for her.")
    (kept,) = long_memory.book.memories.all("main")
    assert kept.content.endswith("] Anna lives in Lyon.")
    assert len(engine.prompts) == 1


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyError("x"), TimeoutError()])
def test_an_engine_that_breaks_does_not_lose_a_memory(long_memory: LongMemory, error: Exception) -> None:
    manager = MemoryManager(long_memory, conversation_window_size=1, llm_engine=ScriptedEngine([error]))
    manager.add_message("user", "My sister Anna moved to Lyon.")
    manager.add_message("assistant", "Good for her.")
    (kept,) = long_memory.book.memories.all("main")
    assert "Lyon" in kept.content


def test_the_seed_s_configuration_opens_hybrid_search(tmp_path: Path) -> None:
    config: dict[str, Any] = {
        "conversation_window_size": 3,
        "max_files": 100,
        "max_actions": 1000,
        "storage_dir": str(tmp_path / "memory_store"),
        "max_memories": 1000,
        "retriever_config": {"use_api_embedding": True, "alpha": 0.5},
    }
    manager = MemoryManager(**config)
    assert manager.get_stats()["search"] == "words and meaning"
    manager.long_memory.add_memory("The physician prescribed an antibiotic.")
    (found,) = manager.retrieve_relevant_memories("Which medicine did the doctor give?")
    assert "antibiotic" in found["content"]


def test_the_embeddings_api_of_the_configured_provider_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    with serving_embeddings() as (url, seen):
        monkeypatch.setenv("VIDENCE_LLM__ENGINE", "openai:gpt-4o")
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        manager = MemoryManager(storage_dir=tmp_path, retriever_config={"use_api_embedding": True})
        manager.long_memory.add_memory("A cat sleeps on the sofa.")
        assert manager.get_stats()["embedder"] == "openai:text-embedding-3-small"
    assert [one["model"] for one in seen] == ["text-embedding-3-small"] * len(seen)
    assert any("A cat sleeps on the sofa." in one["input"] for one in seen)


def test_stats_tell_how_long_things_took(long_memory: LongMemory) -> None:
    manager = MemoryManager(long_memory)
    _talk(manager, 3)
    manager.retrieve_relevant_memories("What is cat number 2 called?")
    timings = manager.get_stats()["timings_ms"]
    assert timings["add_message"]["count"] == 6
    assert timings["summarise"]["count"] == timings["retrieve"]["count"] == 1
    assert all(0 < one["mean"] <= one["max"] for one in timings.values())
    assert manager.get_stats()["queries"] == 3


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
