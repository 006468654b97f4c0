"""Clauses of an English story."""

from __future__ import annotations

import re

from vidence.embedded.planning.story_parts import Part

__all__ = ["english_clauses", "plain_noun", "read_english"]

_NAME = (
    r"(?:[A-Z][\w'-]*|[Tt]he (?:\w+ )?(?:boy|girl|man|woman|mother|father|teacher|nurse|child|brother"
    r"|sister|dog)|[Hh]e|[Ss]he|[Tt]hey)"
)
_WHO = rf"(?P<who>{_NAME}(?:(?:, | and |, and ){_NAME})*)"
_NP = r"(?:(?:the|a|an|her|his|their|some|this|that|my)\s+)?[\w' -]+?"
_IN = r"(?:in(?:to|side)?|on(?:to)?|under(?:neath)?|behind|to|at|beneath|beside|next to)"
_SECRET = re.compile(
    r"\b(?:secretly|without (?P<one>[A-Z]\w+|anyone|anybody|him|her) (?:seeing|noticing|knowing)"
    r"|while (?P<two>[A-Z]\w+) (?:is|was) (?:not looking|looking away)|behind (?P<three>[A-Z]\w+)'s back"
    r"|unknown to (?P<four>[A-Z]\w+))\b,?",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:then|next|later|afterwards?|now|meanwhile|finally|suddenly|after that|in the meantime|one day"
    r"|while [^,]+"
    r"|when [^,]+|after [^,]+|before [^,]+|but|so|and|once [^,]+)\b[,\s]*",
    re.IGNORECASE,
)
_MOVE = (
    r"(?:puts?|placed?s?|mov(?:es?|ed)|hid(?:es?)?|transfer(?:s|red)?|drop(?:s|ped)?|set(?:s)?|stores?d?"
    r"|carr(?:ies|ied)"
    r"|shift(?:s|ed)?|takes?|took|brings?|brought|returns?|returned|leaves|left|keeps?|kept)"
)
_ENTER = (
    r"(?:enters?|entered|comes?|came|returns?|returned|arrives?|arrived|walks? in|walked in|goes back"
    r"|went back"
    r"|gets? back|got back|steps? in|wakes? up|woke up)"
)
_AWAY = (
    r"(?:leaves?|left|exits?|exited|goes|went|walks?|walked|runs?|ran|steps?|stepped|falls?|fell|is|was"
    r"|departs?|departed)"
)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("say", rf"^{_WHO} (?:tells?|told|informs?|informed|calls?|called|texts?|texted|writes? to|wrote to) "
                rf"(?P<hearer>{_NAME}|[Hh]im|[Hh]er)(?: that| ,|,|:)? [\"“]?(?P<thing>{_NP}) (?:is|was|are"
                rf"|were)"
                rf"(?: now| really)? (?:{_IN} )(?P<place>{_NP})[\"”.!]*$"),
        ("say", rf"^{_WHO} (?:says?|said)(?: to (?P<hearer>{_NAME}|him|her))?(?: that|,|:)? [\"“]?"
                rf"(?P<thing>{_NP}) "
                rf"(?:is|was|are|were)(?: now| really)? (?:{_IN} )(?P<place>{_NP})[\"”.!]*$"),
        ("say", rf"^{_WHO} (?:tells?|told|says? to|said to|asks?|asked) (?P<hearer>{_NAME}|him|her)\b"
                rf"(?P<words>.*)$"),
        ("see", rf"^{_WHO} (?:sees?|saw|notices?|noticed|finds?|found|spots?|spotted|discovers?|discovered)"
                rf"(?: that)? "
                rf"(?P<thing>{_NP}) (?:(?:is|was) )?(?:{_IN} )(?P<place>{_NP})[.!]*$"),
        ("place", rf"^(?:{_WHO} )?{_MOVE} (?P<thing>{_NP})(?: (?:out of|from|off) (?:{_NP}))?(?: back"
                  rf"| over)? "
                  rf"{_IN} (?P<place>{_NP})[.!]*$"),
        ("hold", rf"^(?:{_WHO} )?(?:takes?|took|picks? up|picked up|grabs?|grabbed|gets?|got|removes?"
                 rf"|removed) "
                 rf"(?P<thing>{_NP})(?: (?:out of|from|off|out) ?(?:{_NP})?)?[.!]*$"),
        ("leave", rf"^(?:{_WHO} )?{_AWAY} (?:(?:out|away|outside|off|home|asleep|for a \w+|to sleep)\b.*"
                  rf"|(?:to|into) (?:the )?(?:shop|store|school|work|market|park|garden|toilet|bathroom|bed"
                  rf"|sleep)\b.*)$"),
        ("leave", rf"^(?:{_WHO} )?(?:leaves?|left|exits?|exited|departs?|departed)(?: the "
                  rf"(?P<place>[\w ]+?))?[.!]*$"),
        ("enter", rf"^(?:{_WHO} )?{_ENTER}(?: (?:back|again|home|inside|in))*"
                  rf"(?: (?:in(?:to)?|to|from) (?:the |a |her |his )?(?P<place>[\w ]+?))?(?: again)?[.!]*$"),
        ("enter", rf"^(?:{_WHO} )?(?:enters?|entered) (?:the |a )?(?P<place>[\w ]+?)[.!]*$"),
        ("enter", rf"^(?:{_WHO} )?(?:goes|went|walks?|walked) (?:in)?to (?:the |a )?"
                  rf"(?P<place>[\w ]+?)[.!]*$"),
        ("enter", rf"^{_WHO} (?:is|are|was|were)(?: both| all| together)* in (?:the |a )?(?P<place>[\w ]+?)"
                  r"(?: together)?[.!]*$"),
        ("state", rf"^(?:[Tt]here (?:is|was) (?P<thing2>{_NP})|(?P<thing>{_NP}) (?:is|was|are|were)"
                  rf"(?: now)?) "
                  rf"{_IN} (?P<place>{_NP})[.!]*$"),
    )
)  # fmt: skip
_VERB = rf"(?:{_MOVE}|{_ENTER}|{_AWAY}|hides?|tells?|told|sees?|saw|picks?|closes?|plays?)"
_SPLIT = re.compile(rf",? and then |, then |; |,? and (?={_VERB}\b)|, (?={_VERB}\b)")
_ARTICLE = re.compile(r"^(?:the|a|an|her|his|their|some|this|that|my|its)\s+", re.IGNORECASE)


