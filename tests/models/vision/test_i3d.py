from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import ActionRecognizer
from vidence.models.vision.i3d import action_names


@pytest.fixture(scope="module")
def actions(model_cache: ModelCache) -> ActionRecognizer:
    try:
        found: ActionRecognizer = open_model("actions", model_cache)
    except MissingModel as exc:
        pytest.skip(str(exc))
    return found


def frames(path: Path, *, start_s: float, count: int, fps: float) -> NDArray[np.uint8]:
    with av.open(str(path)) as container:
        rate = float(container.streams.video[0].average_rate or 25)
        wanted = {round((start_s + i / fps) * rate) for i in range(count)}
        pictures = (
            f.to_ndarray(format="rgb24") for i, f in enumerate(container.decode(video=0)) if i in wanted
        )
        return np.stack([picture for picture, _ in zip(pictures, range(count), strict=False)])


@pytest.mark.slow
def test_a_dog_being_trained_is_recognised(actions: ActionRecognizer, shared_media: Path) -> None:
    clip = frames(shared_media / "videos" / "sam2_dog.mp4", start_s=1, count=16, fps=actions.clip_fps)
    [found] = actions.recognize([clip])
    assert "dog" in found[0].label
    assert [a.score for a in found] == sorted((a.score for a in found), reverse=True)
    assert sum(a.score for a in found) <= 1.0001


@pytest.mark.slow
def test_a_short_clip_is_stretched(actions: ActionRecognizer, shared_media: Path) -> None:
    clip = frames(shared_media / "videos" / "sam2_dog.mp4", start_s=1, count=5, fps=actions.clip_fps)
    assert any("dog" in action.label for action in actions.recognize([clip])[0])


def test_a_clip_of_the_wrong_shape_is_refused(actions: ActionRecognizer) -> None:
    with pytest.raises(BackendError, match="must be"):
        actions.recognize([np.zeros((16, 224, 224), np.uint8)])


def test_the_label_table_is_kinetics_400() -> None:
    names = action_names()
    assert len(names) == 400
    assert names[0][0] == "abseiling"
    assert names[-1][0] == "zumba"
    assert len({english for english, _ in names}) == 400
    assert all(chinese for _, chinese in names)
