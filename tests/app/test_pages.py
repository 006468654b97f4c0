"""Pages to keep: escaped, whole in themselves, in the language of their content."""

from __future__ import annotations

import io
import re

import av

from vidence.app import Workspace
from vidence.app.clips import cut_clip
from vidence.app.pages import answer_page, report_page, style_policy


def test_an_answer_page_holds_its_frames_and_loads_nothing(town: Workspace) -> None:
    video = town.videos()[0]
    answer = town.ask(video.video_id, "Is there a dog?", remember=False)
    hostile = answer.model_copy(update={"question": "<script>alert(1)</script>"})
    page = answer_page(town, hostile)
    assert "data:image/jpeg;base64," in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=\"(?!data:)", page)
    assert "dog" in page
    assert "sha256-" in style_policy(page)


def test_a_report_page_speaks_its_language(town: Workspace) -> None:
    video = town.videos()[1]
    for language, word in (("en", "Scene 1"), ("zh", "场景 1")):
        page = report_page(town, town.report(video.video_id, language=language))  # type: ignore[arg-type]
        assert f'<html lang="{language}">' in page
        assert word in page
        assert "STATION" in page


def test_a_clip_is_cut_to_its_span(town: Workspace) -> None:
    clip = cut_clip(town, town.videos()[0].video_id, 0.4, 1.4)
    with av.open(io.BytesIO(clip), "r") as opened:
        assert len(list(opened.decode(video=0))) == 5
