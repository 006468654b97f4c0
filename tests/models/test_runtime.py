from __future__ import annotations

import os

import pytest

from vidence.models.runtime import without_stderr_lines


def test_only_the_named_lines_are_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    with without_stderr_lines(b"INFO: hello"):
        os.write(2, b"INFO: hello there\nkeep me\n")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "keep me\nafter\n"


def test_the_stream_comes_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="inside"):
        _fail_loudly()
    assert capfd.readouterr().err == "why\n"


def _fail_loudly() -> None:
    with without_stderr_lines(b"INFO"):
        os.write(2, b"INFO: gone\nwhy\n")
        raise ValueError("inside")
