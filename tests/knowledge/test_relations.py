"""Relations that sentences state and what they imply, on family passages of our own."""

from __future__ import annotations

import pytest

from vidence.knowledge.build import StoryBuilder
from vidence.knowledge.kinship import Fact, agree, derive, masters
from vidence.knowledge.mentions import NameFinder
from vidence.knowledge.names_zh import count_names, select_names
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.relations import STATED, inverse_of, state
from vidence.knowledge.sources import SourceText
from vidence.store.sqlite import SqliteStore

FAMILY = """第一回　沈家旧事

    话说江南有一富户，名唤沈万年，其妻顾氏。沈万年生了两个儿子：长子沈仲文，次子沈仲武。沈仲文之妻柳氏，生得一女，名唤沈素云。
沈仲武笑道：“大哥好福气。”沈仲文道：“兄弟取笑了。”沈素云道：“二叔来了。”

    沈素云的丫鬟小翠、小玉都在廊下。小翠道：“姑娘请用茶。”小玉笑道：“姑娘，茶凉了。”沈万年道：“叫沈仲文来。”沈万年便向沈仲武道：“你也坐。”

第二回　出嫁

    沈素云嫁给了周子安。周子安是周大有的儿子。周大有道：“好一门亲事。”周子安道：“多谢父亲。”柳氏含笑看着周子安和沈素云。
周大有向周子安道：“去罢。”沈仲武和周大有吃酒，沈仲武道：“亲家请。”柳氏道：“都坐下。”沈素云道：“是。”
"""


def _said(text: str, names: list[str]) -> set[tuple[str, str, str]]:
    mentions = NameFinder({name: name for name in names}).find(text)
    found = state(text, 0, len(text), mentions, subject=None)
    return {(one.source, one.kind, one.target) for one in found if one.strength >= STATED}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("沈仲文之妻柳氏捧茶进来。", ("柳氏", "spouse", "沈仲文")),
        ("沈万年生了两个儿子：长子沈仲文，次子沈仲武。", ("沈仲武", "child", "沈万年")),
        ("周子安是周大有的儿子。", ("周子安", "child", "周大有")),
        ("沈素云的丫鬟小翠、小玉都在廊下。", ("小玉", "servant", "沈素云")),
        ("沈素云嫁给了周子安。", ("沈素云", "spouse", "周子安")),
        ("周子安去年娶了沈素云为妻。", ("沈素云", "spouse", "周子安")),
        ("沈仲文听了，便去寻他妹妹沈素云。", ("沈素云", "sibling", "沈仲文")),
        ("沈仲文和沈仲武是亲兄弟。", ("沈仲文", "sibling", "沈仲武")),
        ("柳氏所生之女名沈素云。", ("沈素云", "child", "柳氏")),
        ("周子安拜沈万年为师。", ("沈万年", "teacher", "周子安")),
        ("周大有房中小翠、小玉等众丫鬟都笑了。", ("小翠", "servant", "周大有")),
        ("周子安有个妹子，名唤小玉。", ("小玉", "sibling", "周子安")),
        ("沈万年将小翠指与了沈素云，将小玉送了柳氏。", ("小翠", "servant", "沈素云")),
        ("周大有房中小翠，小玉，小莲等众丫鬟都笑了。", ("小玉", "servant", "周大有")),
        ("周子安，娶的便是柳氏之侄女，自幼识字，名唤沈素云。", ("沈素云", "spouse", "周子安")),
        ("周子安，娶的便是柳氏之侄女，自幼识字，名唤沈素云。", ("沈素云", "nephew_niece", "柳氏")),
        ("沈仲文因去年已将胞妹沈素云许了人。", ("沈素云", "sibling", "沈仲文")),
        ("这周大有的女婿，便是沈仲文的好友沈仲武。", ("沈仲武", "child_in_law", "周大有")),
    ],
)
def test_a_chinese_sentence_states_a_relation(text: str, expected: tuple[str, str, str]) -> None:
    names = ["沈万年", "沈仲文", "沈仲武", "沈素云", "柳氏", "周子安", "周大有", "小翠", "小玉"]
    assert expected in _said(text, names)


