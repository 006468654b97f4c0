"""What is known of models: sight, context, prices; and tokens, rather too many than too few."""

from __future__ import annotations

import pytest

from tests.llm.made import prompt
from vidence.llm.facts import (
    DEFAULT_FACTS,
    capabilities_of,
    count_prompt,
    count_text,
    facts_of,
    known_models,
    price_usd,
    providers,
)
from vidence.schema.message import Usage
from vidence.settings import ModelFacts


@pytest.mark.parametrize(
    ("name", "vision", "context_tokens", "priced"),
    [
        ("openai:gpt-4o", True, 128_000, True),
        ("openai:gpt-4o-mini-2024-07-18", True, 128_000, True),
        ("OpenAI:GPT-4o", True, 128_000, True),
        ("openai:gpt-9-something", True, 400_000, False),
        ("gemini:gemini-9-flash", True, 1_048_576, False),
        ("ollama:qwen2.5-vl:7b", True, 32_768, True),
        ("ollama:llama3", False, 8_192, True),
        ("local:qwen2.5-coder-1.5b", False, 8_192, True),
        ("nobody:knows", False, 8_192, False),
    ],
)
def test_facts_come_from_the_first_pattern_that_fits(
    name: str, vision: bool, context_tokens: int, priced: bool
) -> None:
    facts = facts_of(name)
    assert (facts.vision, facts.context_tokens) == (vision, context_tokens)
    assert (price_usd(facts, Usage(input_tokens=10**6)) is not None) == priced


def test_no_row_of_the_table_hides_behind_a_wider_one() -> None:
    for row in known_models():
        sample = row.pattern.replace("*", "").replace("[5-9]", "8").replace("[5-7]", "6").replace("?", "3")
        assert facts_of(sample) is row, row.pattern


def test_own_rows_beat_the_table() -> None:
    own = ModelFacts(pattern="openai:gpt-4o", vision=False, context_tokens=1000)
    assert facts_of("openai:gpt-4o", [own]) is own
    assert not capabilities_of(own).sees_pictures
    assert facts_of("x:y", [own]) is DEFAULT_FACTS


def test_prices_are_per_million_tokens() -> None:
    facts = facts_of("openai:gpt-4o")
    assert price_usd(facts, Usage(input_tokens=1000, output_tokens=100)) == pytest.approx(0.0035)


def test_local_servers_are_on_this_machine_and_ask_for_no_key() -> None:
    for name in ("vllm", "ollama", "llamacpp"):
        assert providers()[name].base_url.startswith("http://127.0.0.1:")
        assert providers()[name].key_env == ()
    assert all(row.base_url.startswith("https://") for row in providers().values() if row.key_env)


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("seven by 3.5", 4), ("桌旁有几个人", 7), ("7 桌", 2)])
def test_tokens_are_counted_by_script(text: str, tokens: int) -> None:
    assert count_text(text) == tokens


def test_a_picture_counts_as_many_words() -> None:
    assert count_prompt(prompt(pictures=2)) - count_prompt(prompt()) == 1600
