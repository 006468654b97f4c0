"""A number that somebody says: "here we see twenty-four old coins"."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.moments import Moment
from vidence.embedded.recipes.nouns import counted
from vidence.embedded.recipes.recipe import Answers, Finding, Inquiry, call
from vidence.embedded.recipes.wording import pick, quoted
from vidence.language.quantities import numbers_in
from vidence.language.question.form import Target
from vidence.language.search_words import stems
from vidence.ops.get_transcript import GetTranscriptResult
from vidence.schema.agent import OperationCall

__all__ = ["told_number"]

_NEAR = 24
"""Within so many characters after a number the thing that is counted is named."""


def told_number(
    inquiry: Inquiry, target: Target, moment: Moment
) -> Generator[Sequence[OperationCall], Answers, Finding | None]:
    """Return the number that is said of a thing while it is shown; None where none is."""
    language = inquiry.form.language
    (record,) = yield [call("get_transcript", inquiry)]
    heard = read(record, GetTranscriptResult)
    for line in heard.transcript if heard else ():
        value = _number_of(line.text, target)
        if value is None or line.end_time < moment.start_s or line.start_time > moment.end_s:
            continue
        said = quoted(line.text, language)
        text = pick(
            language,
            f"{counted(value, target, 'en')}, by what is said: {said}",
            f"{counted(value, target, 'zh')}，据所说：{said}",
        )
        told = pick(language, f"What is said is {said}", f"说的是{said}")
        proof = claim(told, record, start_s=line.start_time, end_s=line.end_time, quote=line.text)
        return Finding(text, 0.55, proof)
    return None


def _number_of(text: str, target: Target) -> int | None:
    wanted = set(stems(target.head))
    for number in numbers_in(text):
        after = text[number.end : number.end + _NEAR]
        if float(number.value).is_integer() and wanted and wanted <= set(stems(after)):
            return int(number.value)
    return None
