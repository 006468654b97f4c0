"""What is tried when a service fails, against real faults and without real waiting."""

from __future__ import annotations

import random

import pytest

from tests.llm import fault_server as faults
from tests.llm.fault_server import Behaviour, FaultServer, fail, say
from tests.llm.made import KEY, KEY_ENV, engine_at, prompt
from vidence.errors import BackendError, ErrorType, OpRetry, ServiceError, UserError
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.llm.recovery import (
    ExponentialBackoffStrategy,
    FallbackStrategy,
    GiveUpStrategy,
    Recovering,
    RetryManager,
    RetryStrategy,
    SwitchProxyStrategy,
    describe_gap,
)
from vidence.llm.scripted import ScriptedEngine
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt

PROVIDERS = ["openai", "gemini", "anthropic"]


class Clock:
    """A sleep that only writes down."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


class Middle(random.Random):
    """Chance without chance."""

    def random(self) -> float:
        return 0.0


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, KEY)


def service_error(kind: ErrorType, retry_after_s: float | None = None) -> ServiceError:
    return ServiceError("x", kind, service="s", retry_after_s=retry_after_s)


RECOVERED: dict[str, tuple[list[Behaviour], list[float]]] = {
    "busy twice": ([fail(429), fail(429)], [1.0, 2.0]),
    "busy and says how long": ([fail(429, Retry_After="7")], [7.0]),
    "busy and asks for less than we wait": ([fail(429, Retry_After="0.1")], [1.0]),
    "server error three times": ([fail(500), fail(503), fail(529)], [1.0, 2.0, 4.0]),
    "reset twice": ([faults.reset, faults.reset_midway], [1.0, 1.0]),
    "broken stream": ([faults.break_off, faults.cut], [1.0, 1.0]),
    "garbage once": ([faults.garbage], []),
    "another schema once": ([faults.wrong_schema], []),
    "gateway timeout once": ([fail(504)], [0.5]),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("script", "waits"), RECOVERED.values(), ids=RECOVERED.keys())
def test_a_passing_fault_is_waited_out(
    server: FaultServer, provider: str, script: list[Behaviour], waits: list[float]
) -> None:
    server.script, clock = [*script, say("At last.")], Clock()
    engine = Recovering(engine_at(server, provider), sleep=clock, rng=Middle())
    assert engine.answer(prompt()).text == "At last."
    assert clock.slept == waits
    assert len(server.seen) == len(script) + 1


HOPELESS: dict[str, tuple[Behaviour, int, ErrorType]] = {
    "always busy": (fail(429), 5, ErrorType.API_RATE_LIMIT),
    "busy for an hour": (fail(429, Retry_After="3600"), 1, ErrorType.API_RATE_LIMIT),
    "always failing": (fail(500), 4, ErrorType.SERVER_ERROR),
    "always resetting": (faults.reset, 3, ErrorType.NETWORK_ERROR),
    "always garbage": (faults.garbage, 2, ErrorType.INVALID_REPLY),
    "wrong key": (fail(401), 1, ErrorType.AUTHENTICATION),
    "no such model": (fail(404), 1, ErrorType.UNKNOWN_MODEL),
    "too long": (fail(413), 1, ErrorType.CONTEXT_TOO_LONG),
    "refused": (fail(400), 1, ErrorType.REQUEST_REFUSED),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("behaviour", "tries", "kind"), HOPELESS.values(), ids=HOPELESS.keys())
def test_a_lasting_fault_goes_to_the_fallback_after_bounded_tries(
    server: FaultServer, provider: str, behaviour: Behaviour, tries: int, kind: ErrorType
) -> None:
    server.script = [behaviour] * 10
    other = ScriptedEngine(["From elsewhere."], name="other")
    engine = Recovering(engine_at(server, provider), fallback=other, sleep=Clock(), rng=Middle())
    reply = engine.answer(prompt())
    assert (reply.text, reply.engine) == ("From elsewhere.", "other")
    assert len(server.seen) == tries
    server.script = [behaviour] * 10
    with pytest.raises(ServiceError) as caught:
        Recovering(engine_at(server, provider), sleep=Clock(), rng=Middle()).answer(prompt())
    assert (caught.value.error_type, caught.value.attempts) == (kind, tries)


class Hurried(EngineBase):
    """An engine in a hurry once; the second try has all the time that a busy machine needs."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.name, engine.capabilities)
        self._engine, self._limits = engine, iter([0.4])

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        return self._engine.answer(prompt, on_text=on_text, timeout_s=next(self._limits, timeout_s))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("behaviour", [faults.hang, faults.drip])
def test_a_server_that_holds_on_is_asked_once_more(
    server: FaultServer, provider: str, behaviour: Behaviour
) -> None:
    server.script, waits = [behaviour] * 9, []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        server.script = [say("Better.")] * 9

    engine = Recovering(Hurried(engine_at(server, provider)), sleep=pause)
    assert engine.answer(prompt()).text == "Better."
    assert waits == [0.5]


