"""Templates are files in both languages, can be replaced, and are named to the byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from vidence.errors import SettingsError, UnknownName
from vidence.prompts import Template, Wording, list_templates, load_template


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


def test_a_wording_loads_each_template_once_and_notes_it_in_order_of_use() -> None:
    loaded: list[tuple[str, str]] = []

    def load(template_id: str, language: str) -> Template:
        loaded.append((template_id, language))
        return Template(template_id, language, f"{template_id}: {{{{name}}}}")

    wording = Wording("zh", load=load)
    assert wording.fill("b", name="一") == "b: 一"
    assert wording.fill("a", name="二") == "a: 二"
    assert wording.fill("b", name="三") == "b: 三"
    assert loaded == [("b", "zh"), ("a", "zh")]
    assert [template.template_id for template in wording.templates] == ["b", "a"]


def test_a_wording_names_the_exact_version_of_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "checker.system.txt").write_text("Be strict.", encoding="utf-8")
    own, shipped = Wording("en", overrides=tmp_path), Wording("en")
    (mine,), (ours,) = own.uses("checker.system"), shipped.uses("checker.system")
    assert (mine.template_id, mine.language) == (ours.template_id, ours.language) == ("checker.system", "en")
    assert mine.sha256 == hashlib.sha256(b"Be strict.").hexdigest() != ours.sha256
    assert own.fill("checker.system") == "Be strict."


def test_a_slot_may_stand_twice_and_have_blanks() -> None:
    template = Template("t", "en", "{{a}} {{ a }} {b} {{ b-c }}")
    assert template.slots == {"a"}
    assert template.fill(a="x", unused="y") == "x x {b} {{ b-c }}"


def test_a_missing_slot_says_which_values_there_are() -> None:
    with pytest.raises(SettingsError, match=r"'t' \(zh\).*fills: b, c.*may use: a, d"):
        Template("t", "zh", "{{a}} {{c}} {{b}}").fill(a="1", d="2")
    with pytest.raises(SettingsError, match="may use: nothing"):
        Template("t", "en", "{{a}}").fill()


def test_the_same_words_in_two_languages_have_the_same_hash_and_another_name() -> None:
    english, chinese = Template("t", "en", "x").use, Template("t", "zh", "x").use
    assert english.sha256 == chinese.sha256
    assert english != chinese
