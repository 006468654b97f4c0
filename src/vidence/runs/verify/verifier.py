"""The verifier: resolves every citation again and keeps only those that hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vidence.runs.ledger import Ledger
from vidence.runs.verify.bearing import conflict_of, implied_by, is_denial
from vidence.runs.verify.checkables import Checkable, checkables_in, is_percentage
from vidence.runs.verify.content import Content, overlaps, read_content, together
from vidence.runs.verify.relevance import bears_on
from vidence.runs.verify.support import is_supported, words_stand_in
from vidence.schema.agent import VideoCard
from vidence.schema.evidence import CheckedClaim, Citation, Claim, EvidenceRecord, hash_of

__all__ = ["StoredHash", "Verifier"]

StoredHash = Callable[[str], str | None]
"""Returns the stored hash of an operation's record; None for an unknown record."""

_HARD = ("number", "quote")
"""One wrong part of these kinds makes a claim false; of the others, all of a kind must be wrong."""
_EXACT = ("number", "colour")
"""Kinds of which a sentence has one where another cannot also be true."""
_PAST_END_S = 0.5
"""Containers and players disagree by this much about the end of a video."""


class Verifier:
    """Resolves citations in the ledger of one run."""

    def __init__(
        self,
        ledger: Ledger,
        videos: Sequence[VideoCard] = (),
        *,
        stored_hash: StoredHash | None = None,
        question: str = "",
    ) -> None:
        self._ledger = ledger
        self._lengths = {video.video_id: video.duration_s for video in videos}
        self._stored_hash = stored_hash
        self._question = question

    @property
    def question(self) -> str:
        """The question that the claims answer."""
        return self._question

    def check_all(self, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """Return every claim with its verdict."""
        return tuple(self.check(claim) for claim in claims)

    def check(self, claim: Claim) -> CheckedClaim:
        """Resolve a claim's citations and look for each checkable part in them."""
        problems: list[str] = []
        held: list[tuple[Citation, Content]] = []
        for citation in claim.citations:
            problem, content = self._resolve(citation)
            if content is None:
                problems.append(problem)
            else:
                held.append((self._tidy(citation), content))
        if not held:
            return CheckedClaim(
                text=claim.text, verdict="failed", problems=tuple(problems) or ("no evidence cited",)
            )
        return self._judge(claim, held, problems)

    def missing(self, text: str, claims: Sequence[CheckedClaim]) -> list[str]:
        """Return what an answer says that the records cited by its claims do not."""
        contents = self._contents(claims)
        wanted = [one for one in checkables_in(text, given=self._question) if not one.is_loose]
        lacking = [one.text for one in wanted if not is_supported(one, [*contents, together(contents)], text)]
        if wanted or not contents:
            return lacking
        known = [claim.text for claim in claims if claim.citations]
        stated = implied_by(text, self._question) or text
        return [text.strip()] if conflict_of(stated, contents, known=known) else []

    def contradicted(self, option: str, claims: Sequence[CheckedClaim]) -> list[str]:
        """Return the figures and colours of an option in whose place its claims prove others."""
        contents = self._contents(claims)
        proven = {one.kind for claim in claims if claim.citations for one in checkables_in(claim.text)}
        wanted = [one for one in checkables_in(option) if one.kind in _EXACT and one.kind in proven]
        return [one.text for one in wanted if not is_supported(one, [*contents, together(contents)], option)]

    def _contents(self, claims: Sequence[CheckedClaim]) -> list[Content]:
        cited = [self._resolve(citation)[1] for claim in claims for citation in claim.citations]
        return [content for content in cited if content is not None]

    def _judge(self, claim: Claim, held: list[tuple[Citation, Content]], problems: list[str]) -> CheckedClaim:
        contents = [content for _, content in held]
        wanted = checkables_in(claim.text, given=self._question)
        lacking = [
            one for one in wanted if not is_supported(one, [*contents, together(contents)], claim.text)
        ]
        problems = problems + [f"{_kind(one)} {one.text!r} is not in what is cited" for one in lacking]
        # A figure, name or colour that stands there is shared already.
        conflict = "" if len(wanted) > len(lacking) else conflict_of(claim.text, contents)
        if conflict:
            problems = [*problems, conflict]
        # A denial names what it looked for; that nothing cited shows it is the point.
        if not is_denial(claim.text) and not bears_on(self._question, contents):
            problems = [*problems, "what is cited does not bear on the question"]
        if conflict or _is_refuted(wanted, lacking):
            return CheckedClaim(text=claim.text, verdict="failed", problems=tuple(problems))
        return CheckedClaim(
            text=claim.text,
            verdict="partly" if problems else "verified",
            citations=tuple(citation for citation, _ in held),
            problems=tuple(problems),
        )

    def _resolve(self, citation: Citation) -> tuple[str, Content | None]:
        record = self._ledger.find(citation.record_id)
        if record is None:
            return f"{citation.record_id!r} was never shown in this run", None
        problem = self._altered(record) or self._misplaced(record, citation)
        if problem:
            return problem, None
        content = read_content(record, citation.start_time, citation.end_time)
        if citation.quote and not words_stand_in(citation.quote, content):
            return f"{citation.quote!r} does not stand in {record.record_id}", None
        return "", content

    def _altered(self, record: EvidenceRecord) -> str:
        """Tell whether the record is unchanged since the operation answered."""
        if hash_of(record.result) != record.result_hash:
            return f"{record.record_id} is not what was recorded"
        if self._stored_hash is not None and record.kind == "operation":
            kept = self._stored_hash(record.record_id)
            if kept != record.result_hash:
                return f"{record.record_id} is not in the workspace's ledger as it is cited"
        return ""

    def _misplaced(self, record: EvidenceRecord, citation: Citation) -> str:
        """Tell whether the cited span lies outside the video or outside the record's span."""
        start, end = citation.start_time, citation.end_time
        if start is None and end is None:
            return ""
        start = end if start is None else start
        end = start if end is None else end
        assert start is not None
        assert end is not None
        length = self._lengths.get(record.video_id or "")
        if not 0 <= start <= end or (length is not None and end > length + _PAST_END_S):
            return f"{start:g}–{end:g} s is not inside the video"
        if record.span is not None and not overlaps(record.span, start, end):
            return f"{record.record_id} does not speak of {start:g}–{end:g} s"
        return ""

    def _tidy(self, citation: Citation) -> Citation:
        """Return the citation with the ledger's own name of the record."""
        record = self._ledger.find(citation.record_id)
        assert record is not None
        return citation.model_copy(update={"record_id": record.record_id})


def _is_refuted(wanted: Sequence[Checkable], lacking: Sequence[Checkable]) -> bool:
    """Tell whether the missing parts make a claim false, not only incomplete."""
    firm = [one for one in lacking if not one.is_loose and not is_percentage(one)]
    held = {one.kind for one in wanted if one not in lacking}
    return any(one.kind in _HARD or one.kind not in held for one in firm) or len(lacking) == len(wanted) > 0


def _kind(one: Checkable) -> str:
    return {"name": "the name", "quote": "the quotation"}.get(one.kind, f"the {one.kind}")
