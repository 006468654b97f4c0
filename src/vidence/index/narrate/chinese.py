"""The voice of Chinese: its sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.index.narrate.chinese_nouns import (
    joined,
    people_phrase,
    person_clothes,
    shot_phrase,
    thing_phrase,
    things_phrase,
    view_words,
)
from vidence.index.narrate.facts import Facts, People, Person, Place, ShotFacts, Thing
from vidence.index.narrate.voice import Absent, Order, phrases, quotes_within, rank_ways
from vidence.index.narrate.words import quoted, shorten
from vidence.language.colours import colour_word
from vidence.language.identify import has_han
from vidence.language.labels import chinese_number
from vidence.schema.time import TimeRange

__all__ = ["Chinese"]

_MOST_CHARACTERS = 30
"""Fewer than twenty words, at one and a half characters or more a word."""
_CLOSE = 0.55
_STILL = frozenset({"standing", "sitting", "lying"})


class Chinese:
    """Writes facts in Chinese."""

    def fits(self, sentence: str) -> bool:
        latin = len(re.findall(r"[A-Za-z0-9']+", sentence))
        other = len(re.sub(r"[A-Za-z0-9'\s“”，。：、]", "", sentence))
        return other + latin * 1.6 <= _MOST_CHARACTERS

    def subject(self, shot: ShotFacts, order: Order = "only") -> str:
        return f"{_led(order)}{_subject(shot, shot.things[:3], alone=order == 'only')}。"

    def brief(self, shot: ShotFacts) -> list[str]:
        cores = [
            _subject(shot, shot.things[:2]),
            _subject(shot, shot.things[:1]),
            *([_people_clause(shot.people, shot.is_moving)] if shot.people else []),
            f"画面中是{shot_phrase(shot)}",
            f"画面中是{shot_phrase(shot, bare=True)}",
        ]
        return [f"{way}。" for way in rank_ways(cores, _tails(shot))]

    def sequence(self, shots: Sequence[ShotFacts], *, total: int) -> str:
        phrases = [shot_phrase(shot) for shot in shots]
        if len(phrases) == total and total > 1:
            middle = "".join(f"，随后是{phrase}" for phrase in phrases[1:-1])
            return f"先是{phrases[0]}{middle}，{'最后' if total > 2 else '随后'}是{phrases[-1]}。"
        rest = "".join(f"，随后是{phrase}" for phrase in phrases[1:])
        return f"画面先是{phrases[0]}{rest}{'，等等' if total > len(phrases) else ''}。"

    def each_person(self, people: People) -> str | None:
        if len(people.each) < 2:
            return None
        names = ["一人", "另一人"] if len(people.each) == 2 else ["一人", "另一人", "第三人"]
        told = [_told(name, person) for name, person in zip(names, people.each, strict=False)]
        return f"{'；'.join(told)}。"

    def more(self, things: Sequence[Thing]) -> str | None:
        return f"画面中{_having(things[:4], '还有')}。" if things else None

    def where(self, things: Sequence[Thing]) -> str | None:
        placed = [thing for thing in things if thing.place and thing.sure and not thing.moved][:3]
        told = [f"{thing.name.zh}在{_words('place')[thing.place or 'centre']}" for thing in placed]
        return f"{'，'.join(told)}。" if told else None

    def actions(self, shot: ShotFacts, order: Order = "only", *, again: bool = False) -> str | None:
        clause = _action_clause(shot, again=again)
        return f"{_led(order)}{clause}。" if clause else None

    def setting(self, shot: ShotFacts, order: Order = "only") -> str | None:
        setting = shot.setting
        told = "，".join(part.zh for part in (setting.time_of_day, setting.weather) if part)
        if setting.location:
            return f"{_led(order)}场景看起来是在{setting.location.zh}{'，' + told if told else ''}。"
        return f"{_led(order)}看起来{'是' if setting.time_of_day else ''}{told}。" if told else None

    def camera(self, shot: ShotFacts) -> str | None:
        return f"镜头{_words('camera')[shot.camera]}。" if shot.camera else None

    def style(self, shot: ShotFacts) -> str | None:
        style = shot.style
        if shot.is_named_by_colour:
            return None
        light = {"dark": "较暗", "bright": "明亮"}.get(style.light or "", "")
        if style.grey and not style.blank:
            return f"画面是黑白的{'，' + light if light else ''}。"
        colours = (
            f"以{joined([colour_word(name, 'zh') for name in style.colours])}为主" if style.colours else ""
        )
        told = [part for part in (light, colours) if part]
        return f"画面{'，'.join(told)}。" if told else None

    def kind(self, shot: ShotFacts) -> str | None:
        return f"画面是{_words('kind')[shot.style.kind]}。" if shot.style.kind else None

    def text(self, texts: Sequence[str], *, limit: int) -> str | None:
        if not texts:
            return None
        shown = joined([quoted(shorten(text, 10)) for text in texts[:limit]])
        return f"画面上的文字是{shown}{'等' if len(texts) > limit else ''}。"

    def speech(self, shots: Sequence[ShotFacts], *, limit: int) -> str | None:
        shown, is_all = quotes_within(
            shots, limit, lambda quote: len(quote) / 1.5 if has_han(quote) else len(quote.split())
        )
        if not shown:
            heard = any(shot.said.is_heard for shot in shots)
            return "有人在说话，但听不清内容。" if heard else None
        return f"有人说：{'，又说：'.join(shown)}{'' if is_all else '，之后还在继续说'}。"

    def sounds(self, shots: Sequence[ShotFacts], *, has_track: bool) -> str | None:
        if not has_track:
            return "视频没有音轨。"
        names = list(dict.fromkeys(sound.zh for shot in shots for sound in shot.sounds))
        if names:
            return f"可以听到{joined(names[:4])}。"
        return "没有声音。" if all(shot.is_silent for shot in shots) else None

    def people_focus(self, shot: ShotFacts, order: Order) -> str | None:
        return f"{_led(order)}{_people_clause(shot.people, shot.is_moving)}。" if shot.people else None

    def person_focus(self, person: Person, order: Order, *, sure: bool = True) -> str:
        return f"{_led(order)}{_told('有一人' if sure else '可能有一人', person)}。"

    def nobody(self, place: Place | None, colours: Sequence[str], span: TimeRange) -> str:
        worn = f"穿{joined([colour_word(name, 'zh') for name in colours])}衣服的" if colours else ""
        return f"在{_seconds(span)}之间，{_words('place')[place] if place else '画面中'}没有识别出{worn}人。"

    def things_focus(self, things: Sequence[Thing], order: Order) -> str | None:
        return f"{_led(order)}{_things_clause(things[:4])}。" if things else None

    def none_seen(self, asked: str, span: TimeRange, *, is_known: bool) -> str:
        what = shorten(asked.strip().rstrip("。？！.?!"), 8)
        shown = what if has_han(what) and len(what) <= 8 else quoted(what)
        verb = "看到" if is_known else "识别出"
        return f"在{_seconds(span)}之间没有{verb}{shown}。"

    def absent(self, kind: Absent) -> str:
        return _words("absent")[kind]

    def only_mentioned(self, asked: str, quote: str) -> str:
        return f"不过文字或语音中提到：{quoted(shorten(quote, 20))}。"

    def extent(self, facts: Facts) -> str:
        return (
            f"这一段长{facts.span.duration_s:.1f}秒，共{chinese_number(len(facts.shots))}个镜头，"
            f"为此查看了{chinese_number(facts.frames)}帧。"
        )

    def alone(self, sentence: str) -> str:
        return sentence.removeprefix(_words("order")["first"])

    def focus_name(self, kind: str) -> str:
        return _words("focus").get(kind, kind)


def _seconds(span: TimeRange) -> str:
    return f"{span.start_time:.4g}秒到{span.end_time:.4g}秒"


def _action_clause(shot: ShotFacts, *, again: bool) -> str | None:
    people = shot.people
    if shot.actions:
        who = f"{people_phrase(people)}" if people and people.sure and not again else ""
        return f"{who}看起来是在{shot.actions[0].zh}"
    moving = [thing for thing in shot.things if thing.moved]
    if moving:
        doubt = "" if moving[0].sure else "看起来像"
        return f"{doubt}{thing_phrase(moving[0])}{_words('moved')[moving[0].moved or 'nearer']}"
    if people and len(people.each) == 1 and _does(people.each[0]):
        return _people_clause(people, shot.is_moving)
    if people and people.count > 2 and (shot.is_moving or people.walking):
        return _people_clause(people, shot.is_moving)
    if people and people.sure and shot.said.is_heard:
        return f"画面中有{people_phrase(people)}，同时有人在说话"
    return None


def _subject(shot: ShotFacts, things: Sequence[Thing], *, alone: bool = True) -> str:
    unnamed = "，但无法确认其中有什么" if alone else ""
    if shot.people and not shot.people.sure and things and things[0].sure:
        return f"{_things_clause(things)}，可能还有{people_phrase(shot.people)}"
    if shot.people:
        clause = _people_clause(shot.people, shot.is_moving)
        return f"{clause}，{_having(things, '旁边有')}" if things else clause
    if things:
        return _things_clause(things)
    if shot.is_title:
        background = f"{colour_word(shot.style.colours[0], 'zh')}背景上" if shot.style.colours else "画面上"
        return f"{background}写着{joined([quoted(shorten(text, 8)) for text in shot.texts[:2]])}"
    if shot.style.blank or (shot.style.kind and not shot.setting.location):
        return f"画面是{view_words(shot.style)}"
    setting = shot.setting
    if setting.location:
        time = f"，{setting.time_of_day.zh}" if setting.time_of_day else ""
        return f"场景看起来是在{setting.location.zh}{time}{unnamed}"
    if shot.style.grey:
        return "画面是黑白的，但无法确认其中有什么"
    if shot.style.colours:
        return f"画面以{colour_word(shot.style.colours[0], 'zh')}为主，但无法确认其中有什么"
    return "无法确认画面中有什么"


def _having(things: Sequence[Thing], verb: str) -> str:
    if any(thing.sure for thing in things):
        return f"{verb}{things_phrase(things)}"
    return f"{verb.replace('有', '可能有').replace('还可能有', '可能还有')}{things_phrase(things)}"


def _those(people: People) -> str:
    return people_phrase(people) if people.sure else f"看起来像{people_phrase(people)}的身影"


def _people_clause(people: People, is_moving: bool) -> str:
    if len(people.each) != 1:
        walk = "，多数在走动" if people.walking else "，正在活动" if is_moving else ""
        stir = walk if people.count > 2 else ""
        return f"画面中{'' if people.sure else '可能'}有{people_phrase(people)}{stir}"
    person = people.each[0]
    clothes = person_clothes(person)
    if person.moved or person.posture == "walking":
        where = "" if person.moved else f"在{_words('place')[person.place]}"
        return f"{_those(people)}{where}{_walked(person)}{'，' + clothes if clothes else ''}"
    doubt = "" if people.sure else "可能"
    verb = _words("posture")[person.posture] if person.posture in _STILL else "有"
    place = "近景中" if person.area >= _CLOSE else _words("place")[person.place]
    bent = "弯着腰" if person.posture == "bending" else ""
    tail = "，".join(part for part in (bent, clothes) if part)
    return f"{place}{doubt}{verb}{people_phrase(people)}{'，' + tail if tail else ''}"


def _does(person: Person) -> str | None:
    return _walked(person) if person.moved else _words("posture").get(person.posture or "")


def _walked(person: Person) -> str:
    if not person.moved:
        return "走动"
    done = _words("moved")[person.moved]
    return done.replace("穿过", "走过") if person.posture == "walking" else done


def _told(name: str, person: Person) -> str:
    does = _does(person)
    where = "" if person.moved else f"在{_words('place')[person.place]}"
    clothes = person_clothes(person)
    return f"{name}{where}{does or ''}{'，' + clothes if clothes else ''}"


def _things_clause(things: Sequence[Thing]) -> str:
    first, rest = things[0], things[1:]
    also = f"，{_having(rest, '旁边有')}" if rest else ""
    if not first.sure or first.count > 1:
        return f"画面中{_having(things, '有')}"
    if first.moved:
        return f"{thing_phrase(first)}{_words('moved')[first.moved]}{also}"
    if first.area >= _CLOSE:
        return f"{thing_phrase(first)}占据了大部分画面{also}"
    if first.place:
        return f"{_words('place')[first.place]}有{thing_phrase(first)}{also}"
    return f"画面中{_having(things, '有')}"


def _tails(shot: ShotFacts) -> list[str]:
    tails = []
    if shot.camera and shot.camera not in ("static", "handheld"):
        tails.append(f"，镜头{_words('camera')[shot.camera]}")
    if shot.texts and not shot.is_title:
        tails.append(f"，画面上有{quoted(shorten(shot.texts[0], 8))}字样")
    return tails


def _words(kind: str) -> dict[str, str]:
    return phrases(kind, "zh")


def _led(order: Order) -> str:
    return _words("order").get(order, "")
