"""The doctor: what is fine, what is not, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import make_sign
from tests.llm.fault_server import running, say
from vidence import __version__
from vidence.app import examine, open_workspace
from vidence.app.doctor import Check, examine_engine
from vidence.settings import load_settings


def checks(home: Path, **more: Any) -> dict[str, Check]:
    return {check.name: check for check in examine(load_settings(home=home, **more))}


def test_the_version_and_every_required_library_are_named(tmp_path: Path) -> None:
    found = checks(tmp_path)
    assert found["vidence"].finding.startswith(__version__)
    for name in ("av", "numpy", "pydantic"):
        assert found[name].status == "ok"
        assert found[name].finding[0].isdigit()


def test_a_home_that_does_not_exist_yet_is_fine_and_stays_unmade(tmp_path: Path) -> None:
    home = tmp_path / "not" / "yet"
    found = checks(home)
    assert found["home"].status == "ok"
    assert "not created yet" in found["workspace"].finding
    assert not home.exists()


@pytest.mark.parametrize(("number", "words"), [(0, "0 videos"), (1, "1 video,"), (2, "2 videos")])
def test_the_videos_of_the_workspace_are_counted(tmp_path: Path, number: int, words: str) -> None:
    home = tmp_path / "home"
    with open_workspace(home=home) as workspace:
        for index in range(number):
            workspace.add(make_sign(tmp_path / f"{index}.mp4", str(index)))
    assert words in checks(home)["workspace"].finding


def test_a_damaged_database_fails_with_its_message_and_is_left_alone(tmp_path: Path) -> None:
    with open_workspace(home=tmp_path):
        pass
    (database,) = tmp_path.glob("*.db")
    for extra in tmp_path.glob("*.db-*"):
        extra.unlink()
    damaged = b"this is no database" * 100
    database.write_bytes(damaged)
    found = checks(tmp_path)["workspace"]
    assert found.status == "fail"
    assert found.remedy
    assert database.read_bytes() == damaged


def test_models_that_are_not_here_are_named_with_the_command_that_fetches_them(tmp_path: Path) -> None:
    found = checks(tmp_path / "home", model_home=tmp_path / "empty")["models"]
    assert found.status == "warn"
    assert "whisper-base (missing)" in found.finding
    assert found.remedy == "vidence models fetch"


def test_the_settings_file_in_use_is_named(tmp_path: Path) -> None:
    (tmp_path / "vidence.toml").write_text("threads = 3\n", encoding="utf-8")
    finding = checks(tmp_path)["settings"].finding
    assert str(tmp_path / "vidence.toml") in finding
    assert "threads 3" in finding


def test_the_limit_on_frames_is_the_setting(tmp_path: Path) -> None:
    assert "up to 12 megapixels" in checks(tmp_path, max_pixels=12_000_000)["limits"].finding


def test_whatever_is_not_fine_has_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDENCE_HOEM", "x")
    settings = load_settings(home=tmp_path / "home", model_home=tmp_path / "empty", models={"speech": "no"})
    found = [check for check in examine(settings) if check.status != "ok"]
    assert {check.name for check in found} >= {"settings", "models"}
    assert all(check.remedy for check in found)
    assert all(not check.remedy for check in examine(settings) if check.status == "ok")


def test_an_engine_is_sent_one_tiny_request(tmp_path: Path) -> None:
    with running() as server:
        server.script = [say("Ready.")]
        options = {"openai": {"base_url": f"{server.url}/v1"}}
        settings = load_settings(home=tmp_path, llm={"options": options})
        sight, answered = examine_engine(settings, "openai:some-model")
        assert len(server.seen) == 1
    assert (answered.status, "Ready." in answered.finding) == ("ok", True)
    assert sight.status == "warn"
    assert "not known to see" in sight.finding


def test_an_engine_that_cannot_be_asked_is_a_failed_check(tmp_path: Path) -> None:
    (check,) = examine_engine(load_settings(home=tmp_path), "opnai:x")
    assert check.status == "fail"
    assert "opnai" in check.finding


def test_the_embedded_engine_sends_nothing(tmp_path: Path) -> None:
    assert [check.status for check in examine_engine(load_settings(home=tmp_path), "embedded")] == [
        "ok",
        "ok",
    ]
