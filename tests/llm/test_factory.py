"""Engines by name, their options, and the words for what is wrong with them."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.llm.fault_server import FaultServer, say, whole
from tests.llm.made import Verdict, prompt
from vidence.errors import (
    ErrorType,
    FileProblem,
    MissingExtra,
    ServiceError,
    SettingsError,
    UnknownName,
    UserError,
)
from vidence.llm.factory import ENGINES, create_llm_engine, split_name
from vidence.llm.openai import OpenAiEngine
from vidence.llm.protocol import Engine
from vidence.llm.remote import RemoteEngine
from vidence.llm.structured import parse_reply


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.setenv(name, f"key-of-{name}")
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("gpt-4o", ("openai", "gpt-4o")),
        ("o3-mini", ("openai", "o3-mini")),
        ("claude-sonnet-4-5", ("anthropic", "claude-sonnet-4-5")),
        ("gemini-2.5-pro", ("gemini", "gemini-2.5-pro")),
        ("qwen-plus", ("dashscope", "qwen-plus")),
        ("openai:gpt-4o", ("openai", "gpt-4o")),
        ("ollama:qwen3:8b", ("ollama", "qwen3:8b")),
        ("dashscope", ("dashscope", "")),
        ("embedded", ("embedded", "")),
        (" local:/models/x.gguf ", ("local", "/models/x.gguf")),
        ("models/x.gguf", ("local", "models/x.gguf")),
    ],
)
def test_a_name_means_a_provider_and_a_model(name: str, parts: tuple[str, str]) -> None:
    assert split_name(name) == parts


@pytest.mark.parametrize(
    "name", ["gpt-4o", "claude-sonnet-4-5", "gemini", "dashscope", "ollama:qwen3", "llamacpp"]
)
def test_vendors_engines_are_made_without_a_call(name: str) -> None:
    engine = create_llm_engine(name, temperature=0.0)
    assert isinstance(engine, Engine)
    assert engine.capabilities.metered
    assert ":" in engine.name


def test_an_unknown_provider_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'openai'"):
        create_llm_engine("opnai:gpt-4o")
    with pytest.raises(UnknownName, match="Write provider:model"):
        create_llm_engine("mixtral")
    with pytest.raises(SettingsError, match="needs a name"):
        create_llm_engine("  ")


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("claude-x", "ANTHROPIC_API_KEY"),
        ("gemini-x", "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("dashscope", "DASHSCOPE_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in variable.split(" or "):
        monkeypatch.setenv(one, "  ")
    with pytest.raises(SettingsError, match=f"environment variable {variable}, which is not set"):
        create_llm_engine(name)


def test_options_are_checked() -> None:
    with pytest.raises(SettingsError, match=r"no option 'temprature'\. Did you mean 'temperature'"):
        create_llm_engine("gpt-4o", temprature=1)
    with pytest.raises(SettingsError, match="'temperature'"):
        create_llm_engine("gpt-4o", temperature=9)
    with pytest.raises(SettingsError, match="api_key_env"):
        create_llm_engine("gpt-4o", api_key="sk-in-the-open")
    with pytest.raises(SettingsError, match="http"):
        create_llm_engine("gpt-4o", base_url="ftp://x")
    with pytest.raises(SettingsError, match="Say which model"):
        create_llm_engine("ollama")


def test_a_vendors_key_is_not_sent_to_another_host(server: FaultServer) -> None:
    engine = create_llm_engine("openai:my-model", base_url=f"{server.url}/v1")
    engine.answer(prompt())
    assert "key-of-OPENAI_API_KEY" not in str(server.seen[0].headers)
    assert not engine.capabilities.sees_pictures, "a vendor's model name says nothing elsewhere"


@pytest.mark.parametrize(
    ("host", "leaves"),
    [
        ("127.0.0.1:9", False),
        ("127.8.8.8:9", False),
        ("[::1]:9", False),
        ("localhost:9", False),
        ("localhost.vidence.invalid", True),
    ],
)
def test_only_requests_to_other_machines_are_announced(
    host: str, leaves: bool, caplog: pytest.LogCaptureFixture
) -> None:
    engine = create_llm_engine("ollama:m", base_url=f"http://{host}/v1", timeout_s=0.01)
    for _ in range(2):
        with pytest.raises(ServiceError):
            engine.answer(prompt())
    told = [record for record in caplog.records if "is asked" in record.getMessage()]
    assert len(told) == (1 if leaves else 0)


@pytest.mark.parametrize("host", ["10.0.0.5:9", "[2001:db8::1]:9", "192.0.2.1"])
def test_every_other_address_is_another_machine(host: str) -> None:
    # Nothing is sent: a test has no business with another machine.
    engine = create_llm_engine("ollama:m", base_url=f"http://{host}/v1")
    assert isinstance(engine, RemoteEngine)
    assert engine.endpoint.is_remote


def test_a_missing_sdk_states_its_cure() -> None:
    code = (
        "import sys; sys.modules['openai'] = None; sys.modules['anthropic'] = None\n"
        "from vidence.llm.factory import create_llm_engine\n"
        "for name in ('ollama:x', 'anthropic:x'):\n"
        "    try: create_llm_engine(name, api_key_env='')\n"
        "    except Exception as exc: print(type(exc).__name__, exc)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "MissingExtra" in done.stdout
    assert "pip install 'vidence[openai]'" in done.stdout
    assert "pip install 'vidence[anthropic]'" in done.stdout
    assert issubclass(MissingExtra, Exception)


def test_naming_engines_imports_no_sdk() -> None:
    code = (
        "import sys, vidence.llm.factory, vidence.llm.router, vidence.llm.recovery\n"
        "print(sorted({'openai', 'anthropic', 'httpx2', 'xllamacpp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plugin_adds_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "vidence.llm.scripted:build", "vidence.engines")
    monkeypatch.setattr("vidence.registry.entry_points", lambda group: (point,))
    assert "mine" in ENGINES
    assert create_llm_engine("mine:x", replies=["hello"]).answer(prompt()).text == "hello"


def test_a_server_without_streaming_is_served(server: FaultServer) -> None:
    server.script = [whole("All at once.")]
    engine = create_llm_engine("vllm:m", base_url=f"{server.url}/v1", stream=False)
    pieces: list[str] = []
    reply = engine.answer(prompt(), on_text=pieces.append)
    assert reply.text == "All at once." == "".join(pieces)
    assert "stream" not in server.seen[0].body


def test_a_reply_held_to_a_schema_keeps_its_thinking(server: FaultServer) -> None:
    server.script = [
        say('{"thinking": "I see \\"two\\" dogs.", "reply": {"score": 4, "why": "}"}}', pieces=9)
    ]
    engine = create_llm_engine("llamacpp:m", base_url=f"{server.url}/v1")
    pieces: list[str] = []
    reply = engine.answer(prompt(response=Verdict), on_text=pieces.append)
    sent = server.seen[0].body["response_format"]["json_schema"]["schema"]
    assert list(sent["properties"]) == ["thinking", "reply"]
    assert reply.text == "".join(pieces)
    parsed = parse_reply(reply.text, Verdict)
    assert (parsed.thinking, parsed.value) == ('I see "two" dogs.', Verdict(score=4, why="}"))


def test_thinking_that_comes_apart_is_kept_apart(server: FaultServer) -> None:
    def act(handler: object) -> None:
        from tests.llm.fault_server import Handler

        assert isinstance(handler, Handler)
        handler.start(200, "text/event-stream")
        handler.send(b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm, {x"}}]}\n\n')
        handler.send(b'data: {"choices":[{"index":0,"delta":{"content":"{\\"score\\": 2}"}}]}\n\n')
        handler.send(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')

    server.script = [act]
    engine = create_llm_engine("vllm:m", base_url=f"{server.url}/v1", structured="text")
    parsed = parse_reply(engine.answer(prompt(response=Verdict)).text, Verdict)
    assert (parsed.thinking, parsed.value.score) == ("Hm, {x", 2)


def test_usage_is_estimated_where_the_server_is_silent(server: FaultServer) -> None:
    def act(handler: object) -> None:
        from tests.llm.fault_server import Handler

        assert isinstance(handler, Handler)
        handler.start(200, "text/event-stream")
        handler.send(b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')

    server.script = [act]
    usage = create_llm_engine("vllm:m", base_url=f"{server.url}/v1").answer(prompt("word " * 100)).usage
    assert 100 <= usage.input_tokens <= 250
    assert usage.output_tokens >= 1


def test_reasoning_models_get_no_temperature(server: FaultServer) -> None:
    from vidence.settings import ModelFacts

    facts = (ModelFacts(pattern="*", sampling=False),)
    create_llm_engine("openai:m", base_url=f"{server.url}/v1", facts=facts).answer(prompt())
    assert "temperature" not in server.seen[0].body
    assert server.seen[0].body["max_completion_tokens"] == 4000


def test_a_local_model_must_be_a_gguf_file(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"vidence models fetch qwen2\.5-coder-1\.5b"):
        create_llm_engine(f"local:{tmp_path}/none.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(FileProblem, match="not a GGUF"):
        create_llm_engine(f"local:{tmp_path}/text.gguf")
    with pytest.raises(SettingsError, match="Say which model"):
        create_llm_engine("local")


def test_a_broken_local_model_is_a_service_error_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"\x00" * 64)
    engine = create_llm_engine(f"local:{tmp_path}/broken.gguf")
    with pytest.raises(ServiceError, match="process failed") as caught:
        engine.answer(prompt())
    assert caught.value.error_type is ErrorType.SERVER_ERROR


def test_scripted_and_replayed_engines_need_their_parts() -> None:
    for name in ("scripted", "replay"):
        with pytest.raises(SettingsError):
            create_llm_engine(name)


def test_the_embedded_engine_is_made_by_name_with_its_skills_or_others() -> None:
    engine = create_llm_engine("embedded", temperature=0.0, max_tokens=4000)
    assert engine.name == "embedded"
    with pytest.raises(SettingsError, match="temprature"):
        create_llm_engine("embedded", temprature=0.0)
    skilled = create_llm_engine("embedded", skills={"simple_qa": lambda asked: "ok"})
    assert skilled.answer(prompt()).text == "ok"


def test_the_openai_engine_shows_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = create_llm_engine("gpt-4o")
    assert isinstance(engine, OpenAiEngine)
    assert "key-of-OPENAI" not in repr(vars(engine)) + repr(engine.endpoint)


def test_the_vendor_s_own_variable_leads_to_another_server(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script = [say("hello")]
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    assert create_llm_engine("openai:local-model").answer(prompt()).text == "hello"
    assert server.seen[0].body["model"] == "local-model"


def test_a_server_of_one_s_own_needs_no_key(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.script = [say("hello")]
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    assert create_llm_engine("openai:local-model").answer(prompt()).text == "hello"


def test_a_call_s_own_options_are_obeyed_and_others_refused(server: FaultServer) -> None:
    server.script = [say("hello")]
    engine = create_llm_engine("vllm:m", base_url=f"{server.url}/v1", temperature=0.0)
    assert engine(["Say hello."], temperature=0.7, max_tokens=12) == "hello"
    body = server.seen[0].body
    assert (body["temperature"], body["max_tokens"]) == (0.7, 12)
    with pytest.raises(UserError, match="temprature"):
        engine(["Say hello."], temprature=0.7)
    with pytest.raises(UserError, match="list"):
        engine("Say hello.")
    with pytest.raises(UserError, match="int"):
        engine([3])  # type: ignore[list-item]
    assert len(server.seen) == 1
