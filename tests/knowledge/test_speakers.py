"""Speakers of quotations: stated ones in both languages, ranked ones where the narration is silent."""

from __future__ import annotations

from vidence.knowledge.mentions import NameFinder
from vidence.knowledge.speakers import rank_speakers
from vidence.knowledge.speech import find_quotations, find_speeches

FINDER = NameFinder({name: name for name in ("李小川", "陈大海", "Anne", "Robert")})


def _speakers(text: str) -> list[str | None]:
    return [one.speaker for one in find_speeches(text, FINDER.find(text), FINDER)]


def test_a_speaker_named_before_or_after_is_stated() -> None:
    assert _speakers("李小川笑道：“我要读书。”") == ["李小川"]
    assert _speakers('"I shall come back," said Robert. "When?" asked Anne.') == ["Robert", "Anne"]


def test_two_people_take_turns() -> None:
    text = '"Come," said Anne.\n"Why?" asked Robert.\n"Because."\n"No."'
    assert _speakers(text) == ["Anne", "Robert", "Anne", "Robert"]


def test_the_name_before_a_colon_outranks_a_name_further_away() -> None:
    lines = ["陈大海坐在门口。", "李小川走过来说：", "“你在看什么？”", "陈大海没有抬头。"]
    assert rank_speakers(lines, 2, FINDER)[0][0] == "李小川"


def test_who_is_addressed_does_not_speak() -> None:
    lines = ["李小川站起来。", "“陈大海，你听我说！”", "外面下雨了。"]
    assert rank_speakers(lines, 1, FINDER)[0][0] == "李小川"


def test_nobody_around_means_no_candidate() -> None:
    assert rank_speakers(["天黑了。", "“谁？”"], 1, FINDER) == []


def test_quotations_are_found_in_every_kind_of_mark() -> None:
    text = '“一。”「二。」 "three four" ‘five six’'
    assert len(find_quotations(text)) == 4
