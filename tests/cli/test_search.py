from __future__ import annotations

import pytest

from tests.cli.conftest import RunCli


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("search", "cat"), 1, "no videos to search"),
        (("search", "🐱"), 1, "in words"),
        (("search", "x" * 3000), 1, "at most 2000"),
        (("search", "cat", "--top-k", "0"), 2, "top-k"),
        (("search", "cat", "--modality", "smell"), 2, "modality"),
        (("search", "cat", "--video", "nowhere.mp4"), 1, "nowhere.mp4"),
    ],
)
def test_mistakes_are_told_on_one_line(
    run_cli: RunCli, arguments: tuple[str, ...], code: int, message: str
) -> None:
    ran = run_cli(*arguments)
    assert ran.code == code
    assert message in ran.err
    assert ran.out == ""
