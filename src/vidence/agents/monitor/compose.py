"""Composing a briefing from what a critic found, and the answer that the kernel verifies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vidence.language.phrases import phrase
from vidence.runs.run import Run
from vidence.schema.agent import AnswerPayload
from vidence.schema.briefing import Briefing, Findings
from vidence.schema.evidence import Citation, Claim
from vidence.schema.topics import MonitorInput, ReadPage, TaskPlan

__all__ = ["compose", "nothing_found", "statement_claims"]


def compose(
    run: Run[MonitorInput],
    plan: TaskPlan,
    findings: Findings,
    pages: Sequence[ReadPage],
    searched: Sequence[str],
    failed: Mapping[str, str],
) -> Briefing:
    """Return the briefing: what holds, what does not, and what could not be read."""
    given, language = run.given, run.language
    gaps = list(run.gaps)
    gaps += [phrase("monitor_failed_source", language, f"{source} ({why})") for source, why in failed.items()]
    gaps += [phrase("monitor_dropped", language, text) for text in findings.dropped]
    if not findings.statements:
        gaps.append(phrase("monitor_nothing", language, given.question))
    return Briefing(
        command=given.question,
        subject=plan.subject,
        language=language,
        day=given.today,
        plan=plan,
        statements=findings.statements,
        overview=findings.overview,
        disputes=findings.disputes,
        sources=findings.sources,
        timeline=findings.timeline,
        sentiment=findings.sentiment,
        searches=tuple(searched),
        pages_read=len(pages),
        gaps=tuple(dict.fromkeys(gaps)),
        engine=run.engine.name,
    )


def nothing_found(briefing: Briefing) -> AnswerPayload:
    """Return the answer of a run that found nothing."""
    text = phrase("monitor_nothing", briefing.language, briefing.command)
    return AnswerPayload(final_answer=text, cannot_tell=True, probability=0.5)


def statement_claims(briefing: Briefing, pages: Sequence[ReadPage]) -> AnswerPayload:
    """Return the statements as claims that cite the records of their pages."""
    records = {page.number: page.record_id for page in pages}
    claims = tuple(
        Claim(
            text=statement.text,
            citations=tuple(
                Citation(record_id=records[quote.source], quote=quote.text) for quote in statement.quotes
            ),
        )
        for statement in briefing.statements
    )
    supports = [statement.support for statement in briefing.statements]
    return AnswerPayload(
        final_answer="\n".join(statement.text for statement in briefing.statements),
        claims=claims,
        probability=round(sum(supports) / len(supports), 3),
    )