@pytest.mark.parametrize(
    "text",
    [
        "沈素云见了他父亲，小翠便退了出去。",
        "沈万年道：“他妹妹沈素云病了。”",
        "柳氏，小翠，沈仲文之妻都来了。",
        "沈仲文媳妇小翠媳妇都进来了。",
        "沈素云姐姐，小玉来了。",
        "沈仲文正坐着纳闷，想小翠之母不知怎样。",
        "沈仲文有一妹，嫁与沈万年。",
    ],
)
def test_words_beside_each_other_state_nothing(text: str) -> None:
    assert _said(text, ["沈万年", "沈仲文", "沈素云", "柳氏", "小翠", "小玉"]) == set()


def _family(store: SqliteStore) -> StoryReader:
    builder = StoryBuilder(store, "family", embedder=None)
    builder.add(SourceText("family.txt", FAMILY))
    builder.build()
    return StoryReader(store, "family")


def test_what_statements_imply_quotes_each_of_them(store: SqliteStore) -> None:
    reader = _family(store)
    old, young = reader.resolve("沈万年"), reader.resolve("沈素云")
    [found] = [
        one
        for one in reader.graph.relations("family", [old.entity_id])
        if {one.source, one.target} == {old.entity_id, young.entity_id} and one.is_derived
    ]
    assert found.relation == ("grandparent" if found.source == old.entity_id else "grandchild")
    assert not found.is_stated
    assert len(found.quotes) >= 2
    assert all(reader.holds(quote) for quote in found.quotes)


def test_brothers_follow_from_one_father(store: SqliteStore) -> None:
    reader = _family(store)
    first, second = reader.resolve("沈仲文"), reader.resolve("沈仲武")
    kinds = {
        one.relation
        for one in reader.graph.relations("family", [first.entity_id])
        if {one.source, one.target} == {first.entity_id, second.entity_id}
    }
    assert "sibling" in kinds


def test_gender_comes_from_what_people_are_called(store: SqliteStore) -> None:
    reader = _family(store)
    assert reader.resolve("沈素云").gender == "female"
    assert reader.resolve("沈仲武").gender == "male"


def _fact(source: str, kind: str, target: str, weight: float = 5.0) -> Fact:
    return Fact(source, kind, target, weight, ((1, 0, len(source) + len(target) + int(weight)),))


def test_a_weaker_statement_that_mixes_generations_is_dropped() -> None:
    facts = [_fact("a", "parent", "b", 9), _fact("b", "parent", "c", 8), _fact("c", "sibling", "a", 3)]
    kept, _ = agree(facts, {})
    assert [(one.source, one.target) for one in kept] == [("a", "b"), ("b", "c")]


def test_nobody_has_two_fathers() -> None:
    facts = [_fact("a", "parent", "c", 9), _fact("b", "parent", "c", 5)]
    kept, _ = agree(facts, {"a": "male", "b": "male"})
    assert [one.source for one in kept] == ["a"]


def test_in_laws_uncles_and_cousins_are_derived() -> None:
    facts = [
        _fact("grandfather", "parent", "father"), _fact("grandfather", "parent", "uncle", 6),
        _fact("father", "parent", "child", 7), _fact("wife", "spouse", "father", 8),
        _fact("uncle", "parent", "cousin", 9),
    ]  # fmt: skip
    gender = {"grandfather": "male", "father": "male", "wife": "female", "uncle": "male"}
    found = {(one.source, one.kind, one.target) for one in derive(facts, gender)}
    assert ("wife", "parent", "child") in found
    assert ("wife", "child_in_law", "grandfather") in found
    assert ("uncle", "uncle_aunt", "child") in found
    assert ("cousin", "cousin", "child") in found


