"""A summary of a video: what it is about, its chapters, its highlights and what stands out."""

from __future__ import annotations

from typing import Literal

from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Claim
from vidence.schema.frozen import Frozen

__all__ = ["SummaryPart", "VideoChapter", "VideoSummary"]

SummaryPart = Literal["about", "highlights", "unusual"]


class VideoChapter(Frozen):
    """One part of a video."""

    start_time: float
    end_time: float
    title: str
    claims: tuple[Claim, ...] = ()


class VideoSummary(Frozen):
    """Sentences about a video; each is a claim that cites what it rests on."""

    language: AnswerLanguage
    about: tuple[Claim, ...] = ()
    """What it is about: who, where, what happens, what is said."""
    chapters: tuple[VideoChapter, ...] = ()
    highlights: tuple[Claim, ...] = ()
    unusual: tuple[Claim, ...] = ()
    """What differs most from the rest of the video; empty where nothing does."""
    read_by: str = ""
    """The language model that wrote `about`; empty where it was put together from notes."""

    def claims(self, part: SummaryPart) -> tuple[Claim, ...]:
        """Return the claims of one part."""
        return {"about": self.about, "highlights": self.highlights, "unusual": self.unusual}[part]

    def text(self, part: SummaryPart) -> str:
        """Return one part as a paragraph."""
        return ("" if self.language == "zh" else " ").join(claim.text for claim in self.claims(part))
