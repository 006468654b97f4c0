"""Templates are files in both languages, can be replaced, and are named to the byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from vidence.errors import SettingsError, UnknownName
from vidence.prompts import Template, list_templates, load_template


@pytest.mark.parametrize("template_id", list_templates())
def test_every_template_is_written_in_both_languages_with_the_same_slots(template_id: str) -> None:
    assert set(list_templates()[template_id]) >= {"en", "zh"}
    english, chinese = load_template(template_id, "en"), load_template(template_id, "zh")
    assert english.slots == chinese.slots
    assert english.text
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese.text)


def test_the_chinese_system_prompts_are_the_seeds() -> None:
    assert "你是一个视频理解专家" in load_template("solver.system", "zh").text
    assert "你是一个严格的考官" in load_template("checker.system", "zh").text


def test_a_folder_replaces_a_template(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "solver.system.txt").write_text("Mine: {{question}}\n", encoding="utf-8")
    mine = load_template("solver.system", "en", overrides=tmp_path)
    assert mine.fill(question="How many?") == "Mine: How many?"
    assert mine.use.sha256 == hashlib.sha256(b"Mine: {{question}}").hexdigest()
    assert load_template("solver.system", "zh", overrides=tmp_path) == load_template("solver.system", "zh")


def test_a_value_is_never_filled_again() -> None:
    template = Template("t", "en", "{{ a }} {{b}}")
    assert template.fill(a="{{b}}", b="{{a}} {x} \\1") == "{{b}} {{a}} {x} \\1"


def test_a_slot_nothing_fills_is_named() -> None:
    with pytest.raises(SettingsError, match="nothing fills: missing"):
        Template("t", "en", "{{missing}}").fill(given="x")


def test_an_unknown_template_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match=r"solver\.system"):
        load_template("solver.sistem", "en")


def test_an_unknown_language_falls_back_to_english() -> None:
    assert load_template("solver.system", "fr").language == "en"


def test_an_unreadable_replacement_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "solver.system.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_template("solver.system", "en", overrides=tmp_path)
