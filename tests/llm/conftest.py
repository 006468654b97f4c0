"""A fault server and prompts for the tests of engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.llm.fault_server import FaultServer, running


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with running() as server:
        yield server
