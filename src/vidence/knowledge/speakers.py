"""Who says a Chinese quotation: every name around it is a candidate, a small model ranks them.

The weights are fitted on quotations of one novel (`training/story/speakers.py`); the features are positions,
verbs of saying and turns, never names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from vidence.knowledge.mentions import Mention, NameFinder
from vidence.language.tables import read_table

__all__ = ["rank_speakers", "speaker_features"]

_SAY = re.compile("说|道|问|喊|叫|答|笑|骂|嚷|告诉|劝|叹|开口|解释|嘟囔|插嘴|吼|催|打断|接着|对")
_QUOTED = re.compile(r"[“「][^”」]*[”」]?")
_MARK = re.compile(r"[“「]")
_COLON = re.compile(r"[：:]\s*$")
_LEADS_IN = re.compile(r"[：:，]\s*$")
_OBJECT = re.compile(r"(?:对|向|给|朝|问|冲|和|跟|把|被|同|替|与|叫|将|找|让|劝|骂|着|使|的|望)$")
"""What stands before a name that is spoken to or dealt with, not speaking."""
_WAITED = re.compile(r"(?:没等|不等|未等|等)$")
_HE = re.compile(r"^(?:这时|于是|然后|接着|过了一会|过了一阵)?[，]?[他她](?!们)")
_FAR = 12
_HEAD = 25
Features = dict[str, float]


def rank_speakers(lines: Sequence[str], quote_line: int, finder: NameFinder) -> list[tuple[str, float]]:
    """Return the candidates for the speaker of a line with their scores, the likeliest first."""
    weights = _weights()
    rows = speaker_features(lines, quote_line, finder)
    scored = [
        (who, 1 / (1 + math.exp(-sum(weights.get(name, 0.0) * value for name, value in row.items()))))
        for who, row in rows.items()
    ]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def speaker_features(lines: Sequence[str], quote_line: int, finder: NameFinder) -> dict[str, Features]:
    """Return the features of every candidate around a quotation."""
    scene = _Scene(lines, quote_line, finder)
    return {who: scene.features(who) for who in scene.candidates}


class _Scene:
    """The lines around a quotation, with the names in and outside of speech."""

    def __init__(self, lines: Sequence[str], quote_line: int, finder: NameFinder) -> None:
        self.at, self.lines = quote_line, lines
        self.told = [_QUOTED.sub(lambda found: " " * len(found[0]), line) for line in lines]
        self.is_speech = [
            bool(_MARK.match(line.strip())) and not told.strip()
            for line, told in zip(lines, self.told, strict=True)
        ]
        self.named = [finder.find(told) for told in self.told]
        self.all_named = [finder.find(line) for line in lines]
        self.subjects = [
            [one.entity_id for one in row if not _OBJECT.search(told[: one.start])]
            for row, told in zip(self.named, self.told, strict=True)
        ]
        self.candidates = list(dict.fromkeys(one.entity_id for row in self.all_named for one in row))
        self.counts = Counter(one.entity_id for row in self.all_named for one in row)
        self.told_counts = Counter(one.entity_id for row in self.named for one in row)
        self.before = [(number, one) for number in range(quote_line) for one in self.named[number]]
        self.after = [
            (number, one) for number in range(quote_line + 1, len(lines)) for one in self.named[number]
        ]
        earlier = [number for number in range(quote_line - 1, -1, -1) if _MARK.search(lines[number])]
        self.is_turn = bool(earlier) and quote_line - earlier[0] == 1
        self.stated = {step: self._stated(quote_line + step) for step in (-2, -1, 1, 2)}

    def features(self, who: str) -> Features:
        """Return the features of one candidate."""
        at = self.at
        back = next((at - number for number, one in reversed(self.before) if one.entity_id == who), _FAR)
        ahead = next((number - at for number, one in self.after if one.entity_id == who), _FAR)
        previous, following = self._names(at - 1), self._names(at + 1)
        colon = at > 0 and bool(_COLON.search(self.lines[at - 1]))
        here = who in self._names(at)
        heads_next = bool(following) and following[0] == who
        says_next = heads_next and bool(_SAY.search(self.told[at + 1][:_HEAD]))
        last_named = bool(self.before) and self.before[-1][1].entity_id == who
        row = {
            "bias": 1.0,
            "here": here,
            "here_says": here and bool(_SAY.search(self.told[at])),
            "colon": who in previous and colon,
            "colon_first": colon and bool(previous) and previous[0] == who,
            "colon_last": colon and bool(previous) and previous[-1] == who,
            "previous": who in previous and not colon,
            "previous_first": not colon and bool(previous) and previous[0] == who,
            "next": who in following,
            "next_says": says_next,
            "next_first": heads_next and not self._speech(at + 1),
            "back": 1 / back,
            "ahead": 1 / ahead,
            "back_2": back == 2,
            "ahead_2": ahead == 2,
            "back_3": back <= 3,
            "ahead_3": ahead <= 3,
            "addressed": who in self._all(at) and not here,
            **{f"stated{step:+d}": self.stated[step] == who for step in self.stated},
            "turn_before": self.stated[-2] == who and self.stated[-1] != who,
            "same_turn": self.stated[-1] == who and self.is_turn,
            "share": self.counts[who] / max(self.counts.values()),
            "told_share": self.told_counts[who] / max([1, *self.told_counts.values()]),
            "named_before": who in self._all(at - 1) and self._speech(at - 1),
            "named_after": who in self._all(at + 1) and self._speech(at + 1),
            "last_named_turn": last_named and self.is_turn,
            "last_named": last_named and not self.is_turn,
            "first_after": bool(self.after) and self.after[0][1].entity_id == who,
            "alone": len(self.candidates) == 1,
            "back_2_turn": back == 2 and self._speech(at - 1),
            "back_3_turn": back == 3 and self._speech(at - 1),
            "ahead_2_turn": ahead == 2 and self._speech(at + 1),
            **self._roles(who, colon),
            "turn_kept": back >= 2 and self.stated[-2] == who and self._speech(at - 1),
        }
        return {name: float(value) for name, value in row.items()}

    def _roles(self, who: str, colon: bool) -> dict[str, bool]:
        """Return what the line that leads in, and the one after, say of somebody: subject, object, "he"."""
        at = self.at
        before, earlier, after = (self._subjects(line) for line in (at - 1, at - 2, at + 1))
        lead = self.told[at - 1] if at else ""
        waited = (
            [one.entity_id for one in self.named[at - 1] if _WAITED.search(lead[: one.start])] if at else []
        )
        by_pronoun = colon and not before and bool(_HE.search(lead.strip()))
        says = at + 1 < len(self.lines) and bool(_SAY.search(self.told[at + 1][:_HEAD]))
        return {
            "lead_object": colon and who in self._names(at - 1) and who not in before,
            "lead_subject_first": colon and before[:1] == [who],
            "lead_subject_last": colon and before[-1:] == [who],
            "lead_waited": who in waited,
            "he_first": by_pronoun and earlier[:1] == [who],
            "he_last": by_pronoun and earlier[-1:] == [who],
            "next_subject_says": says and not self._speech(at + 1) and after[:1] == [who],
            "next_object": who in self._names(at + 1) and who not in after,
            "next_alone": says
            and not self._speech(at + 1)
            and after == [who]
            and len(self.told[at + 1]) < _HEAD,
        }

    def _subjects(self, line: int) -> list[str]:
        return self.subjects[line] if 0 <= line < len(self.lines) else []

    def _names(self, line: int) -> list[str]:
        return _ids(self.named[line]) if 0 <= line < len(self.lines) else []

    def _all(self, line: int) -> list[str]:
        return _ids(self.all_named[line]) if 0 <= line < len(self.lines) else []

    def _speech(self, line: int) -> bool:
        return 0 <= line < len(self.lines) and self.is_speech[line]

    def _stated(self, line: int) -> str | None:
        """Return whom the narration names as the speaker of another quotation."""
        if not 0 <= line < len(self.lines) or not _MARK.search(self.lines[line]):
            return None
        for other in (line, line - 1, line + 1):
            names = self._names(other)
            if not names or (other != line and self._speech(other)):
                continue
            if other == line - 1 and not _LEADS_IN.search(self.lines[other]):
                continue
            if other == line + 1 and not _SAY.search(self.told[other][:30]):
                continue
            return names[0]
        return None


def _ids(mentions: Sequence[Mention]) -> list[str]:
    return [one.entity_id for one in mentions]


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    return {name: float(value) for name, value in read_table("speakers.tsv", "knowledge")}
