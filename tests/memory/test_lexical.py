"""Words count in their context, for the person they are about, and lead on to subjects."""

from __future__ import annotations

import numpy as np

from vidence.language.tokens import index_text, term_id
from vidence.memory.bm25 import InvertedIndex
from vidence.memory.documents import Document, DocumentTable
from vidence.memory.lexical import SubjectLinks, attribute, score_words


def _indexed(*documents: Document) -> tuple[InvertedIndex, DocumentTable, SubjectLinks]:
    index, table, links = InvertedIndex(), DocumentTable(), SubjectLinks()
    for document in documents:
        index.add(index_text(document.text, subject=document.subject or ""))
        links.add(table.add(document), document.subject)
    return index, table, links


def test_a_word_counts_less_the_further_it_is_and_not_in_other_groups() -> None:
    index, table, _ = _indexed(
        *(Document(text, group="a") for text in ("we met a violinist", "really", "yes", "fine", "good")),
        Document("elsewhere", group="b"),
    )
    scores = score_words(index, table, [term_id("violinist")]).scores.tolist()
    assert scores[0] > scores[1] > scores[2] > scores[3] == scores[4] == scores[5] == 0


def test_what_i_say_of_myself_is_mine_and_what_you_say_of_me_too() -> None:
    index, table, _ = _indexed(
        Document("I bought a violin", speaker="Anna", group="a"),
        Document("You bought a violin!", speaker="Ben", group="b"),
    )
    asked = [term_id("violin")]
    anna, ben = (attribute(index, table, asked, table.speaker_number(name)) for name in ("Anna", "Ben"))
    assert anna.mine > 0 == anna.others
    assert ben.mine == 0 < ben.others
    assert anna.share > 0.5 > ben.share


def test_a_text_whose_subject_the_best_text_mentions_gains() -> None:
    index, table, links = _indexed(
        Document("The film was directed by Maria Oldtown"),
        Document("Born in Lisbon in 1950", subject="Maria Oldtown"),
        Document("Born in Madrid in 1960", subject="Pedro Newtown"),
    )
    asked = [term_id("film"), term_id("director")]
    scores = score_words(index, table, asked).scores
    gained = links.bonus(index, asked, scores).tolist()
    assert gained[1] > 0 == gained[0] == gained[2]
    again = SubjectLinks()
    again.fill(links.to_arrays())
    assert again.bonus(index, asked, scores).tolist() == gained
    assert not SubjectLinks().bonus(index, asked, scores).any()
    assert not links.bonus(index, asked, np.zeros(3, np.float32)).any()
