"""Short-term memory: the messages, current window, files and actions of one session."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from typing import Any, cast

from vidence.errors import UserError
from vidence.schema.memory import ConversationMessage
from vidence.schema.read_json import load_json

__all__ = ["ROLES", "ShortMemory"]

ROLES = ("user", "assistant", "system", "tool")
_MAX_CHARS = 2_000_000


class ShortMemory:
    """The conversation of one session; a window closes after a number of user turns."""

    def __init__(
        self,
        *,
        conversation_window_size: int = 3,
        max_files: int = 100,
        max_actions: int = 1000,
        session_id: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if conversation_window_size < 1:
            raise UserError(f"conversation_window_size is {conversation_window_size}; it must be at least 1.")
        self.conversation_window_size = conversation_window_size
        self.max_files, self.max_actions = max_files, max_actions
        self.session_id = session_id or f"session_{uuid.uuid4().hex[:12]}"
        self.conversation_history: list[ConversationMessage] = []
        self.current_window: list[ConversationMessage] = []
        self.window_count = 0
        self.files: list[dict[str, Any]] = []
        self.actions: list[dict[str, Any]] = []
        self._clock = clock

    def append_message(self, role: str, content: str, turn_id: str | None = None) -> ConversationMessage:
        """Add a message to the history and the current window.

        A turn is a user's message with what answers it, under one `turn_id`: a user's message begins the next
        turn, any other belongs to the current one.
        """
        if role not in ROLES:
            raise UserError(f"{role!r} is not a role. Use one of {', '.join(ROLES)}.")
        if not content.strip():
            raise UserError("The message is empty.")
        if len(content) > _MAX_CHARS:
            raise UserError(f"A message may hold {_MAX_CHARS:,} characters; this one has {len(content):,}.")
        chosen = turn_id or self._turn_of(role)
        held = [message["role"] for message in self.conversation_history if message["turn_id"] == chosen]
        if role == "user" and held:
            raise UserError(f"The turn {chosen!r} has begun already in this session. Leave turn_id out.")
        if role == "assistant" and "assistant" in held:
            raise UserError(f"The turn {chosen!r} has been answered already. Leave turn_id out.")
        message = ConversationMessage(
            role=role,
            content=content.replace("\0", ""),
            timestamp=self._timestamp(),
            turn_id=chosen,
            session_id=self.session_id,
            window_id=self.window_count,
        )
        self.conversation_history.append(message)
        self.current_window.append(message)
        return message

    @property
    def queries(self) -> list[str]:
        """What the user asked or told in this session, the oldest first."""
        return [one["content"] for one in self.conversation_history if one["role"] == "user"]

    def get_recent(self, n: int = 5) -> list[ConversationMessage]:
        """Return the last n messages, the oldest first."""
        return self.conversation_history[-n:] if n > 0 else []

    @property
    def window_is_full(self) -> bool:
        """True when the window holds its number of turns, each a user message with its answers."""
        turns = sum(message["role"] == "user" for message in self.current_window)
        answered = bool(self.current_window) and self.current_window[-1]["role"] != "user"
        return turns > self.conversation_window_size or (turns == self.conversation_window_size and answered)

    def get_window_for_summary(self) -> tuple[list[ConversationMessage], int]:
        """Return the current window and its number, leaving it open."""
        return list(self.current_window), self.window_count

    def rollover_window(self) -> tuple[list[ConversationMessage], int]:
        """Close the current window: return it with its number and begin the next."""
        closed = self.get_window_for_summary()
        self.current_window = []
        self.window_count += 1
        return closed

    def add_file(self, path: str, **details: Any) -> None:
        """Note a file of the session; beyond the limit the oldest is dropped."""
        self.files = [*self.files, {"path": path, "timestamp": self._clock(), **details}][-self.max_files :]

    def add_action(self, action: str, **details: Any) -> None:
        """Note an action; beyond the limit the oldest is dropped."""
        entry = {"action": action, "timestamp": self._clock(), **details}
        self.actions = [*self.actions, entry][-self.max_actions :]

    def to_json(self) -> str:
        """Return the session as JSON, for `restore`."""
        names = ("session_id", "conversation_history", "window_count", "files", "actions")
        state = {name: getattr(self, name) for name in names}
        return json.dumps({**state, "open": len(self.current_window)}, ensure_ascii=False)

    def restore(self, text: str) -> None:
        """Load what `to_json` returned; a damaged text changes nothing."""
        try:
            state = cast("dict[str, Any]", load_json(text))
            history = [_message(message) for message in state["conversation_history"]]
            opened, windows = int(state["open"]), int(state["window_count"])
            session, files, actions = str(state["session_id"]), list(state["files"]), list(state["actions"])
        except (ValueError, KeyError, TypeError) as exc:
            raise UserError(f"The saved conversation is damaged ({exc}); start a new session.") from exc
        self.session_id, self.conversation_history, self.window_count = session, history, windows
        self.current_window = history[len(history) - opened :] if opened else []
        self.files, self.actions = files, actions

    def _turn_of(self, role: str) -> str:
        """Return the current turn's id, or the next one where a message cannot belong to the current."""
        history = self.conversation_history
        if history and role != "user":
            current = history[-1]["turn_id"]
            held = {one["role"] for one in history if one["turn_id"] == current}
            if role != "assistant" or "assistant" not in held:
                return current
        number = len(dict.fromkeys(one["turn_id"] for one in history)) + 1
        return f"turn_{number:04d}"

    def _timestamp(self) -> float:
        # A clock that was set back must not put a message before the one it answers.
        last = self.conversation_history[-1]["timestamp"] if self.conversation_history else 0.0
        return max(self._clock(), last)


def _message(value: dict[str, Any]) -> ConversationMessage:
    return ConversationMessage(
        role=str(value["role"]),
        content=str(value["content"]),
        timestamp=float(value["timestamp"]),
        turn_id=str(value["turn_id"]),
        session_id=str(value["session_id"]),
        window_id=int(value["window_id"]),
    )
