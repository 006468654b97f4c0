"""What the tests of choosing share: the real sentence encoder and two small videos told in captions."""

from __future__ import annotations

import pytest

from vidence.embedded.choice import Embed, VectorCache
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.text.use import build
from vidence.schema.agent import MemoryUnit
from vidence.settings import load_settings

KITCHEN = (
    "#C C walks into the kitchen",
    "#C C takes two eggs from the fridge",
    "#C C breaks the eggs into a bowl",
    "#C C beats the eggs with a fork",
    "#C C puts butter into the frying pan",
    "#C C pours the eggs into the pan",
    "#C C stirs the eggs in the pan",
    "#C C puts the omelette on a plate",
    "#C C washes the bowl in the sink",
    "#C C dries the bowl with a towel",
)
PARK_ZH = (
    "画面显示一个男孩站在公园里",
    "男孩骑上一辆红色自行车",
    "男孩在小路上骑自行车",
    "男孩从自行车上摔下来",
    "一位女士跑过来扶起男孩",
    "女士给男孩贴创可贴",
    "男孩坐在长椅上吃冰淇淋",
    "男孩和女士一起走开",
)


@pytest.fixture(scope="session")
def embed() -> Embed:
    try:
        return VectorCache(build(ModelContext(ModelCache(load_settings().model_home))).embed)
    except MissingModel as exc:
        pytest.skip(str(exc))


def told(captions: tuple[str, ...], every_s: float = 2.0) -> tuple[MemoryUnit, ...]:
    """Return captions as frames, one every so many seconds."""
    return tuple(
        MemoryUnit(frame_id=number, caption=text, timestamp_s=number * every_s, video_id="v")
        for number, text in enumerate(captions)
    )


@pytest.fixture
def kitchen() -> tuple[MemoryUnit, ...]:
    return told(KITCHEN)


@pytest.fixture
def park() -> tuple[MemoryUnit, ...]:
    return told(PARK_ZH)
