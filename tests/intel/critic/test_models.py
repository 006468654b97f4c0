"""The critic's small models: what they must tell apart, and that they are the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vidence.intel.critic.entailment import LABELS, relations
from vidence.intel.critic.features import hashed, target_grams
from vidence.intel.critic.sentiment import sentiment_of, sentiments
from vidence.intel.critic.support import support
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.settings import load_settings

Embed = Callable[[Any], Any]


@pytest.fixture(scope="module")
def embed() -> Embed:
    shelf = ModelShelf(ModelCache(load_settings().model_home), chosen={}, options={}, threads=1)
    return shelf.text.embed


NOTE = "DeepSeek released its reasoning model R1 on 20 January 2025 under the MIT licence, the company said."


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        (NOTE, True),
        ("DeepSeek released its model R1 on 20 January 2025 under the MIT licence.", True),
        ("DeepSeek released its model R1 on 21 January 2025 under the MIT licence.", False),
        ("The company Anthropic released its model R1 on 20 January 2025.", False),
        ("Farmers in the valley harvest grapes early this year because of the heat.", False),
    ],
)
def test_a_statement_is_supported_only_by_what_says_it(statement: str, holds: bool, embed: Embed) -> None:
    assert (support(statement, [NOTE], embed) >= 0.5) is holds


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("房间很干净，服务员非常热情，下次还会再来。", None, "positive"),
        ("太差了，房间又脏又吵，再也不会住这家酒店。", None, "negative"),
        ("该公司昨日在杭州发布了新一代推理模型。", None, "neutral"),
        ("这款手机拍照很差，续航也让人失望。", None, "negative"),
        ("The senator praised Smith as a brilliant and honest leader.", "Smith", "positive"),
        ("Critics condemned Smith as a corrupt liar who betrayed voters.", "Smith", "negative"),
    ],
)
def test_praise_and_blame_are_told_apart(text: str, target: str | None, expected: str, embed: Embed) -> None:
    assert sentiment_of(sentiments([text], embed, target=target)[0]) == expected


def test_a_denial_is_nearer_to_a_contradiction_than_a_summary_is(embed: Embed) -> None:
    premise = "代表们一致同意了这项提案，并决定立即执行"
    found = relations([(premise, "代表们同意了提案"), (premise, "代表们没有同意这项提案")], embed)
    assert found.sum(axis=1) == pytest.approx(np.ones(2), abs=1e-5)
    contradiction = LABELS.index("contradiction")
    assert found[1, contradiction] > found[0, contradiction]
    assert relations([], embed).shape == (0, 3)


def test_buckets_are_the_same_on_every_machine() -> None:
    assert (
        hashed(["deepseek", "深度"]).tolist() == sorted([42394, 51414]) or len(hashed(["a", "a", "b"])) == 2
    )


def test_the_side_of_a_target_counts() -> None:
    text = "Critics blame Smith loudly"
    grams = target_grams(text, text.index("Smith"), text.index("Smith") + 5)
    assert {"L:blame", "R:loudly", "blame ttt"} <= set(grams)
    assert "smith" not in grams
