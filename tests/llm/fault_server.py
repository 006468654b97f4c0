"""A server on the loopback that speaks the vendors' wire formats and fails in every way a real one does."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Wire = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Behaviour = Callable[["Handler"], None]


class FaultServer(ThreadingHTTPServer):
    """Acts out a script, one behaviour a request; when it is over, answers well."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, *, listening: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.server_bind()
        if listening:
            self.server_activate()
        self.script: list[Behaviour] = []
        self.seen: list[Seen] = []
        self.closing = threading.Event()
        self.closed_early = threading.Event()
        """Set when a client hung up while something was still being sent."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.closed_early.set()


class Handler(BaseHTTPRequestHandler):
    """Serves one request."""

    server: FaultServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        behaviour = self.server.script.pop(0) if self.server.script else say("Fine.")
        self.close_connection = True
        try:
            behaviour(self)
        except (BrokenPipeError, ConnectionResetError):
            self.server.closed_early.set()

    @property
    def wire(self) -> Wire:
        return "anthropic" if self.path.endswith("/messages") else "openai"

    def start(self, status: int, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()

    def send(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def reset(self) -> None:
        """Close so that the other side gets a reset, not an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        return


def events(wire: Wire, pieces: list[str], finish: str | None) -> list[bytes]:
    """Return a stream's events; without `finish` it stops in the middle."""
    if wire == "anthropic":
        return _anthropic(pieces, finish)
    rows: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces
    ]
    if finish is not None:
        rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        rows.append(
            {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}
        )
    base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    lines = [f"data: {json.dumps({**base, **row})}\n\n".encode() for row in rows]
    return [*lines, b"data: [DONE]\n\n"] if finish is not None else lines


def _anthropic(pieces: list[str], finish: str | None) -> list[bytes]:
    usage = {"input_tokens": 11, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    rows: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        rows.append({"type": "content_block_delta", "index": 0, "delta": delta})
    if finish is not None:
        stop = {"length": "max_tokens", "stop": "end_turn", "content_filter": "refusal"}[finish]
        ended: dict[str, str | None] = {"stop_reason": stop, "stop_sequence": None}
        rows.append({"type": "content_block_stop", "index": 0})
        rows.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 7}})
        rows.append({"type": "message_stop"})
    return [f"event: {row['type']}\ndata: {json.dumps(row)}\n\n".encode() for row in rows]


def say(text: str, *, pieces: int = 3, finish: str = "stop") -> Behaviour:
    """Answer well."""

    def act(handler: Handler) -> None:
        size = max(-(-len(text) // pieces), 1)
        parts = [text[at : at + size] for at in range(0, len(text), size)]
        handler.start(200, "text/event-stream")
        for event in events(handler.wire, parts, finish):
            handler.send(event)

    return act


def whole(text: str) -> Behaviour:
    """Answer well in OpenAI's form without streaming."""

    def act(handler: Handler) -> None:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        handler.start(200, "application/json")
        handler.send(json.dumps({**body, "choices": [choice], "usage": usage}).encode())

    return act


def fail(status: int, message: str = "no", *, body: Any = None, **headers: str) -> Behaviour:
    """Answer with an error, in the vendor's form unless a body is given."""

    def act(handler: Handler) -> None:
        error = {"type": "some_error", "message": message}
        form = {"type": "error", "error": error} if handler.wire == "anthropic" else {"error": error}
        handler.start(status, "application/json", **headers)
        handler.send(json.dumps(form if body is None else body).encode())

    return act


def hang(handler: Handler) -> None:
    """Never answer."""
    handler.server.closing.wait()


def drip(handler: Handler) -> None:
    """Begin well, then send a byte now and then: no read ever times out."""
    handler.start(200, "text/event-stream")
    for event in events(handler.wire, ["Well"], None):
        handler.send(event)
    while not handler.server.closing.wait(0.02):
        handler.send(b":")


def drip_headers(handler: Handler) -> None:
    """Not even the headers end."""
    handler.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.server.closing.wait(0.02):
        handler.send(b"a")


def break_off(handler: Handler) -> None:
    """End a stream in the middle, politely."""
    handler.start(200, "text/event-stream")
    for event in events(handler.wire, ["Half an ans"], None):
        handler.send(event)


def cut(handler: Handler) -> None:
    """Cut a chunked stream inside a chunk."""
    handler.start(200, "text/event-stream", Transfer_Encoding="chunked")
    first = b"".join(events(handler.wire, ["Half"], None))
    handler.send(b"%x\r\n%s\r\n1000\r\ndata: {" % (len(first), first))


def reset(handler: Handler) -> None:
    """Hang up at once."""
    handler.reset()


def reset_midway(handler: Handler) -> None:
    """Hang up inside a stream."""
    handler.start(200, "text/event-stream")
    handler.send(events(handler.wire, ["Half"], None)[0])
    handler.reset()


def garbage(handler: Handler) -> None:
    """Answer with a page instead of a reply."""
    handler.start(200, "text/html")
    handler.send(b"<html><body>Welcome to the hotel's Wi-Fi</body></html>")


def garbage_events(handler: Handler) -> None:
    """Stream something that is no JSON."""
    handler.start(200, "text/event-stream")
    handler.send(b"event: message_start\ndata: \xff\xfe{not json\n\n")


def wrong_schema(handler: Handler) -> None:
    """Stream JSON of another form."""
    handler.start(200, "text/event-stream")
    handler.send(b'event: message_start\ndata: {"type": "message_start", "weather": "fine"}\n\n')


def error_midway(handler: Handler) -> None:
    """Tell an error inside a stream."""
    handler.start(200, "text/event-stream")
    handler.send(events(handler.wire, ["Half"], None)[0])
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    handler.send(f"event: error\ndata: {json.dumps(body)}\n\n".encode())


@dataclass
class Redirect:
    """Send the client elsewhere."""

    location: str
    status: int = 307
    seen: list[str] = field(default_factory=list)

    def __call__(self, handler: Handler) -> None:
        self.seen.append(handler.path)
        handler.start(self.status, "text/plain", Location=self.location)


@contextmanager
def running() -> Iterator[FaultServer]:
    """Run a server for a while."""
    server = FaultServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
