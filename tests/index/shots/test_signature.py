"""Shot signatures: a few pictures evenly over each shot, in bounded memory."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.index.timelines import flat, look
from vidence.index.shots.signature import COLOURS, LAYOUT_SHAPE, SignatureFrame, SignatureLog, likeness
from vidence.index.thumbnails import Thumb


def _log(
    thumb: Thumb, *, seconds: float, start_s: float = 0.0, log: SignatureLog | None = None
) -> SignatureLog:
    log = log or SignatureLog()
    for frame in range(round(seconds * 32)):
        log.add(start_s + frame / 32, thumb)
    return log


def test_pictures_are_kept_a_fifth_of_a_second_apart() -> None:
    log = _log(look(0), seconds=1.0)
    times = [frame.time for frame in log.opened]
    assert times[0] == 0
    assert all(0.2 <= later - earlier < 0.2 + 1 / 32 for earlier, later in pairwise(times))


def test_a_long_shot_is_thinned_as_it_grows() -> None:
    log = _log(look(0), seconds=60)
    assert len(log.opened) < 32
    assert log.spacing_s >= 1.6
    assert log.opened[0].time == 0
    assert log.opened[-1].time > 50


def test_a_boundary_closes_the_part_before_it_with_five_pictures() -> None:
    log = _log(look(0), seconds=4)
    log = _log(look(1), seconds=1, start_s=4, log=log)
    log.split(4.0)
    assert [frame.time for frame in log.closed] == pytest.approx([0, 1, 2, 3, 4], abs=0.25)
    assert all(frame.time >= 4 for frame in log.opened)
    assert log.spacing_s == pytest.approx(0.2)


def test_a_signature_has_only_the_pictures_of_its_shot() -> None:
    log = _log(look(1), seconds=2, start_s=2, log=_log(look(0), seconds=2))
    log.split(2.0)
    first, second = log.between(0, 2), log.between(2, 4)
    assert max(first.times) < 2 <= min(second.times)
    assert len(first.times) == len(second.times) == 5
    assert first.colours.shape == (5, COLOURS)
    assert first.layouts.shape == (5, *LAYOUT_SHAPE)
    assert likeness(first, first) > likeness(first, second)


def test_a_shot_too_short_to_be_sampled_takes_the_nearest_picture() -> None:
    log = _log(look(0), seconds=1)
    earlier, later = log.opened[1].time, log.opened[2].time
    assert list(log.between(earlier + 0.01, earlier + 0.05).times) == [earlier]
    assert list(log.between(later - 0.05, later - 0.01).times) == [later]


def test_an_empty_video_is_black() -> None:
    signature = SignatureLog().between(0, 1)
    assert list(signature.times) == [0]
    assert not signature.layouts.any()


def test_histograms_add_to_one() -> None:
    colours, layout = SignatureFrame(0.0, look(0)).features
    assert float(colours.sum()) == pytest.approx(1.0, abs=1e-5)
    assert layout.dtype == np.uint8


def test_features_are_computed_once_and_taken_from_an_earlier_run() -> None:
    frame = SignatureFrame(0.0, look(0))
    assert frame.features[0] is frame.features[0]
    again = SignatureFrame(0.0, features=frame.features)
    assert again.features is frame.features


def test_light_and_contrast_do_not_change_the_layout() -> None:
    plain, dim = SignatureLog(), SignatureLog()
    plain.add(0.0, look(0))
    dim.add(0.0, (look(0) * 0.6).astype(np.uint8))
    bright, dark = plain.between(0, 1), dim.between(0, 1)
    assert float((bright.normal @ dark.normal.T)[0, 0]) > 0.98


def test_likeness_takes_the_most_alike_pictures() -> None:
    one, two = SignatureLog(), SignatureLog()
    for time, thumb in enumerate((look(0), look(1))):
        one.add(float(time), thumb)
    for time, thumb in enumerate((flat(90), look(1))):
        two.add(float(time), thumb)
    assert likeness(one.between(0, 2), two.between(0, 2)) == pytest.approx(1.0, abs=1e-3)


def test_a_resumed_log_goes_on_with_its_pictures_and_spacing() -> None:
    whole = _log(look(0), seconds=20)
    first = _log(look(0), seconds=10)
    resumed = SignatureLog(first.closed, first.opened, spacing_s=first.spacing_s)
    resumed = _log(look(0), seconds=10, start_s=10, log=resumed)
    assert [frame.time for frame in resumed.opened] == [frame.time for frame in whole.opened]
