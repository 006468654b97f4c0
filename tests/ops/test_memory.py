"""Writing and reading the memory of a video, as the seed's calls have it."""

from __future__ import annotations

import pytest

from vidence.app import Workspace, open_workspace
from vidence.errors import OpRetry, UnknownName
from vidence.ops.read_memory import ReadMemoryResult
from vidence.store.sqlite import SqliteStore

WOMAN = "Target woman (ent_001) first appeared at 1.2s, entering kitchen"


@pytest.fixture
def read(film: Workspace, film_id: str):  # type: ignore[no-untyped-def]
    """Start from no memories and return a way to read them."""
    assert isinstance(film.store, SqliteStore)
    film.store.db.execute("DELETE FROM memory_scopes")

    def call(query: str, **arguments: object) -> ReadMemoryResult:
        result: ReadMemoryResult = film.run(
            "read_memory", {"video_id": film_id, "query": query, **arguments}
        ).result
        return result

    return call


def _write(
    film: Workspace, film_id: str, content: str, memory_type: str = "observation", **more: object
) -> str:
    arguments = {"video_id": film_id, "content": content, "memory_type": memory_type, **more}
    return str(film.run("write_memory", arguments).result.memory_id)


def test_what_is_written_is_read_back_with_everything_known(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    span = {"start_time": 1.2, "end_time": 2.6}
    first = _write(film, film_id, WOMAN, time_range=span, related_entities=["ent_001"], importance=0.9)
    _write(film, film_id, "ent_001 is the main character, appears in 8 scenes", "inference", importance=0.85)
    _write(film, film_id, "A dog barks in the garden")
    assert first == "mem_001"
    found = read("when did the woman first appear")
    assert found.query == "when did the woman first appear"
    top = found.memories[0].model_dump(mode="json")
    assert (top["memory_id"], top["content"], top["memory_type"]) == ("mem_001", WOMAN, "observation")
    assert (top["time_range"], top["related_entities"], top["importance"]) == (span, ["ent_001"], 0.9)
    assert 0 < top["relevance"] <= 1
    assert found.total_matches >= 1


def test_a_star_lists_everything_that_passes_the_filters(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    span = {"start_time": 1.0, "end_time": 2.0}
    _write(film, film_id, "detail one", importance=0.2, time_range=span)
    _write(film, film_id, "key thing two", importance=0.9)
    _write(film, film_id, "a guess three", "hypothesis", importance=0.5)
    assert [m.memory_id for m in read("*", top_k=100).memories] == ["mem_002", "mem_003", "mem_001"]
    assert [m.memory_id for m in read("*", min_importance=0.8).memories] == ["mem_002"]
    assert [m.memory_id for m in read("*", memory_type="hypothesis").memories] == ["mem_003"]
    near = {"start_time": 1.5, "end_time": 3.0}
    assert [m.memory_id for m in read("*", time_range=near).memories] == ["mem_001"]
    assert (len(read("*", top_k=1).memories), read("*", top_k=1).total_matches) == (1, 3)


def test_chinese_memories_are_found(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    _write(film, film_id, "穿红色围裙的女人走进厨房")
    _write(film, film_id, "一只狗在花园里叫")
    assert read("女人走进了哪里").memories[0].content == "穿红色围裙的女人走进厨房"


def test_what_does_not_fit_comes_with_a_low_relevance(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    assert read("anything").memories == []
    _write(film, film_id, "A dog barks in the garden")
    (told,) = read("quarterly revenue forecast spreadsheet").memories
    (better,) = read("which animal barks").memories
    assert told.relevance < 0.2 < better.relevance


@pytest.mark.parametrize(
    ("query", "written", "memory_type"),
    [
        ("第一次出现", "女主角首次登场是在 45.2 秒，走进厨房", "observation"),
        ("protagonist identity", "The woman (ent_001) is the main character of the film", "inference"),
        ("embrace", "Hug detected at 12.0s", "observation"),
    ],
)
def test_memories_are_found_by_meaning_as_the_seed_says(  # type: ignore[no-untyped-def]
    film: Workspace, film_id: str, read, query: str, written: str, memory_type: str
) -> None:
    _write(film, film_id, "The kitchen has white tiles", memory_type)
    _write(film, film_id, "花园里停着一辆车", memory_type)
    _write(film, film_id, written, memory_type)
    assert read(query, memory_type=memory_type).memories[0].content == written


def test_importance_decides_between_equals(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    _write(film, film_id, "a red car passes the gate", importance=0.1)
    _write(film, film_id, "a red car leaves the gate", importance=1.0)
    assert read("red car at the gate").memories[0].memory_id == "mem_002"


@pytest.mark.parametrize(("time_s", "nearest"), [(1.5, "mem_001"), (30.5, "mem_002")])
def test_the_time_that_is_asked_about_decides_between_equals(  # type: ignore[no-untyped-def]
    film: Workspace, film_id: str, read, time_s: float, nearest: str
) -> None:
    for text, start in (("a red car passes the gate", 1), ("a red car leaves the gate", 30)):
        _write(film, film_id, text, time_range={"start_time": start, "end_time": start + 1})
    assert read(f"red car at the gate at {time_s} s").memories[0].memory_id == nearest


def test_the_seed_s_short_name_of_the_type_is_understood(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    arguments = {
        "video_id": film_id,
        "type": "answer",
        "content": "First cat appearance at 7.2s",
        "importance": 1.0,
    }
    film.run("write_memory", arguments)
    (kept,) = read("*", type="answer").memories
    assert kept.memory_type == "answer"
    with pytest.raises(OpRetry, match="'type' is not a parameter"):
        film.run("write_memory", {**arguments, "memory_type": "answer"})


def test_recalled_text_is_not_written_back_as_an_observation(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    _write(film, film_id, "the woman is cooking dinner for her guests", "inference")
    recalled = read("what is the woman cooking").memories[0].content
    with pytest.raises(OpRetry, match="mem_001 already says, as an inference"):
        _write(film, film_id, recalled, "observation")
    assert read("*").total_matches == 1


def test_the_same_observation_twice_has_one_id(film: Workspace, film_id: str, read) -> None:  # type: ignore[no-untyped-def]
    assert {_write(film, film_id, "A dog barks") for _ in range(3)} == {"mem_001"}
    assert read("*").total_matches == 1


@pytest.mark.parametrize(
    "change",
    [
        {"content": "   "},
        {"memory_type": "dream"},
        {"importance": 1.5},
        {"importance": float("nan")},
        {"time_range": {"start_time": 2, "end_time": 1}},
        {"time_range": {"start_time": 1e5, "end_time": 1e6}},
        {"content": "\x01\x02\x03" * 30},
        {"mood": "happy"},
    ],
)
def test_bad_writes_say_what_to_do(film: Workspace, film_id: str, change: dict[str, object]) -> None:
    arguments = {"video_id": film_id, "content": "fine", "memory_type": "observation", **change}
    with pytest.raises(OpRetry):
        film.run("write_memory", arguments)


@pytest.mark.parametrize("change", [{"query": ""}, {"top_k": 0}, {"top_k": 10**6}, {"min_importance": -1}])
def test_bad_reads_say_what_to_do(film: Workspace, film_id: str, change: dict[str, object]) -> None:
    with pytest.raises(OpRetry):
        film.run("read_memory", {"video_id": film_id, "query": "x", **change})


def test_an_unknown_video_is_named(film: Workspace) -> None:
    with pytest.raises(UnknownName):
        film.run("read_memory", {"video_id": "vid_0000", "query": "*"})


def test_memories_go_with_their_video(tmp_path, sample) -> None:  # type: ignore[no-untyped-def]
    with open_workspace(home=tmp_path / "home") as workspace:
        video_id = workspace.add(sample).video.video_id
        _write(workspace, video_id, "A dog barks")
        workspace.remove(video_id)
        workspace.add(sample)
        assert workspace.run("read_memory", {"video_id": video_id, "query": "*"}).result.memories == []
        assert _write(workspace, video_id, "A cat purrs") == "mem_001"
        assert (
            len(workspace.run("read_memory", {"video_id": video_id, "query": "cat purrs"}).result.memories)
            == 1
        )
