"""The little English that telling nouns from verbs in a question takes."""

from __future__ import annotations

from functools import lru_cache

from vidence.memory.english import IRREGULAR

__all__ = [
    "AUXILIARIES",
    "DETERMINERS",
    "EMPTY_NOUNS",
    "NUMBERS",
    "PARTICLES",
    "PREPOSITIONS",
    "PRONOUNS",
    "QUESTION_WORDS",
    "base_form",
    "is_verb_form",
    "singular",
]

DETERMINERS = frozenset(
    "a an the this that these those his her its their my your our some any all each every another other no both"
    " either neither such many much several few".split()
)
PREPOSITIONS = frozenset(
    "in on at of to from with without by for into onto over under above below behind beside near next between"
    " among across along around through towards toward against inside outside off up out down about during"
    " before after while when until till since via per as upon within according than like".split()
)
PARTICLES = frozenset("away out off up down over in on back again together along forward around".split())
AUXILIARIES = frozenset(
    "is are was were be been being am do does did done doing has have had having can could will would shall"
    " should may might must".split()
)
PRONOUNS = frozenset(
    "i you he she it we they me him us them who whom whose which what there here one ones something anything"
    " nothing someone anyone somebody anybody everyone everybody himself herself itself themselves".split()
)
QUESTION_WORDS = frozenset("what which who whom whose when where why how many much".split())
EMPTY_NOUNS = frozenset(
    "video clip film movie recording footage picture image frame screen scene moment time second seconds minute"
    " minutes point beginning start end number kind sort type maximum minimum total s sec view shot"
    " part way side middle order first last colour color".split()
)
"""Nouns that say where to look rather than what for."""
NUMBERS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | {"both": 2, "pair": 2, "couple": 2}

_VERBS = """
add answer appear approach arrive ask attach bark begin bounce brush call carry catch change chase chat check clap
clean climb close come continue cook cover crash crawl cross cry cut dance depart describe detect disappear display
dive do drag draw drink drive drop eat empty end enter exit explain explode extend face fade fall feed fetch fill
find finish flash flow fly focus fold follow get give go grab greet grow hand hang happen hear hit hold hop hug hurt
include jump keep kick kiss knock land laugh lay lean leave lick lie lift light like listen look lower mean meet
mention mix move need nod open pan park pass pat perform pet pick place plant play point pour present pretend prevent
produce pull push put raise reach react read receive record release remain remove repeat rest return ride ring rise
roll rotate run say scream see sell send serve set shake shine shoot shout show shut sing sink sit skate ski sleep
slice slide slow smile smoke sneeze sniff speak speed spill spin splash spray squat stack stand stare start stay steal
step stir stop stretch strike swap sweep swim swing switch take talk tap taste tell think throw tie tilt toss touch
travel try tumble turn type unfold use vanish visit wag wait wake walk want wash watch wave wear whisper whistle wipe
work wrap write yawn yell zoom annotate become belong bring build count hide kneel occur paint print resemble rub
scatter tidy surround accompany contain
"""
_NOT_VERBS = frozenset(
    "during morning evening ceiling building nothing something anything wedding clothing".split()
)
_BASES = frozenset(_VERBS.split())
_PLURALS = {
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "knives": "knife",
    "leaves": "leaf",
    "wolves": "wolf",
    "shelves": "shelf",
    "loaves": "loaf",
    "scarves": "scarf",
    "calves": "calf",
    "oxen": "ox",
    "dice": "die",
    "buses": "bus",
    "glasses": "glasses",
    "scissors": "scissors",
    "trousers": "trousers",
    "jeans": "jeans",
    "pants": "pants",
    "shorts": "shorts",
    "clothes": "clothes",
    "series": "series",
    "species": "species",
    "skis": "skis",
    "sheep": "sheep",
    "deer": "deer",
    "fish": "fish",
    "passersby": "passerby",
}
_SINGULARS = frozenset(
    "bus gas lens canvas news tennis mattress glass dress grass class boss cross address christ chess chaos iris"
    " always perhaps this is his was has does yes plus us less".split()
)


def singular(word: str) -> str:
    """Return the singular of a noun."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _SINGULARS or not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")) and word not in ("shoes", "toes"):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=4096)
def base_form(word: str) -> str | None:
    """Return the base of a verb's form, None where the word is no verb we know."""
    if word in _BASES:
        return word
    if word in IRREGULAR and IRREGULAR[word] in _BASES:
        return IRREGULAR[word]
    for ending, others in (("ing", ("", "e")), ("ied", ("y",)), ("ed", ("", "e")), ("ies", ("y",)),
                           ("es", ("", "e")), ("s", ("",)), ("d", ("",))):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            for other in others:
                if stem + other in _BASES:
                    return stem + other
            if len(stem) > 2 and stem[-1] == stem[-2] and stem[:-1] in _BASES:
                return stem[:-1]
    return None


def is_verb_form(word: str) -> bool:
    """Whether a word is a known verb or is shaped like a participle."""
    return base_form(word) is not None or (
        len(word) > 5 and word.endswith(("ing", "ed")) and word not in _NOT_VERBS
    )
