"""The vendors' adapters against a real server on the loopback, well behaved and not."""

from __future__ import annotations

import base64
import logging
import traceback
from typing import Any

import pytest

from tests.llm import fault_server as faults
from tests.llm.fault_server import Behaviour, FaultServer, fail, say
from tests.llm.made import JPEG, KEY, KEY_ENV, PATIENCE_S, Verdict, engine_at, prompt
from vidence.errors import ErrorType, ServiceError, SettingsError, UserError
from vidence.llm.structured import parse_reply
from vidence.settings import ModelFacts

PROVIDERS = ["openai", "gemini", "anthropic"]
pytestmark = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, KEY)


def test_a_reply_comes_in_pieces_with_its_usage(server: FaultServer, provider: str) -> None:
    server.script = [say("One, two, three.", pieces=4)]
    pieces: list[str] = []
    reply = engine_at(server, provider).answer(prompt(), on_text=pieces.append)
    assert reply.text == "One, two, three." == "".join(pieces)
    assert len([piece for piece in pieces if piece]) == 4
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    assert reply.engine == f"{provider}:some-model"
    assert reply.seconds > 0
    assert not reply.truncated


def test_a_reply_has_its_price_where_the_model_has_one(server: FaultServer, provider: str) -> None:
    priced = (ModelFacts(pattern="*", input_usd=1.0, output_usd=2.0),)
    reply = engine_at(server, provider, facts=priced).answer(prompt())
    assert reply.usage.usd == pytest.approx((reply.usage.input_tokens + 2 * reply.usage.output_tokens) / 1e6)
    assert engine_at(server, provider).answer(prompt()).usage.usd is None


def test_the_conversation_and_the_key_reach_the_server(server: FaultServer, provider: str) -> None:
    engine_at(server, provider, temperature=0.5, max_tokens=77).answer(prompt("How many?"))
    seen = server.seen[0]
    assert KEY in (seen.headers.get("authorization", "") + seen.headers.get("x-api-key", ""))
    assert seen.body["model"] == "some-model"
    # Anthropic's API takes no temperature since version 2026-10-21.
    assert seen.body.get("temperature") == (None if provider == "anthropic" else 0.5)
    assert 77 in (seen.body.get("max_tokens"), seen.body.get("max_completion_tokens"))
    assert "Be brief." in str(seen.body)
    assert "How many?" in str(seen.body["messages"][-1])


def test_nothing_about_this_machine_leaves_with_a_request(
    server: FaultServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another-vendors")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-mine")
    engine_at(server, provider).answer(prompt())
    headers = str(server.seen[0].headers)
    assert not any(word in headers for word in ("stainless", "org-of-mine", "sk-another", "token-of-mine"))


def test_pictures_travel_as_jpeg_parts(server: FaultServer, provider: str) -> None:
    engine_at(server, provider, vision=True).answer(prompt(pictures=2))
    body = str(server.seen[0].body)
    assert body.count(base64.b64encode(JPEG).decode()) == 2
    assert body.count("image/jpeg") == 2


def test_pictures_for_a_blind_model_are_refused_before_anything_is_sent(
    server: FaultServer, provider: str
) -> None:
    with pytest.raises(UserError, match="not known to see"):
        engine_at(server, provider, vision=False).answer(prompt(pictures=1))
    assert server.seen == []


def test_a_reply_cut_by_its_length_says_so(server: FaultServer, provider: str) -> None:
    server.script = [say("It goes on and", finish="length")]
    assert engine_at(server, provider).answer(prompt()).truncated


FAULTS: dict[str, tuple[Behaviour, ErrorType]] = {
    "429": (fail(429), ErrorType.API_RATE_LIMIT),
    "429 without credit": (fail(429, "You exceeded your current quota"), ErrorType.REQUEST_REFUSED),
    "500": (fail(500), ErrorType.SERVER_ERROR),
    "503": (fail(503), ErrorType.SERVER_ERROR),
    "529": (fail(529, "Overloaded"), ErrorType.SERVER_ERROR),
    "408": (fail(408), ErrorType.API_TIMEOUT),
    "401": (fail(401, "invalid x-api-key"), ErrorType.AUTHENTICATION),
    "403": (fail(403), ErrorType.AUTHENTICATION),
    "400 bad key": (fail(400, body=[{"error": {"message": "API key not valid"}}]), ErrorType.AUTHENTICATION),
    "404": (fail(404, "model not found"), ErrorType.UNKNOWN_MODEL),
    "400 no model": (fail(400, "The model `x` does not exist"), ErrorType.UNKNOWN_MODEL),
    "400 too long": (fail(400, "prompt is too long: 210000 tokens"), ErrorType.CONTEXT_TOO_LONG),
    "413": (fail(413), ErrorType.CONTEXT_TOO_LONG),
    "400 other": (fail(400, "bad picture"), ErrorType.REQUEST_REFUSED),
    "error page": (fail(502, body="<html>Bad gateway</html>"), ErrorType.SERVER_ERROR),
    "declined": (say("I must not", finish="content_filter"), ErrorType.REQUEST_REFUSED),
    "polite end in the middle": (faults.break_off, ErrorType.NETWORK_ERROR),
    "cut inside a chunk": (faults.cut, ErrorType.NETWORK_ERROR),
    "reset": (faults.reset, ErrorType.NETWORK_ERROR),
    "reset midway": (faults.reset_midway, ErrorType.NETWORK_ERROR),
    "a page": (faults.garbage, ErrorType.INVALID_REPLY),
    "no JSON": (faults.garbage_events, ErrorType.INVALID_REPLY),
    "another schema": (faults.wrong_schema, ErrorType.INVALID_REPLY),
    "an error midway": (faults.error_midway, ErrorType.SERVER_ERROR),
    "nothing": (say(""), ErrorType.INVALID_REPLY),
}