def test_all_tries_end_within_the_callers_time(server: FaultServer) -> None:
    server.script = [faults.hang] * 10
    engine = Recovering(engine_at(server, "openai", timeout_s=0.2), sleep=Clock())
    with pytest.raises(ServiceError) as caught:
        engine.answer(prompt(), timeout_s=0.5)
    assert caught.value.error_type is ErrorType.API_TIMEOUT
    assert len(server.seen) <= 2


def test_a_wait_longer_than_the_time_left_is_not_begun() -> None:
    clock = Clock()
    busy = ScriptedEngine(lambda _: service_error(ErrorType.API_RATE_LIMIT, 30.0))
    with pytest.raises(ServiceError):
        Recovering(busy, sleep=clock).answer(prompt(), timeout_s=29)
    assert clock.slept == []
    assert len(busy.prompts) == 1


class Stopped(Exception):
    pass


def test_whoever_listens_can_stop_a_wait() -> None:
    busy = ScriptedEngine(lambda _: service_error(ErrorType.API_RATE_LIMIT))

    def listen(piece: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        Recovering(busy, sleep=Clock()).answer(prompt(), on_text=listen)
    assert len(busy.prompts) == 1


def test_when_the_fallback_fails_too_both_are_named() -> None:
    first = ScriptedEngine([service_error(ErrorType.AUTHENTICATION)])
    second = ScriptedEngine([BackendError("out of memory")])
    with pytest.raises(ServiceError, match="Nor could the fallback help: out of memory") as caught:
        Recovering(first, fallback=second).answer(prompt())
    assert caught.value.error_type is ErrorType.AUTHENTICATION


def test_an_error_that_is_nobodys_service_passes_at_once() -> None:
    engine = ScriptedEngine([BackendError("a bug")])
    with pytest.raises(BackendError, match="a bug"):
        Recovering(engine, fallback=ScriptedEngine(["x"])).answer(prompt())


def test_pauses_grow_are_capped_and_differ_a_little() -> None:
    strategy = ExponentialBackoffStrategy(attempts=8, longest_s=10)
    plain = [strategy.wait_s(attempt, None, Middle()) for attempt in range(1, 10)]
    assert plain == [1, 2, 4, 8, 10, 10, 10, 10, None]
    shaken = {strategy.wait_s(1, None, random.Random(seed)) for seed in range(50)}
    assert len(shaken) > 40
    assert all(wait is not None and 1 <= wait <= 1.25 for wait in shaken)


def test_every_type_of_error_has_strategies() -> None:
    assert set(RetryManager.STRATEGIES) == set(ErrorType)


@pytest.mark.parametrize(
    ("error", "strategy"),
    [
        (service_error(ErrorType.API_RATE_LIMIT), ExponentialBackoffStrategy),
        (service_error(ErrorType.API_TIMEOUT), RetryStrategy),
        (service_error(ErrorType.NETWORK_ERROR), RetryStrategy),
        (service_error(ErrorType.AUTHENTICATION), FallbackStrategy),
        (service_error(ErrorType.CRAWLER_CAPTCHA), SwitchProxyStrategy),
        (InvalidReply("no JSON"), RetryStrategy),
        (UserError("a picture that is none"), GiveUpStrategy),
        (TimeoutError(), RetryStrategy),
        (ConnectionResetError(), RetryStrategy),
        (ValueError(), GiveUpStrategy),
    ],
)
def test_an_error_is_classified(error: Exception, strategy: type[object]) -> None:
    assert isinstance(RetryManager().get_strategy(error), strategy)


def test_strategies_can_be_replaced() -> None:
    manager = RetryManager({ErrorType.API_RATE_LIMIT: (GiveUpStrategy(),)})
    busy = ScriptedEngine(lambda _: service_error(ErrorType.API_RATE_LIMIT))
    with pytest.raises(ServiceError):
        Recovering(busy, fallback=ScriptedEngine(["x"]), manager=manager).answer(prompt())
    assert len(busy.prompts) == 1


@pytest.mark.parametrize("kind", ErrorType)
def test_a_failure_can_be_told_as_a_gap_in_both_languages(kind: ErrorType) -> None:
    error = service_error(kind)
    error.attempts = 3
    english, chinese = describe_gap(error, "en"), describe_gap(error, "zh")
    assert english.startswith("s could not be asked: ")
    assert "3 times" in english
    assert "尝试3次" in chinese


def test_an_invalid_reply_is_for_the_caller_to_mend() -> None:
    assert issubclass(InvalidReply, OpRetry)
