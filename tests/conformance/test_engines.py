"""What every engine keeps to, whatever is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.llm.fault_server import Behaviour, FaultServer, running, say
from tests.llm.made import JPEG, KEY, KEY_ENV, Verdict, engine_at, prompt, trace_of
from vidence.errors import UserError
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.factory import create_llm_engine
from vidence.llm.local import LocalEngine
from vidence.llm.protocol import Capabilities, Engine, Reply
from vidence.llm.recovery import Recovering
from vidence.llm.replay import ReplayEngine
from vidence.llm.router import Router
from vidence.llm.scripted import ScriptedEngine
from vidence.llm.structured import parse_reply
from vidence.models.cache import ModelCache
from vidence.prompts import Prompt
from vidence.schema.message import Message
from vidence.settings import load_settings

WORDS = 'Two men sit.\n```json\n{"score": 4, "why": "seen"}\n```'
ASKED = prompt("Score how sure you are that 2 men sit, as a number from 1 to 5.", response=Verdict)

Make = Callable[[], Engine]


def _remote(provider: str) -> Callable[[FaultServer], Engine]:
    def make(server: FaultServer) -> Engine:
        server.script = [say(WORDS)] * 9
        return engine_at(server, provider)

    return make


def _replay(server: FaultServer) -> Engine:
    return ReplayEngine(trace_of(*[(ASKED, WORDS)] * 9))


_LOCAL: list[LocalEngine] = []
"""Loading takes seconds, so the tests share one."""


def _local(server: FaultServer) -> Engine:
    if _LOCAL:
        return _LOCAL[0]
    cache = ModelCache(load_settings().model_home)
    if cache.status("qwen2.5-coder-1.5b") == "missing":
        pytest.skip("the model is not here; get it with: vidence models fetch qwen2.5-coder-1.5b")
    path = cache.path("qwen2.5-coder-1.5b", "weights")
    made = create_llm_engine("local:qwen2.5-coder-1.5b", path=str(path), max_tokens=200, threads=2)
    assert isinstance(made, LocalEngine)
    _LOCAL.append(made)
    return made


ENGINES: dict[str, Callable[[FaultServer], Engine]] = {
    "scripted": lambda server: ScriptedEngine(lambda _: WORDS, pieces=4),
    "embedded": lambda server: EmbeddedEngine({ASKED.task: lambda _: WORDS}),
    "replay": _replay,
    "openai": _remote("openai"),
    "gemini": _remote("gemini"),
    "anthropic": _remote("anthropic"),
    "dashscope": _remote("dashscope"),
    "vllm": _remote("vllm"),
    "recovering": lambda server: Recovering(ScriptedEngine(lambda _: WORDS)),
    "router": lambda server: Router(ScriptedEngine(lambda _: WORDS), ScriptedEngine(lambda _: WORDS)),
    "local": _local,
}


@pytest.fixture
def loopback() -> Iterator[FaultServer]:
    """One for each test: a stopped call's request may still be on its way when the next begins."""
    with running() as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def _local_ends() -> Iterator[None]:
    yield
    while _LOCAL:
        _LOCAL.pop().close()


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.slow if name == "local" else ()) for name in ENGINES]
)
def engine(request: pytest.FixtureRequest, loopback: FaultServer, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv(KEY_ENV, KEY)
    return ENGINES[request.param](loopback)


def test_it_is_an_engine_with_a_name_and_capabilities(engine: Engine) -> None:
    assert isinstance(engine, Engine)
    assert engine.name
    assert isinstance(engine.capabilities, Capabilities)
    assert engine.capabilities.context_tokens >= 256


def test_it_answers_a_prompt_with_an_object_of_the_wanted_form(engine: Engine) -> None:
    reply = engine.answer(ASKED)
    assert isinstance(reply, Reply)
    assert isinstance(parse_reply(reply.text, Verdict).value, Verdict)
    assert reply.engine
    assert reply.seconds >= 0
    assert not reply.truncated
    if engine.capabilities.metered:
        assert reply.usage.input_tokens > 0
        assert reply.usage.output_tokens > 0


def test_a_deterministic_engine_gives_the_same_reply_again(engine: Engine) -> None:
    if not engine.capabilities.deterministic:
        pytest.skip("may answer otherwise the second time")
    assert engine.answer(ASKED).text == engine.answer(ASKED).text


def test_the_pieces_make_the_whole(engine: Engine) -> None:
    pieces: list[str] = []
    assert engine.answer(ASKED, on_text=pieces.append).text == "".join(pieces)


class Stopped(Exception):
    pass


def test_what_a_listener_raises_stops_the_call(engine: Engine) -> None:
    def listen(piece: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        engine.answer(ASKED, on_text=listen)


def test_it_can_be_asked_again_after_being_stopped(engine: Engine) -> None:
    with pytest.raises(Stopped):
        engine.answer(ASKED, on_text=_stop)
    if not isinstance(engine, ReplayEngine):
        assert engine.answer(ASKED).text


def _stop(piece: str) -> None:
    raise Stopped


def test_it_is_callable_on_texts(engine: Engine) -> None:
    if isinstance(engine, EmbeddedEngine | ReplayEngine):
        pytest.skip("answers only the tasks it knows")
    assert isinstance(engine(["Say hello."]), str)


def test_pictures_are_seen_or_refused_never_dropped(engine: Engine) -> None:
    if isinstance(engine, EmbeddedEngine | ReplayEngine):
        pytest.skip("reads the variables, or the record, instead of what is sent")
    if engine.capabilities.sees_pictures:
        assert engine(["What is it?", JPEG])
    else:
        with pytest.raises(UserError, match="pictures"):
            engine(["What is it?", JPEG])


def test_bytes_that_are_no_picture_are_refused(engine: Engine) -> None:
    with pytest.raises(UserError, match="JPEG, PNG or WebP"):
        engine(["What is it?", b"not a picture"])


def test_chinese_and_odd_characters_arrive_whole(engine: Engine, loopback: FaultServer) -> None:
    if isinstance(engine, EmbeddedEngine | ReplayEngine | LocalEngine):
        pytest.skip("does not repeat what a server says")
    text = '有几个人？👍🏽\x00 “引号” \\n {"a": 1} \u2028'
    before: list[Behaviour] = loopback.script
    loopback.script = [say(text, pieces=20)]
    reply = engine.answer(Prompt("simple_qa", (Message(role="user", text=text),), Verdict(score=1)))
    loopback.script = before
    assert reply.text in (text, WORDS)
    if loopback.seen and engine.name.split(":")[0] in ("openai", "gemini", "anthropic", "dashscope", "vllm"):
        assert reply.text == text
        assert list(_texts(loopback.seen[-1].body["messages"])) == [text]


def test_half_a_character_stops_no_call(engine: Engine) -> None:
    if isinstance(engine, EmbeddedEngine | ReplayEngine):
        pytest.skip("answers only the tasks it knows")
    assert engine(["Say hello. \ud83d"])


def _texts(messages: list[dict[str, object]]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:  # type: ignore[attr-defined]
            yield str(part["text"])
