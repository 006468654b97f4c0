"""Replies of bounded size: no more bytes are read than any answer has, whatever a server sends."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2

from vidence.llm.model import ReplyTooLong

__all__ = ["MAX_REPLY_BYTES", "bound"]

MAX_REPLY_BYTES = 16 << 20
"""Streams wrap each word in some 200 bytes, so this is a reply of 80,000 words."""


def bound(response: httpx2.Response) -> None:
    """Bound what can be read of a response; a compressed one, which nobody asked for, is not unpacked."""
    response.headers.pop("content-encoding", None)
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        left = MAX_REPLY_BYTES
        for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise ReplyTooLong(f"the answer is longer than {MAX_REPLY_BYTES >> 20} MiB")
            yield chunk

    def close(self) -> None:
        self._stream.close()
