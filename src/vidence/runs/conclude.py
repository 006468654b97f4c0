"""The conclusion of a run: the answer that passed, else the best grounded one, with its gaps named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vidence.language.phrases import phrase
from vidence.language.question import read_question
from vidence.runs.brief import source_name
from vidence.runs.judge import Candidate, best_of, probability_of
from vidence.schema.agent import AgentAnswer, AnswerLanguage
from vidence.schema.evidence import CheckedClaim, Citation, EvidenceRecord

if TYPE_CHECKING:
    from vidence.runs.run import Run

__all__ = ["conclude"]

_SHOWN_ANSWERS = 3
_MOST_CHARS = 300
_NO_PROBABILITY = 0.05


def conclude(run: Run[Any], passed: Candidate | None) -> AgentAnswer:
    """Return the run's answer; only citations that hold are in it."""
    chosen = passed or best_of(run.candidates)
    gaps = list(run.gaps)
    if run.invalid_replies and passed is None:
        gaps.append(phrase("no_json", run.language, run.invalid_replies))
    if chosen is None:
        return _without_answer(run, gaps)
    claims = _kept(chosen, run)
    return AgentAnswer(
        question=run.question,
        language=run.language,
        status="answered" if _is_answer(chosen) else "cannot_tell",
        answer=_words(chosen, run) if chosen.is_whole else phrase("not_proven", run.language),
        explanation=_explanation(chosen, run),
        option=chosen.option,
        confidence_score=chosen.score,
        probability=round(probability_of(chosen), 4),
        claims=claims,
        evidence=_cited(claims, run),
        videos=run.world.videos,
        gaps=tuple(dict.fromkeys([*gaps, *_gaps_of(chosen, run)])),
        passed=passed is not None,
        engine=run.engine.name,
        spent=run.meter.spent(),
    )


def _without_answer(run: Run[Any], gaps: list[str]) -> AgentAnswer:
    looked = phrase("looked_at", run.language, looked_at(run))
    return AgentAnswer(
        question=run.question,
        language=run.language,
        status="failed",
        answer=phrase("no_answer", run.language),
        explanation=looked,
        confidence_score=1,
        probability=_NO_PROBABILITY,
        videos=run.world.videos,
        gaps=tuple(dict.fromkeys(gaps)),
        engine=run.engine.name,
        spent=run.meter.spent(),
    )


def looked_at(run: Run[Any]) -> str:
    """Return in a few words what the run looked at."""
    parts = []
    if run.memory:
        parts.append(phrase("frames_word", run.language, len(run.memory)))
    parts += dict.fromkeys(source_name(record.source, run.language) for record in run.ledger.operations)
    return _joined(parts, run.language) or phrase("nothing", run.language)


def _joined(parts: list[str], language: AnswerLanguage) -> str:
    return ("、" if language == "zh" else ", ").join(parts)


def _is_answer(chosen: Candidate) -> bool:
    return chosen.is_whole and not chosen.payload.cannot_tell


def _words(chosen: Candidate, run: Run[Any]) -> str:
    if chosen.option is not None:
        return run.options[chosen.option]
    text = chosen.payload.final_answer.strip()
    return text or phrase("cannot_tell" if chosen.payload.cannot_tell else "no_answer", run.language)


def _explanation(chosen: Candidate, run: Run[Any]) -> str:
    """Return why the answer is so; where it is not proven, only what is."""
    if _is_answer(chosen) or not _is_readable(run):
        return chosen.payload.explanation.strip()
    if chosen.payload.cannot_tell:
        told = chosen.payload.explanation.strip()
    else:
        shown = [claim.text.strip() for claim in chosen.claims if claim.citations]
        told = phrase("shown", run.language, " ".join(shown)) if shown else ""
    return " ".join(part for part in (told, phrase("looked_at", run.language, looked_at(run))) if part)


def _kept(chosen: Candidate, run: Run[Any]) -> tuple[CheckedClaim, ...]:
    """Return the proven claims; "it cannot be told" rests on everything that was looked at.

    Where the question itself was not understood, nothing was looked for, and nothing is cited.
    """
    kept = tuple(claim for claim in chosen.claims if claim.citations)
    if kept or not chosen.payload.cannot_tell or not len(run.ledger) or not _is_readable(run):
        return kept
    cited = tuple(Citation(record_id=record.record_id) for record in run.ledger)
    text = phrase("looked_at", run.language, looked_at(run))
    return (CheckedClaim(text=text, verdict="verified", citations=cited),)


def _is_readable(run: Run[Any]) -> bool:
    return bool(run.options) or read_question(run.question).is_readable


def _cited(claims: tuple[CheckedClaim, ...], run: Run[Any]) -> tuple[EvidenceRecord, ...]:
    wanted = dict.fromkeys(citation.record_id for claim in claims for citation in claim.citations)
    found = [run.ledger.find(record_id) for record_id in wanted]
    return tuple(record for record in found if record is not None)


def _short(text: str) -> str:
    """Return a text as a gap names it: a model may answer with a book."""
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"


def _gaps_of(chosen: Candidate, run: Run[Any]) -> list[str]:
    language, gaps = run.language, []
    if not chosen.is_whole:
        gaps.append(phrase("rejected", language, _short(_words(chosen, run))))
    if not chosen.is_proven:
        gaps.append(phrase("unproven", language))
    elif chosen.missing:
        gaps.append(phrase("unproven_part", language, _joined([*map(_short, chosen.missing)], language)))
    dropped = [f"“{_short(claim.text)}”" for claim in chosen.claims if not claim.citations]
    if dropped:
        gaps.append(phrase("claim_removed", language, _joined(dropped, language)))
    mine = _words(chosen, run)
    others = [_short(_words(one, run)) for one in run.candidates if _words(one, run) != mine]
    if others:
        gaps.append(
            phrase("contradicted", language, _joined(list(dict.fromkeys(others))[:_SHOWN_ANSWERS], language))
        )
    return gaps
