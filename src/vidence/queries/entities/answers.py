"""Answers in English and Chinese, from facts alone; what was not measured is said to be unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vidence.language.categories import categories
from vidence.language.colours import colour_word
from vidence.language.question.state import Kind, Language, Question
from vidence.queries.entities.facts import EntityFacts, Other, held, neighbours

__all__ = ["CANNOT_TELL", "StateAnswer", "answer", "cannot_tell"]

CANNOT_TELL = 0.15
"""How sure an answer is that says it is none."""


@dataclass(frozen=True)
class StateAnswer:
    """A sentence and how sure it is."""

    text: str
    confidence: float


def answer(question: Question, facts: EntityFacts) -> StateAnswer:
    """StateAnswer a question from the facts."""
    if question.kind is None:
        return cannot_tell(question.language)
    told = _TELLERS[question.kind](facts, question)
    return told or cannot_tell(question.language, question.kind)


def cannot_tell(language: Language, kind: Kind | None = None) -> StateAnswer:
    """Say plainly that it is not known."""
    what = _UNKNOWN.get(kind, _UNKNOWN[None]) if kind else _UNKNOWN[None]
    return StateAnswer(what[0] if language == "en" else what[1], CANNOT_TELL)


def _colour(facts: EntityFacts, question: Question) -> StateAnswer | None:
    worn = facts.category == "person"
    upper = facts.attributes.get("clothing_color" if worn else "color")
    lower = facts.attributes.get("lower_clothing_color")
    if upper is None and lower is None:
        return None
    lead = _yes_no(question, question.colours, f"{upper} {lower}") if question.colours else ""
    if question.language == "zh":
        return StateAnswer(lead + _colour_zh(facts, upper, lower), _sure(facts, 0.75))
    if not worn:
        return StateAnswer(f"{lead}The {facts.category} is {upper}.", _sure(facts, 0.75))
    places = ((upper, "on the upper body"), (lower, "below the waist"))
    parts = [f"{colour} {place}" for colour, place in places if colour]
    return StateAnswer(f"{lead}The person is wearing {' and '.join(parts)}.", _sure(facts, 0.75))


def _colour_zh(facts: EntityFacts, upper: str | None, lower: str | None) -> str:
    if facts.category != "person":
        return f"{_named(facts.category, 'zh')}是{_hue(upper)}的。"
    worn = [f"{part}是{_hue(colour)}" for colour, part in ((upper, "上身"), (lower, "下身")) if colour]
    return f"此人的衣服，{'，'.join(worn)}。"


def _hue(colours: str | None) -> str:
    return "和".join(colour_word(one, "zh") for one in (colours or "").split(" and ") if one)


def _yes_no(question: Question, asked: Sequence[str], measured: str) -> str:
    if not question.yes_or_no:
        return ""
    agrees = all(one in measured for one in asked)
    if question.language == "zh":
        return "是的，" if agrees else "不是，"
    return "Yes. " if agrees else "No. "


def _posture(facts: EntityFacts, question: Question) -> StateAnswer | None:
    stance = facts.posture
    if stance is None:
        return None
    lead = _yes_no(question, question.postures, stance) if len(set(question.postures)) == 1 else ""
    text = {"en": f"{lead}The person is {stance}.", "zh": f"{lead}此人{_POSTURES[stance]}。"}
    return StateAnswer(text[question.language], _sure(facts, 0.8))


def _holding(facts: EntityFacts, question: Question) -> StateAnswer | None:
    things = held(facts)
    if not things:
        return None
    named = _listed(things[:2], question.language)
    text = {"en": f"The person seems to be holding {named}.", "zh": f"此人手里似乎拿着{named}。"}
    return StateAnswer(text[question.language], round(min(0.8, things[0].confidence * 0.9), 3))


def _near(facts: EntityFacts, question: Question) -> StateAnswer | None:
    things = neighbours(facts)
    if not things:
        text = {
            "en": f"No object was recognised near the {facts.category}.",
            "zh": "附近没有识别出其他物体。",
        }
        return StateAnswer(text[question.language], 0.4)
    named = _listed(things, question.language)
    subject = _named(facts.category, question.language)
    text = {"en": f"The {facts.category} is near {named}.", "zh": f"{subject}旁边有{named}。"}
    return StateAnswer(text[question.language], round(min(0.85, min(one.confidence for one in things)), 3))


def _action(facts: EntityFacts, question: Question) -> StateAnswer | None:
    acts = facts.acts
    if acts is None:
        return _motion(facts, question) if facts.category != "person" else None
    text = {"en": f"The person is {acts.replace('_', ' ')}.", "zh": f"此人正在{_ACTS.get(acts, acts)}。"}
    return StateAnswer(text[question.language], _sure(facts, 0.7))


def _motion(facts: EntityFacts, question: Question) -> StateAnswer | None:
    moves = facts.moves
    if moves is None:
        return None
    plain = "standing still" if moves.startswith("stationary") else moves
    chinese = next((zh for en, zh in _MOVES.items() if moves.startswith(en)), None)
    subject = _named(facts.category, "zh")
    text = {"en": f"The {facts.category} is {plain}.", "zh": f"{subject}{chinese or '在移动'}。"}
    return StateAnswer(text[question.language], _sure(facts, 0.75))


def _place(facts: EntityFacts, question: Question) -> StateAnswer | None:
    column = _third(facts.box.centre[0], ("left", "center", "right"))
    row = _third(facts.box.centre[1], ("upper", "middle", "lower"))
    where = "in the center" if (column, row) == ("center", "middle") else f"in the {row} {column}"
    chinese = f"{_COLUMNS[column]}{'' if row == 'middle' else _ROWS[row]}"
    subject = _named(facts.category, "zh")
    text = {
        "en": f"The {facts.category} is {where} of the picture.",
        "zh": f"{subject}在画面的{chinese}。",
    }
    return StateAnswer(text[question.language], _sure(facts, 0.9))


def _size(facts: EntityFacts, question: Question) -> StateAnswer | None:
    share, size = round(facts.box.area * 100), facts.attributes.get("size", "medium")
    subject = _named(facts.category, "zh")
    text = {
        "en": f"The {facts.category} looks {size} in the picture: its box covers {share} % of it.",
        "zh": f"{subject}在画面中显得{_SIZES[size]}，约占画面的 {share}%。",
    }
    return StateAnswer(text[question.language], _sure(facts, 0.8))


def _looking(facts: EntityFacts, question: Question) -> StateAnswer | None:
    if facts.facing is None:
        return None
    en, zh = _FACING[facts.facing]
    text = {
        "en": f"The person's face is turned {en}; what they look at cannot be told.",
        "zh": f"此人的脸朝向{zh}；无法判断具体在看什么。",
    }
    return StateAnswer(text[question.language], 0.5)


def _kind(facts: EntityFacts, question: Question) -> StateAnswer | None:
    article = "an" if facts.category[0] in "aeiou" else "a"
    name = "人" if facts.category == "person" else _named(facts.category, "zh")
    text = {"en": f"It is {article} {facts.category}.", "zh": f"这是{name}。"}
    return StateAnswer(text[question.language], _sure(facts, 0.95))


def _sure(facts: EntityFacts, most: float) -> float:
    """Be as sure as the detector, at most `most`; less when the frame itself did not show the entity."""
    return round(most * (0.5 + 0.5 * facts.confidence) * (1.0 if facts.seen else 0.7), 3)


def _listed(things: Sequence[Other], language: Language) -> str:
    names = list(dict.fromkeys(_named(one.category, language) for one in things))
    if language == "zh":
        return "、".join(names)
    return " and ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names)


def _named(category: str, language: Language) -> str:
    if language == "en":
        return category
    if category == "person":
        return "此人"
    return next((one.chinese for one in categories().values() if one.name == category), category)


def _third(value: float, names: tuple[str, str, str]) -> str:
    return names[0] if value < 1 / 3 else names[2] if value > 2 / 3 else names[1]


_Teller = Callable[[EntityFacts, Question], StateAnswer | None]
_TELLERS: dict[Kind, _Teller] = {
    "colour": _colour,
    "posture": _posture,
    "holding": _holding,
    "near": _near,
    "action": _action,
    "motion": _motion,
    "place": _place,
    "size": _size,
    "looking": _looking,
    "kind": _kind,
}
_POSTURES = {"standing": "站着", "sitting": "坐着", "bending": "弯着腰", "lying": "躺着"}
_ACTS = {
    "walking": "走路", "running": "跑步", "standing": "站着", "sitting": "坐着", "bending": "弯腰",
    "lying": "躺着", "waving": "挥手", "reaching": "伸手", "gesturing": "做手势", "raising_hand": "举手",
}  # fmt: skip
_MOVES = {
    "stationary": "静止不动",
    "moving left to right": "正从左向右移动", "moving right to left": "正从右向左移动",
    "moving top to bottom": "正向下移动", "moving bottom to top": "正向上移动",
    "approaching camera": "正靠近镜头", "moving away from camera": "正远离镜头",
    "circular motion": "在绕圈移动", "erratic motion": "移动没有规律",
}  # fmt: skip
_COLUMNS = {"left": "左侧", "center": "中间", "right": "右侧"}
_ROWS = {"upper": "上方", "lower": "下方"}
_SIZES = {"small": "较小", "medium": "中等", "large": "较大"}
_FACING = {
    "camera": ("to the camera", "镜头"),
    "left": ("to the left", "左边"),
    "right": ("to the right", "右边"),
}
_UNKNOWN: dict[Kind | None, tuple[str, str]] = {
    "colour": ("Cannot tell: no colour could be measured here.", "无法判断：这里测不出颜色。"),
    "posture": (
        "Cannot tell: too few joints are visible to know the posture.",
        "无法判断：可见的关节太少，不能确定姿势。",
    ),
    "holding": (
        "Cannot tell: no object was recognised in the hands.",
        "无法判断：手中没有识别出物体。",
    ),
    "action": ("Cannot tell: no action was recognised at this time.", "无法判断：此时没有识别出动作。"),
    "looking": ("Cannot tell: the face is not visible enough.", "无法判断：脸部不够清楚。"),
    None: (
        "Cannot tell: this is not something that is measured, and no vision model is configured.",
        "无法判断：这不属于可测量的内容，也没有配置视觉模型。",
    ),
}
