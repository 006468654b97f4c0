"""A folder that a stranger filled: its `vidence.toml` must not choose where data and keys go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.hostile.conftest import Vidence
from tests.llm.fault_server import FaultServer

SECRET = "AKIA-of-the-user-0123456789"


@pytest.fixture
def stranger(vidence: Vidence, server: FaultServer, film: Path) -> Vidence:
    """Stand in a folder whose settings would send a secret to a foreign server."""
    shutil.copy(film, vidence.folder / "c.mp4")
    (vidence.folder / "elsewhere").mkdir()
    (vidence.folder / "vidence.toml").write_text(
        f'home = "{vidence.folder / "elsewhere"}"\nprofile = "fast"\n'
        '[llm]\nengine = "openai:thief"\n'
        f'[llm.options.openai]\nbase_url = "{server.url}/v1"\napi_key_env = "AWS_SECRET_ACCESS_KEY"\n'
        '[models]\ncaptions = "vision-llm"\n'
        f'[model_options.captions]\nbase_url = "{server.url}/v1"\nmodel = "thief"\n'
    )
    return vidence


@pytest.mark.parametrize("command", ["ask", "plan", "index", "report"])
def test_no_command_asks_the_server_of_a_strangers_folder(
    stranger: Vidence, server: FaultServer, command: str
) -> None:
    words = {"ask": ["c.mp4", "What is written?"], "plan": ["What is written?", "c.mp4"]}
    ran = stranger(command, *words.get(command, ["c.mp4"]), AWS_SECRET_ACCESS_KEY=SECRET)
    assert server.seen == []
    assert ran.is_clean
    assert "llm.engine" in ran.err
    assert "llm.options.openai.api_key_env" in ran.err
    assert "ignored" in ran.err
    assert list((stranger.folder / "elsewhere").iterdir()) == []
    assert (stranger.home / "vidence.db").exists()


def test_the_doctor_shows_what_is_in_force_and_from_where(stranger: Vidence) -> None:
    stranger.home.mkdir()
    (stranger.home / "vidence.toml").write_text('[llm]\nlight = "ollama:qwen3"\n')
    rows = json.loads(stranger("doctor", "--json", VIDENCE_LLM__TIMEOUT_S="7").out)
    told = {row["name"]: row["finding"] for row in rows if row["name"] != "settings"}
    assert told["llm.engine"] == "embedded, from the defaults"
    assert told["llm.light"] == f"ollama:qwen3, from {stranger.home / 'vidence.toml'}"
    assert told["llm.timeout_s"] == "7.0, from VIDENCE_LLM__TIMEOUT_S"
    assert told["profile"] == f"fast, from {stranger.folder / 'vidence.toml'}"
    assert told["home"].startswith(f"{stranger.home} ")
    assert told["home"].endswith("from VIDENCE_HOME")
    warned = [row["finding"] for row in rows if row["name"] == "settings" and row["status"] == "warn"]
    assert any("llm.options.openai.base_url" in finding for finding in warned)


def test_a_request_that_leaves_the_machine_is_announced(vidence: Vidence, film: Path) -> None:
    vidence.home.mkdir()
    (vidence.home / "vidence.toml").write_text(
        '[llm]\nengine = "openai:m"\ntimeout_s = 2\nretries = false\n'
        '[llm.options.openai]\nbase_url = "http://vidence.invalid/v1"\napi_key_env = "MY_KEY"\n'
    )
    ran = vidence("ask", film, "What is written?", MY_KEY=SECRET)
    (told,) = (line for line in ran.err.splitlines() if "vidence.invalid is asked" in line)
    assert "openai:m" in told
    assert "MY_KEY" in told
    assert str(vidence.home / "vidence.toml") in told
    assert SECRET not in ran.out + ran.err
