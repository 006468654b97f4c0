"""The library: files signed by their content, shared whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.tools.seeds import LOCATE
from vidence.errors import BadTool, UnknownName
from vidence.tools import parse_tool
from vidence.tools.library import Entry, ToolLibrary, entry_of, rank_tools


def own(name: str = "my_search") -> str:
    return json.dumps({**json.loads(json.dumps(dict(parse_tool(LOCATE).source))), "tool_name": name})


def test_built_in_tools_are_there_without_a_folder(tmp_path: Path) -> None:
    library = ToolLibrary(tmp_path / "none")
    assert {"locate_first_appearance", "count_occurrences", "who_said"} <= set(library.names())
    assert library.get("who_said").origin == "built in"


def test_a_tool_is_kept_and_dropped(tmp_path: Path) -> None:
    library = ToolLibrary(tmp_path)
    library.add(parse_tool(own()), "written")
    again = ToolLibrary(tmp_path).get("my_search")
    assert (again.origin, again.parsed().name) == ("written", "my_search")
    library.drop("my_search")
    with pytest.raises(UnknownName):
        library.get("my_search")


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    library = ToolLibrary(tmp_path)
    library.add(parse_tool(own()), "written")
    path = tmp_path / "my_search.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"top_k": 10', '"top_k": 99'), encoding="utf-8")
    with pytest.raises(BadTool, match="was changed after it was signed"):
        library.get("my_search")


def test_exported_tools_are_imported_elsewhere(tmp_path: Path) -> None:
    library = ToolLibrary(tmp_path / "a")
    library.add(parse_tool(own("one")), "written")
    library.add(parse_tool(own("two")), "induced", learned_from=("q",))
    bundle = tmp_path / "tools.json"
    bundle.write_text(library.export(["one", "two"]), encoding="utf-8")
    other = ToolLibrary(tmp_path / "b")
    assert [one.name for one in other.take(bundle)] == ["one", "two"]
    assert other.get("two").learned_from == ("q",)
    assert other.get("two").sha256 == library.get("two").sha256


def test_a_bundle_with_one_changed_tool_adds_none(tmp_path: Path) -> None:
    library = ToolLibrary(tmp_path / "a")
    library.add(parse_tool(own("one")), "written")
    library.add(parse_tool(own("two")), "written")
    data = json.loads(library.export(["one", "two"]))
    data["tools"][1]["tool"]["description"] = "Something else."
    bundle = tmp_path / "tools.json"
    bundle.write_text(json.dumps(data), encoding="utf-8")
    other = ToolLibrary(tmp_path / "b")
    with pytest.raises(BadTool):
        other.take(bundle)
    assert "one" not in other


def test_names_of_operations_are_taken(tmp_path: Path) -> None:
    for name in ("temporal_search", "who_said"):
        with pytest.raises(BadTool, match="is taken"):
            ToolLibrary(tmp_path).add(parse_tool(own(name)), "written")


def test_a_built_in_tool_cannot_be_dropped(tmp_path: Path) -> None:
    with pytest.raises(BadTool, match="built in"):
        ToolLibrary(tmp_path).drop("who_said")


def test_tools_are_ranked_by_likeness_to_the_question() -> None:
    entries = list(ToolLibrary(None))

    def embed(texts: object) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        assert isinstance(texts, list)
        words = ("voice", "touch", "appear", "count")
        rows = [[float(word in str(text).lower()) for word in words] for text in texts]
        return np.asarray(rows, np.float32)

    assert rank_tools(entries, "Whose voice is it?", embed)[0].name == "who_said"


def learned(name: str, *questions: str) -> Entry:
    return entry_of(parse_tool(own(name)), "induced", learned_from=questions)


def test_tools_are_offered_for_the_kind_of_question_they_were_found_in() -> None:
    counting = learned(
        "counting", "How many dogs are there?", "How many cups are on the table?", "What colour is it?"
    )
    timing = learned("timing", "When does the dog appear?")
    hearing = learned("hearing", "What can be heard?")

    def embed(texts: object) -> np.ndarray:
        raise AssertionError("tools that were found in runs are not compared by their words")

    def names(question: str) -> list[str]:
        return [one.name for one in rank_tools([hearing, timing, counting], question, embed)]

    assert names("When does the cat appear?") == ["timing"]
    # A kind that nothing was tried on gets what serves most questions about the same sense.
    assert names("Why does the dog run?") == ["counting"]
    counting = counting.model_copy(update={"tried": ("Why does the cat jump?",)})
    assert names("Why does the dog run?") == []
    assert names("How many birds are there?") == ["counting"]
    assert names("What sound can be heard at the end?") == ["hearing"]


def test_built_in_tools_say_what_they_find_out_in_both_languages() -> None:
    for entry in ToolLibrary(None):
        english, chinese = entry.purpose("en"), entry.purpose("zh")
        assert english.isascii()
        assert not chinese.isascii()
        assert entry.tool["description"] in (english, chinese)
