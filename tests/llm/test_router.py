"""Which engine gets a prompt, and what the router records of the call."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.llm.made import prompt
from vidence.errors import BackendError, ErrorType, OpRetry, ServiceError, UserError, VidenceError
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.protocol import Capabilities, Engine
from vidence.llm.recovery import Recovering
from vidence.llm.router import Router, Routes
from vidence.llm.scripted import ScriptedEngine


def scripted(name: str, *, vision: bool = True, context_tokens: int = 10**6) -> ScriptedEngine:
    can = Capabilities(sees_pictures=vision, streaming=True, context_tokens=context_tokens)
    return ScriptedEngine(lambda _: name, name=name, capabilities=can)


LONG = "x" * 5001


@pytest.mark.parametrize(
    ("task", "text", "tier"),
    [
        ("filter", LONG, "light"),
        ("classify", "?", "light"),
        ("intel.extract_keywords", LONG, "light"),
        ("simple_qa", "?", "light"),
        ("critical_review", "?", "heavy"),
        ("deep_analysis.first", "?", "heavy"),
        ("report.synthesis", "?", "heavy"),
        ("solver.step", "?", "light"),
        ("solver.step", LONG, "heavy"),
    ],
)
def test_tasks_and_length_choose_the_engine(task: str, text: str, tier: str) -> None:
    router = Router(scripted("light"), scripted("heavy"))
    assert router.route(prompt(text, task=task)).tier == tier
    assert router.answer(prompt(text, task=task)).text == tier


def test_the_users_table_comes_first() -> None:
    own = scripted("own")
    routes = Routes({"checker": "heavy", "checker.quick": "light", "filter": own}, heavy_above_chars=10)
    router = Router(scripted("light"), scripted("heavy"), routes=routes)
    assert router.answer(prompt(task="checker.evaluate")).text == "heavy"
    assert router.answer(prompt(LONG, task="checker.quick")).text == "light"
    assert router.answer(prompt(task="filter")).text == "own"


def test_pictures_go_to_the_engine_that_sees() -> None:
    router = Router(scripted("light", vision=False), scripted("heavy"))
    assert router.answer(prompt(task="filter", pictures=1)).text == "heavy"
    assert router.capabilities.sees_pictures


def test_beside_a_language_model_the_embedded_engine_declares_nothing_for_the_router() -> None:
    embedded, model = EmbeddedEngine({}), scripted("heavy")
    mixed = Router(embedded, model).capabilities
    assert mixed.model_dump(exclude={"context_tokens", "streaming"}) == model.capabilities.model_dump(
        exclude={"context_tokens", "streaming"}
    )
    assert mixed.context_tokens == embedded.capabilities.context_tokens
    assert not mixed.streaming


def test_two_embedded_engines_are_routed_as_one() -> None:
    embedded = EmbeddedEngine({})
    assert Router(embedded, embedded).capabilities == embedded.capabilities


def test_a_prompt_too_long_for_one_goes_to_the_other() -> None:
    router = Router(scripted("light", context_tokens=1000), scripted("heavy"))
    assert router.answer(prompt("word " * 2000, task="filter")).text == "heavy"


def test_a_router_is_an_engine() -> None:
    assert isinstance(Router(scripted("a"), scripted("b")), Engine)


def test_every_call_is_recorded_with_its_tokens() -> None:
    router = Router(scripted("light"), scripted("heavy"))
    router.answer(prompt(task="filter"))
    router.answer(prompt(task="critical_review"))
    light, heavy = router.calls
    assert (light.task, light.engine, light.tier) == ("filter", "light", "light")
    assert light.usage.total_tokens > 0
    assert (heavy.task, heavy.engine, heavy.tier) == ("critical_review", "heavy", "heavy")
    assert heavy.usd is None, "a price that is not known is no zero"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ServiceError("no", ErrorType.UNKNOWN_MODEL), ErrorType.UNKNOWN_MODEL),
        (UserError("a picture that is none"), ErrorType.INVALID_REQUEST),
        (OpRetry("no JSON"), ErrorType.INVALID_REPLY),
        (BackendError("the model's process died"), ErrorType.SERVER_ERROR),
    ],
)
def test_failures_are_recorded_by_their_kind(error: VidenceError, kind: ErrorType) -> None:
    broken = ScriptedEngine([error], name="broken")
    router = Router(broken, broken)
    with pytest.raises(type(error)):
        router.answer(prompt())
    assert [call.failure for call in router.calls] == [kind]


def test_a_record_names_the_engine_that_really_answered() -> None:
    broken = ScriptedEngine([ServiceError("no", ErrorType.UNKNOWN_MODEL)], name="broken")
    robust = Recovering(broken, fallback=scripted("spare"))
    router = Router(robust, robust)
    router.answer(prompt())
    assert router.calls[0].engine == "spare"


def test_calls_of_many_threads_are_all_recorded() -> None:
    router = Router(scripted("light"), scripted("heavy"))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: router.answer(prompt(task="filter")), range(400)))
    assert len(router.calls) == 400


def test_a_call_without_a_language_model_is_free() -> None:
    embedded = EmbeddedEngine({"simple_qa": lambda _: "x"})
    router = Router(embedded, embedded)
    router.answer(prompt())
    assert router.calls[0].usd == 0.0