def english_clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence; what is quoted or told stays whole."""
    if re.search(r"[\"“]|\b(?:tells?|told|says?|said)\b", sentence):
        return [sentence]
    return [part for part in _SPLIT.split(sentence) if part.strip()]


def read_english(clause: str) -> Part | None:
    """Return what a clause tells; None when it tells nothing of people and places."""
    text = clause.strip()
    secret = _SECRET.search(text)
    hidden = tuple(name for name in (secret.groups() if secret else ()) if name and name[0].isupper())
    text = _SECRET.sub("", text)
    text = _LEAD.sub("", " ".join(text.split())).strip(" ,")
    for kind, pattern in _PATTERNS:
        match = pattern.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        who = _names(groups.get("who"))
        if kind == "state" and groups.get("thing") and re.fullmatch(_NAME, groups["thing"] or ""):
            return Part("enter", _names(groups["thing"]), place=plain_noun(groups["place"]))
        return Part(
            kind="other" if kind == "hold" else kind,  # type: ignore[arg-type]
            actors=who,
            thing=plain_noun(groups.get("thing") or groups.get("thing2") or groups.get("words")),
            place=None if kind == "hold" else plain_noun(groups.get("place")),
            hearers=_names(groups.get("hearer")),
            is_secret=secret is not None,
            hidden_from=hidden,
        )
    return None


def plain_noun(text: str | None) -> str | None:
    """Return a noun phrase without its article."""
    return _ARTICLE.sub("", text.strip()) if text and text.strip() else None


def _names(text: str | None) -> tuple[str, ...]:
    found = re.split(r", and |, | and ", text) if text else []
    return tuple(re.sub(r"^[Tt]he ", "", name) for name in found if name)
