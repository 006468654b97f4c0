"""How many people speak, by the voices that were told apart."""

from __future__ import annotations

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.wording import pick, quoted
from vidence.ops.get_transcript import GetTranscriptResult

__all__ = ["count_speakers"]


def count_speakers(inquiry: Inquiry) -> Steps:
    """Count the voices of the transcript; where they could not be told apart, there is one at least."""
    language = inquiry.form.language
    (record,) = yield [call("get_transcript", inquiry, include_speaker_info=True)]
    heard = read(record, GetTranscriptResult)
    lines = heard.transcript if heard else []
    if not lines:
        text = pick(language, "0 people: nothing is said.", "0 个人：没有人说话。")
        return Finding(text, 0.6, claim(pick(language, "Nothing is said.", "没有人说话。"), record))
    voices = {line.speaker_id for line in lines if line.speaker_id}
    value = max(1, len(voices))
    said = quoted(lines[0].text, language)
    text = pick(language, f"{value} {'person' if value == 1 else 'people'}", f"{value} 个人")
    told = pick(language, f"A voice says {said}", f"有人说{said}")
    proof = claim(told, record, start_s=lines[0].start_time, end_s=lines[0].end_time, quote=lines[0].text)
    return Finding(text, 0.5 if voices else 0.4, proof)
