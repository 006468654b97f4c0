"""What the video, or a part of it, is about."""

from __future__ import annotations

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.moments import moment_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.wording import pick, quoted
from vidence.language.phrases import phrase
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.ops.get_transcript import GetTranscriptResult

__all__ = ["answer"]

_SPOKEN = 3
"""From so many sentences on, what is said belongs to what a video is about."""


def answer(inquiry: Inquiry) -> Steps:
    """Describe what is seen, and say what is spoken of."""
    moment = yield from moment_of(inquiry)
    language = inquiry.form.language
    start, end = moment.start_s, max(moment.end_s, moment.start_s + 0.2)
    described, speech = yield (
        call("describe_visual", inquiry, start_time=start, end_time=end, language=language),
        call("get_transcript", inquiry),
    )
    seen = read(described, DescribeVisualResult)
    spoken = read(speech, GetTranscriptResult)
    lines = [
        one for one in (spoken.transcript if spoken else ()) if one.end_time > start and one.start_time < end
    ]
    if seen is None:
        text = phrase("cannot_tell", language)
        return Finding(text, 0.1, cannot_tell=True)
    proofs = claim(seen.description, described, start_s=start, end_s=end)
    text = seen.description
    if len(lines) >= _SPOKEN and lines[0].text not in text:
        said = quoted(lines[0].text, language)
        text += pick(language, f" A voice begins: {said}.", f"有人说：{said}。")
        told = pick(language, f"A voice says {said}", f"有人说{said}")
        line = lines[0]
        proofs += claim(told, speech, start_s=line.start_time, end_s=line.end_time, quote=line.text)
    return Finding(text, min(0.7, 0.3 + 0.5 * seen.confidence), proofs)
