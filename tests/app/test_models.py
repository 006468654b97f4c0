"""Choosing models by the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.app import examine
from vidence.app.models import check_choices, fetch, list_models, models_to_fetch
from vidence.errors import SettingsError, UnknownName
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
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
        (
            {"models": {"objects": "yolo-onnx"}, "model_options": {"objects": {"min_scor": 0.2}}},
            "Did you mean 'min_score'",
        ),
        ({"model_options": {"image_text": {"path": "x"}}}, "write image_text = 'clip-onnx' under"),
        ({"model_options": {"shots": {"path": "x"}}}, "write shots = 'transnet-onnx' under"),
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


def test_options_of_another_model_may_be_left_standing(tmp_path: Path) -> None:
    settings = _settings(
        tmp_path, models={"image_text": "lens"}, model_options={"image_text": {"path": "elsewhere"}}
    )
    check_choices(settings)
    shelf = ModelShelf(
        ModelCache(tmp_path), chosen=settings.models, options={"image_text": {"path": "elsewhere"}}
    )
    assert shelf.fingerprint("image_text") == "lens"


def test_what_the_user_brings_is_not_fetched_and_does_not_stop_the_rest(tmp_path: Path) -> None:
    settings = _settings(
        tmp_path, models={"image_text": "clip-onnx", "shots": "transnet-onnx"}, model_home=tmp_path
    )
    wanted = models_to_fetch(settings)
    assert {"lens", "silero-vad", "whisper-base"} <= set(wanted)
    assert not {"clip-onnx", "transnet-onnx"} & set(wanted)
    with pytest.raises(SettingsError, match=r"bring yourself.*\[model_options\.shots\]"):
        fetch(settings, "transnet-onnx")


def test_a_wrong_path_is_seen_in_the_list_and_by_the_doctor(tmp_path: Path) -> None:
    settings = _settings(
        tmp_path,
        models={"objects": "yolo-onnx"},
        model_options={
            "objects": {"path": str(tmp_path / "no.onnx"), "min_score": 0.3, "labels": ["a", "b"]}
        },
    )
    assert settings.model_options["objects"]["labels"] == "a, b"
    [row] = [row for row in list_models(settings) if row.model == "yolo-onnx"]
    assert (row.status, row.use) == ("misconfigured", "yes")
    assert "no.onnx" in row.problem
    assert "[model_options.objects]" in row.problem
    assert any(check.status == "fail" and "no.onnx" in check.finding for check in examine(settings))


def test_the_doctor_knows_the_parts_of_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDENCE_MODELS__SPEECH", "whisper-base")
    monkeypatch.setenv("VIDENCE_MODLES__SPEECH", "whisper-base")
    findings = [check.finding for check in examine(_settings(tmp_path)) if "variable" in check.finding]
    assert len(findings) == 1
    assert "VIDENCE_MODLES__SPEECH" in findings[0]


def test_every_choice_of_the_settings_is_one_chosen_row(tmp_path: Path) -> None:
    settings = _settings(tmp_path, models={"speech": "whisper-tiny-en"}, model_home=tmp_path)
    rows = list_models(settings)
    chosen = [(row.capability, row.model) for row in rows if row.chosen]
    assert ("speech", "whisper-tiny-en") in chosen
    assert ("speech", "whisper-base") not in chosen
    assert len({capability for capability, _ in chosen}) == len(chosen), "one model for each capability"


def test_in_an_empty_folder_what_is_fetched_is_missing(tmp_path: Path) -> None:
    rows = list_models(_settings(tmp_path, model_home=tmp_path / "empty"))
    assert {row.status for row in rows if row.model in ("whisper-base", "pp-ocr-v6-small")} == {"missing"}


def test_what_is_chosen_is_fetched_once_and_with_its_helpers(tmp_path: Path) -> None:
    settings = _settings(tmp_path, models={"speech": "whisper-tiny-en"})
    wanted = models_to_fetch(settings)
    assert len(wanted) == len(set(wanted))
    assert "whisper-tiny-en" in wanted
    assert "whisper-base" not in wanted


def test_the_language_model_is_fetched_unless_a_small_set_is_wanted(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    everything, small = models_to_fetch(settings), models_to_fetch(settings, small=True)
    assert [model for model in everything if model not in small] == ["qwen2.5-coder-1.5b"]


def test_a_reader_that_was_left_out_is_no_fault(tmp_path: Path) -> None:
    checks = [check for check in examine(_settings(tmp_path, model_home=tmp_path)) if check.name == "reader"]
    assert [check.status for check in checks] == ["ok"]
    assert "vidence models fetch" in checks[0].remedy


def test_an_unknown_model_cannot_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="whisper-base"):
        fetch(_settings(tmp_path, model_home=tmp_path), "whisper-bas")


@pytest.mark.parametrize("capability", ["speech", "objects", "ocr"])
def test_an_unknown_model_names_those_there_are(tmp_path: Path, capability: str) -> None:
    with pytest.raises(SettingsError, match=rf"model for {capability} 'nothing'.*Known: \w"):
        check_choices(_settings(tmp_path, models={capability: "nothing"}))
