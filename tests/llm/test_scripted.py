"""Scripts say their lines."""

from __future__ import annotations

import pytest

from tests.llm.made import prompt
from vidence.errors import BackendError
from vidence.llm.scripted import ScriptedEngine


def test_a_script_says_its_lines_and_keeps_the_prompts() -> None:
    engine = ScriptedEngine(["one", BackendError("two")])
    assert engine.answer(prompt("first")).text == "one"
    with pytest.raises(BackendError, match="two"):
        engine.answer(prompt("second"))
    with pytest.raises(BackendError, match="2 lines"):
        engine.answer(prompt("third"))
    assert [asked.messages[-1].text for asked in engine.prompts] == ["first", "second", "third"]


def test_a_script_may_be_a_function() -> None:
    engine = ScriptedEngine(lambda asked: asked.task.upper())
    assert engine.answer(prompt(task="filter")).text == "FILTER"