@pytest.mark.parametrize(("behaviour", "kind"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_has_its_type_and_names_the_engine(
    server: FaultServer, provider: str, behaviour: Behaviour, kind: ErrorType
) -> None:
    server.script = [behaviour]
    with pytest.raises(ServiceError) as caught:
        engine_at(server, provider).answer(prompt())
    assert caught.value.error_type is kind
    assert caught.value.service == f"{provider}:some-model"
    assert str(caught.value).startswith(f"{provider}:some-model at 127.0.0.1: ")
    assert len(server.seen) == 1, "the SDK must not try again by itself"


@pytest.mark.parametrize("behaviour", [faults.hang, faults.drip, faults.drip_headers])
def test_no_server_holds_a_call_past_its_time(
    server: FaultServer, provider: str, behaviour: Behaviour
) -> None:
    server.script = [behaviour]
    with pytest.raises(ServiceError, match=r"within 0\.4 s") as caught:
        engine_at(server, provider).answer(prompt(), timeout_s=0.4)
    assert caught.value.error_type is ErrorType.API_TIMEOUT


class Stopped(Exception):
    pass


@pytest.mark.parametrize("behaviour", [faults.hang, faults.drip])
def test_whoever_listens_can_stop_a_call(server: FaultServer, provider: str, behaviour: Behaviour) -> None:
    server.script = [behaviour]

    def listen(piece: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        engine_at(server, provider).answer(prompt(), on_text=listen)


def test_a_stopped_call_hangs_up(server: FaultServer, provider: str) -> None:
    server.script = [faults.drip]

    def listen(piece: str) -> None:
        if piece:
            raise Stopped

    with pytest.raises(Stopped):
        engine_at(server, provider).answer(prompt(), on_text=listen)
    assert server.closed_early.wait(PATIENCE_S)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After_Ms": "1500"}, 1.5),
        ({}, None),
        ({"Retry_After": "soon"}, None),
    ],
)
def test_what_a_busy_server_asks_for_is_heard(
    server: FaultServer, provider: str, headers: dict[str, str], seconds: float | None
) -> None:
    server.script = [fail(429, **headers)]
    with pytest.raises(ServiceError) as caught:
        engine_at(server, provider).answer(prompt())
    assert caught.value.retry_after_s == seconds


def test_a_date_to_wait_for_and_geminis_delay_are_heard(server: FaultServer, provider: str) -> None:
    delay = {"error": {"message": "busy", "details": [{"retryDelay": "17s"}]}}
    server.script = [fail(429, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"), fail(429, body=delay)]
    waits = []
    for _ in range(2):
        with pytest.raises(ServiceError) as caught:
            engine_at(server, provider).answer(prompt())
        waits.append(caught.value.retry_after_s)
    assert waits[0] is not None
    assert waits[0] > 1e9
    assert waits[1] == 17.0


def test_the_key_follows_no_redirect(server: FaultServer, provider: str) -> None:
    with faults.running() as elsewhere:
        server.script = [faults.Redirect(f"{elsewhere.url}/v1/chat/completions")]
        with pytest.raises(ServiceError, match="redirects elsewhere"):
            engine_at(server, provider).answer(prompt())
        assert elsewhere.seen == []


@pytest.mark.parametrize("status", [401, 429, 500])
def test_no_key_in_errors_and_logs(
    server: FaultServer, provider: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [fail(status, f"Incorrect API key provided: {KEY}")]
    engine = engine_at(server, provider)
    with pytest.raises(ServiceError) as caught:
        engine.answer(prompt())
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(vars(engine))
    assert KEY not in told
    assert KEY not in caplog.text


def test_a_missing_key_names_its_variable(
    server: FaultServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_ENV)
    with pytest.raises(SettingsError, match=f"{KEY_ENV}, which is not set"):
        engine_at(server, provider)


def test_nobody_there_says_where_it_looked(provider: str) -> None:
    # Bound, so that nobody else gets the port, but not listening.
    with faults.FaultServer(listening=False) as gone:
        with pytest.raises(ServiceError, match="cannot be reached") as caught:
            engine_at(gone, provider).answer(prompt())
        assert caught.value.error_type is ErrorType.NETWORK_ERROR
        assert gone.url in str(caught.value)


def test_a_structured_reply_is_parsed_from_prose(server: FaultServer, provider: str) -> None:
    server.script = [say('Let me think.\n```json\n{"score": 4, "why": "clear"}\n```')]
    reply = engine_at(server, provider).answer(prompt(response=Verdict))
    assert parse_reply(reply.text, Verdict).value == Verdict(score=4, why="clear")


def test_the_call_form_asks_again_until_the_object_is_right(server: FaultServer, provider: str) -> None:
    server.script = [say("no idea"), say('{"score": 3}')]
    assert engine_at(server, provider)(["Judge this."], response_format=Verdict).score == 3
    first, second = (str(seen.body) for seen in server.seen)
    assert "JSON schema" in first
    assert "System Error: Invalid JSON format, please output strictly valid JSON." in second


def test_several_calls_at_once_do_not_disturb_each_other(server: FaultServer, provider: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    engine = engine_at(server, provider)

    def ask(number: int) -> Any:
        return engine.answer(prompt(str(number))).text

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(16))) == ["Fine."] * 16
