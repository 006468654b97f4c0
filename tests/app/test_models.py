"""Choosing models by the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.app import examine
from vidence.app.models import check_choices
from vidence.errors import SettingsError
from vidence.settings import Settings, load_settings


def _settings(home: Path, **more: object) -> Settings:
    return load_settings(home=home, **more)


def test_the_defaults_and_a_known_model_pass(tmp_path: Path) -> None:
    check_choices(_settings(tmp_path))
    check_choices(_settings(tmp_path, models={"speech": "whisper-tiny-en"}))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"models": {"objcts": "yolo-onnx"}}, "Did you mean 'objects'"),
        ({"model_options": {"objcts": {"path": "x"}}}, "Did you mean 'objects'"),
        ({"models": {"objects": "yolo-onx"}}, "Did you mean 'yolo-onnx'"),
    ],
)
def test_a_slip_of_the_pen_is_refused_and_seen_by_the_doctor(
    tmp_path: Path, choice: dict[str, object], message: str
) -> None:
    settings = _settings(tmp_path, **choice)
    with pytest.raises(SettingsError, match=message):
        check_choices(settings)
    checks = {check.name: check for check in examine(settings)}
    assert checks["models"].status == "fail"
    assert message in checks["models"].finding


def test_the_doctor_sees_a_variable_that_means_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIDENCE_THREAD", "1")
    found = [check.finding for check in examine(_settings(tmp_path)) if check.status == "warn"]
    assert any("VIDENCE_THREAD " in finding for finding in found)
