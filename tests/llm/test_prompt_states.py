"""What a local model has read is kept in files, bounded, and never needed: with a stand-in for its server."""

from __future__ import annotations

import json
import os
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from vidence.llm import prompt_states
from vidence.llm.local import value_probability
from vidence.llm.prompt_states import PromptStates

KEY = "secret"
LONG_MS = 5000.0


class SlotServer(socketserver.ThreadingUnixStreamServer):
    """Saves and restores the state of a slot as llama.cpp does."""

    def __init__(self, address: Path, folder: Path) -> None:
        self.folder, self.asked = folder, list[str]()
        super().__init__(str(address), _Slot)


class _Slot(BaseHTTPRequestHandler):
    server: SlotServer

    def address_string(self) -> str:
        return "socket"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["filename"]
        action, path = self.path.partition("action=")[2], self.server.folder / name
        self.server.asked.append(action)
        is_known = self.headers["Authorization"] == f"Bearer {KEY}"
        is_done = is_known and (action == "save" or path.read_bytes() == b"state")
        if is_done and action == "save":
            path.write_bytes(b"state")
        self.send_response(200 if is_done else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[SlotServer, Path]]:
    # The name of a socket must be short.
    with TemporaryDirectory() as short:
        address = Path(short) / "s"
        with SlotServer(address, tmp_path) as one:
            threading.Thread(target=one.serve_forever, daemon=True).start()
            yield one, address
            one.shutdown()


def test_what_took_long_to_read_is_loaded_by_the_next_program(
    tmp_path: Path, server: tuple[SlotServer, Path]
) -> None:
    slots, address = server
    first = PromptStates(tmp_path, address, KEY)
    first.load("notes of a film")
    first.keep("notes of a film", LONG_MS)
    first.load("notes of a film")
    assert slots.asked == ["save"]
    second = PromptStates(tmp_path, address, KEY)
    second.load("notes of a film")
    second.load("notes of another film")
    assert slots.asked == ["save", "restore"]
    (kept,) = tmp_path.iterdir()
    assert kept.stat().st_mode & 0o077 == 0


def test_a_prompt_without_a_name_takes_the_place_of_what_was_loaded(
    tmp_path: Path, server: tuple[SlotServer, Path]
) -> None:
    slots, address = server
    states = PromptStates(tmp_path, address, KEY)
    states.keep("notes of a film", LONG_MS)
    states.keep("", LONG_MS)
    states.load("notes of a film")
    assert slots.asked == ["save", "restore"]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_prompt_that_begins_alike_is_loaded_where_there_is_no_other(
    tmp_path: Path, server: tuple[SlotServer, Path]
) -> None:
    slots, address = server
    PromptStates(tmp_path, address, KEY).keep("template\nnotes of a film", LONG_MS)
    states = PromptStates(tmp_path, address, KEY)
    states.load("other template\nnotes of a film")
    assert slots.asked == ["save"]
    states.load("template\nnotes of another film")
    assert slots.asked == ["save", "restore"]


def test_a_part_of_a_film_leaves_no_whole_film_in_the_slot(
    tmp_path: Path, server: tuple[SlotServer, Path]
) -> None:
    slots, address = server
    states = PromptStates(tmp_path, address, KEY)
    states.keep("template\nnotes of a film", LONG_MS)
    states.load("template")
    assert slots.asked == ["save"]
    states.keep("template", 10.0)
    states.load("template\nnotes of a film")
    assert slots.asked == ["save", "restore"]


def test_what_was_read_at_once_is_not_kept(tmp_path: Path, server: tuple[SlotServer, Path]) -> None:
    PromptStates(tmp_path, server[1], KEY).keep("notes", 10.0)
    assert not list(tmp_path.iterdir())


def test_a_damaged_state_is_removed(tmp_path: Path, server: tuple[SlotServer, Path]) -> None:
    PromptStates(tmp_path, server[1], KEY).keep("notes", LONG_MS)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(b"sta")
    PromptStates(tmp_path, server[1], KEY).load("notes")
    assert not kept.exists()


def test_the_oldest_states_make_room(
    tmp_path: Path, server: tuple[SlotServer, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_states, "_MAX_BYTES", len(b"state") * 2)
    states = PromptStates(tmp_path, server[1], KEY)
    for age, name in enumerate(("a", "b", "c")):
        states.keep(name, LONG_MS)
        for path in tmp_path.iterdir():
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10 * (age + 1)))
    states.load("a")
    assert len(list(tmp_path.iterdir())) == 2
    assert "restore" not in server[0].asked


def test_no_server_means_no_state_and_no_error(tmp_path: Path) -> None:
    states = PromptStates(tmp_path, tmp_path / "none", KEY)
    states.keep("notes", LONG_MS)
    states.load("notes")
    assert not list(tmp_path.iterdir())


def test_the_probability_of_an_answer_is_that_of_its_tokens() -> None:
    tokens = [
        ('{"', -1.0),
        ("answer", -2.0),
        ('": "', -3.0),
        ("four", -0.5),
        ('",', -0.25),
        (' "notes": [1]}', -4.0),
    ]
    assert value_probability(tokens) == pytest.approx(2.718281828**-0.75, abs=1e-3)


def test_what_the_model_would_have_written_before_its_json_does_not_count() -> None:
    tokens = [("```", -0.5), ("{\n", -0.2), (' "answer": "', -0.1), ("21", -0.5), ('",\n', -0.5)]
    assert value_probability(tokens) == pytest.approx(2.718281828**-1.0, abs=1e-3)


@pytest.mark.parametrize("text", ["", "four", '{"answer": 4}', '{"answer": "cut off'])
def test_a_reply_without_a_text_value_has_no_probability(text: str) -> None:
    assert value_probability([(text, -0.1)]) is None