def test_a_wifes_concubine_is_her_husbands() -> None:
    facts = [_fact("maid", "concubine", "wife"), _fact("wife", "spouse", "husband", 6)]
    found = {(one.source, one.kind, one.target) for one in derive(facts, {"wife": "female"})}
    assert ("maid", "concubine", "husband") in found


CALLED = """第一回　秦家

    话说这秦大有原是个财主。秦伯安忙上前陪笑道：“母亲不必生气。”范老太太道：“你还知道有我！”秦伯安向范老太太道：“母亲如此说，儿子如何当得起？”
范老太太冷笑道：“罢了。”秦伯安又向范老太太道：“母亲请坐。”范老太太道：“坐下罢。”秦伯安向范老太太说道：“母亲放心。”

    石家的三个好汉，石小二、石小五都来了。石小二道：“走！”石小五道：“走！”石小二笑道：“请。”石小五道：“好。”石小二对石小五道：“去罢。”
徐贵家的忙笑道：“奶奶来了。”徐贵道：“来了。”徐贵家的道：“徐贵，快来！”徐贵笑道：“是了。”徐贵便道：“走。”徐贵又笑道：“好。”徐贵家的说道：“就来。”

第二回　裴家

    且说裴绍，字仲明，乃是裴老爷独子。裴绍道：“仲明在此。”裴仲明笑道：“请坐。”裴绍道：“请。”仲明道：“不敢。”裴仲明道：“请。”仲明笑道：“请。”
这孟氏生了时，父母欢喜，因取名为孟秋兰。孟秋兰道：“请。”孟氏笑道：“请。”孟秋兰笑道：“坐。”孟氏道：“是。”孟秋兰道：“好。”
"""


def _kinds(reader: StoryReader, one: str, other: str) -> set[str]:
    first, second = reader.resolve(one), reader.resolve(other)
    return {
        row.relation if row.source == first.entity_id else inverse_of(row.relation)
        for row in reader.graph.relations("called", [first.entity_id])
        if {row.source, row.target} == {first.entity_id, second.entity_id}
    }


def test_what_people_call_each_other_and_their_names_tell_of_families(store: SqliteStore) -> None:
    builder = StoryBuilder(store, "called", embedder=None)
    builder.add(SourceText("called.txt", CALLED))
    builder.build()
    reader = StoryReader(store, "called")
    assert "parent" in _kinds(reader, "范老太太", "秦伯安")
    assert "sibling" in _kinds(reader, "石小二", "石小五")
    assert "spouse" in _kinds(reader, "徐贵家的", "徐贵")
    assert reader.resolve("裴绍") == reader.resolve("仲明") == reader.resolve("裴仲明")
    assert reader.resolve("孟氏") == reader.resolve("孟秋兰")


def test_a_master_is_found_for_whom_lists_show_among_servants() -> None:
    served = {"m1": "lady", "m2": "lady", "m3": "lord"}
    listed = {("m1", "m4"): 3, ("m2", "m4"): 2, ("lady", "lord"): 9}
    met = {("lady", "m4"): 8, ("lord", "m4"): 1, ("lady", "m1"): 9, ("lord", "m3"): 9}
    assert masters(served, listed, met) == {"m4": "lady"}


def test_names_that_only_servants_have_are_found_in_lists() -> None:
    text = (
        "沈素云道：“来。”" * 4 + "小翠笑道：“是。”" * 4 + "小玉道：“去。”" * 4
        + "丫鬟碧桃，小翠，小玉等都来了。沈素云叫碧桃，又向碧桃道：“坐。”小翠见碧桃来了，便和碧桃说话。"
        "小翠、碧桃、小玉等退下。"
    )  # fmt: skip
    assert {"碧桃", "小翠", "小玉", "沈素云"} <= select_names([count_names(text)]).keys()


def test_characters_that_look_like_marks_are_text() -> None:
    text = "\ue005沈仲文之妻柳氏\ue000进来，\uf8ff之妻\ue001哭了。"
    assert _said(text, ["沈仲文", "柳氏"]) == {("柳氏", "spouse", "沈仲文")}
