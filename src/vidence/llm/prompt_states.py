"""What a local model has read, kept in files: the next program need not read the same notes again.

llama.cpp writes the state of its one slot, some 30 kB a token, and takes it back in milliseconds; reading
takes seconds. It compares tokens itself, so a state of another prompt costs nothing but its loading.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import socket
from contextlib import suppress
from pathlib import Path

__all__ = ["PromptStates"]

_MAX_BYTES = 1 << 30
"""All states of a workspace together: of about thirty videos; those unused for longest go first."""
_WORTH_MS = 1200
"""A prompt that is read faster than this is not kept."""
_TIMEOUT_S = 20.0


class PromptStates:
    """The states of a model's slot, by the name of what was read; its first line says how all alike begin."""

    def __init__(self, folder: Path, address: Path, api_key: str) -> None:
        self._folder, self._address, self._api_key = folder, address, api_key
        self._loaded = ""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self, name: str) -> None:
        """Load what is kept under a name, else what begins alike, unless the slot holds it already."""
        if name == self._loaded:
            return
        path = self._path(name)
        if not path.exists():
            alike = (
                []
                if _kind(name) == _kind(self._loaded)
                else list(self._folder.glob(f"{_kind(name)}-*.state"))
            )
            if not alike:
                return
            path = max(alike, key=_last_used)
        if self._ask("restore", path.name):
            self._loaded = name
            with suppress(OSError):
                os.utime(path)
        else:
            path.unlink(missing_ok=True)

    def keep(self, name: str, read_ms: float) -> None:
        """Keep what the slot holds now, where reading it took long; make room for it.

        A prompt without a name is not kept, but takes the place of what was loaded.
        """
        self._loaded, path = name, self._path(name)
        if not name or read_ms < _WORTH_MS or path.exists():
            return
        half = path.with_suffix(".half")
        if self._ask("save", half.name):
            with suppress(OSError):
                half.chmod(0o600)
                half.replace(path)
        half.unlink(missing_ok=True)
        self._make_room()

    def _path(self, name: str) -> Path:
        return self._folder / f"{_kind(name)}-{_digest(name, 24)}.state"

    def _make_room(self) -> None:
        with suppress(OSError):
            newest = sorted(self._folder.iterdir(), key=_last_used, reverse=True)
            total = 0
            for path in newest:
                total += path.stat().st_size
                if total > _MAX_BYTES:
                    path.unlink(missing_ok=True)

    def _ask(self, action: str, filename: str) -> bool:
        """Ask the server over its own socket; a failure only means that the prompt is read."""
        connection = _SocketConnection(self._address)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._api_key}"}
        try:
            body = json.dumps({"filename": filename})
            connection.request("POST", f"/slots/0?action={action}", body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def _kind(name: str) -> str:
    """Return what names have in common whose prompts begin alike: their first line."""
    return _digest(name.partition("\n")[0], 8)


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def _last_used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        # Another program removed it meanwhile.
        return 0.0


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, address: Path) -> None:
        super().__init__("localhost", timeout=_TIMEOUT_S)
        self._address = address

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_TIMEOUT_S)
        self.sock.connect(str(self._address))
