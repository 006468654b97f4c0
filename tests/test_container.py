"""The container file: what it copies is there and not ignored, and it runs as a user without rights."""

from __future__ import annotations

import json
import shlex

from click.testing import CliRunner

from tests.conftest import REPOSITORY
from vidence.cli.main import cli

LINES = (REPOSITORY / "Containerfile").read_text("utf-8").replace("\\\n", "").splitlines()


def arguments(instruction: str) -> list[str]:
    """Return what follows each use of an instruction."""
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{instruction} ")]


def test_what_is_copied_is_there_and_let_through() -> None:
    let_through = [
        line[1:] for line in (REPOSITORY / ".dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"
    ]
    copied = [source for line in arguments("COPY") for source in shlex.split(line)[:-1]]
    assert sorted(copied) == sorted(let_through)
    assert all((REPOSITORY / source).exists() for source in copied)


def test_it_runs_as_a_user_without_rights_and_its_command_is_ours() -> None:
    (user,) = arguments("USER")
    assert user == "vidence"
    assert any(f"useradd --create-home --uid 10001 {user}" in line for line in arguments("RUN"))
    (command,) = arguments("CMD")
    shell = json.loads(command)
    assert shell[:2] == ["sh", "-c"]
    for part in shell[2].split(" && "):
        words = shlex.split(part.removeprefix("exec "))
        assert words[0] == "vidence"
        options = [word for word in words if word.startswith("--")]
        names = [word for word in words[1:] if word.isalpha()][:2]
        shown = CliRunner().invoke(cli, [*(names if names[0] == "models" else names[:1]), "--help"])
        assert shown.exit_code == 0, part
        assert all(option in shown.output for option in options), part
