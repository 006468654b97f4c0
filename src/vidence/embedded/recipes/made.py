"""Whether a video was filmed, or is a screen recording, slides or graphics, as its notes say."""

from __future__ import annotations

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, has_cue, untold
from vidence.embedded.recipes.spans import QuestionSpan, find_span
from vidence.embedded.recipes.wording import sentence
from vidence.runs.notes import noted_lines
from vidence.schema.reading import NotedLine

__all__ = ["tell_made"]

_MOST = 0.5
"""The share of the time that must be of one kind for the video to be of that kind."""
_SURE, _FILMED = 0.85, 0.7


def tell_made(inquiry: Inquiry) -> Steps:
    """Tell the kind of video, or whether it is the kind asked for; a place that is seen was filmed."""
    span = yield from find_span(inquiry)
    (record,) = yield [call("get_notes", inquiry, language=inquiry.language)]
    notes = [one for one in (noted_lines(record) if record else ()) if span.holds(one)]
    shown = {
        name: [one for one in notes if has_cue(f"{name}_picture", one.text)] for name in ("screen", "graphic")
    }
    told = next((name for name, found in shown.items() if _share(found, span) >= _MOST), None)
    places = [one for one in notes if one.kind == "place"]
    if told is None and not any(shown.values()) and _share(places, span) >= _MOST:
        told, shown["filmed"] = "filmed", places
    said = _said(inquiry, told) if told else None
    if told is None or said is None:
        return untold(inquiry)
    proof = shown[told][0]
    sure = _FILMED if told == "filmed" else _SURE
    return Finding(sentence(said, inquiry.language), sure, claim(proof.text, record, proof, quote=proof.text))


def _said(inquiry: Inquiry, told: str) -> str | None:
    """Return the answer; None where what is known does not decide it."""
    text = inquiry.form.text
    if has_cue("screen_asked", text):
        return inquiry.say("yes" if told == "screen" else "no")
    if has_cue("animation_asked", text):
        # An animated film looks filmed, or like a graphic, and a graphic need not move.
        return inquiry.say("no") if told == "screen" else None
    if has_cue("graphic_asked", text):
        return None if told == "filmed" else inquiry.say("yes" if told == "graphic" else "no")
    if has_cue("footage_asked", text):
        return None if told == "filmed" else inquiry.say("no")
    return None if told == "filmed" else inquiry.say(f"made_{told}")


def _share(notes: list[NotedLine], span: QuestionSpan) -> float:
    """Return the share of the time that some notes hold for."""
    lasts_s = sum(min(one.end_time, span.end_s) - max(one.start_time, span.start_s) for one in notes)
    return lasts_s / max(span.end_s - span.start_s, 1e-6)
