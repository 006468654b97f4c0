"""What a stemmer cannot know of English: irregular forms, and words that carry no content."""

from __future__ import annotations

import re

__all__ = ["FIRST_PERSON", "IRREGULAR", "QUESTION_WORDS", "SECOND_PERSON", "STOP_WORDS"]

# A question asks with the base form ("what did she give") for what was told in the past ("she gave").
_FORMS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent
bid bade bidden|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|bring brought
build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung|come came|creep crept
deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|dwell dwelt|eat ate eaten
fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fling flung|fly flew flown
forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given
go went gone goes|grind ground|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
kneel knelt|know knew known|lay laid|lead led|leap leapt|learn learnt|leave left|lend lent|lie lain|light lit
lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran
say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot
show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|slay slew slain|sleep slept|slide slid
speak spoke spoken|spend spent|spin spun|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|stride strode|strike struck stricken|strive strove|swear swore sworn|sweep swept|swell swollen
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought
throw threw thrown|tread trod trodden|understand understood|wake woke woken|wear wore worn|weave wove woven
weep wept|win won|wring wrung|write wrote written|man men|woman women|child children|foot feet|tooth teeth
mouse mice|goose geese|wife wives|life lives|knife knives|wolf wolves|leaf leaves|thief thieves|half halves
loaf loaves|person people|good better best|bad worse worst
"""

IRREGULAR: dict[str, str] = {
    form: base
    for base, *forms in (row.split() for row in re.split(r"[|\n]", _FORMS) if row.strip())
    for form in forms
}

_STOP = """
a an and are as at be been being but by did do does done for from had has have he her hers him his how i if in
into is it its me my of on or our she so that the their them they this to was we were what when where which
who whom why will with would you your not no can could should am than then there these those about up out just
s t re ve ll m d don didn doesn isn wasn won
"""
STOP_WORDS = frozenset(_STOP.split())

# They shape a question without saying what it is about; in a memory they may matter.
QUESTION_WORDS = frozenset(("after", "because", "before", "during", "feel", "get", "happen", "let", "make"))
QUESTION_WORDS |= {"name", "use", "while"}

FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our|ours|us)\b|[我咱俺]", re.IGNORECASE)
SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself|u)\b|[你您]", re.IGNORECASE)
