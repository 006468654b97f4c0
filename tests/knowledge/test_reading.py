"""Who is mentioned, who speaks and what happens, read by our models from passages of our own."""

from __future__ import annotations

import numpy as np
import pytest

from tests.knowledge.stories import MILL
from vidence.knowledge.analysis import analyse
from vidence.knowledge.coreference import FEATURES, Cluster, cluster_features, describe, link
from vidence.knowledge.mentions import NameFinder
from vidence.knowledge.reading import Reading, people_models, read_english, split_words
from vidence.knowledge.speakers_en import SPEAKER_FEATURES, speaker_features
from vidence.knowledge.speech import find_quotations
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.text.tagger import Sentence, StoryTagger, TaggedMention, open_tagger, word_flags
from vidence.models.text.use import build
from vidence.settings import load_settings

SCENE = """Margaret Hale walked slowly down the long road to the village. She carried a basket, for her mother
was ill.

"Good morning," said Mr. Thorne, the old blacksmith. He put down his hammer. "You look tired, Miss Hale."

"My mother is worse," she replied. "I must find the doctor."

Mr. Thorne took his hat and went with her. The doctor lived in a white house near the church."""


@pytest.fixture(scope="module")
def tagger() -> StoryTagger:
    try:
        found = open_tagger(build(ModelContext(ModelCache(load_settings().model_home))))
    except MissingModel as exc:
        pytest.skip(str(exc))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def scene(tagger: StoryTagger) -> Reading:
    return read_english(SCENE, tagger, find_quotations(SCENE))


def _texts(reading: Reading, cluster: Cluster) -> set[str]:
    spans = [reading.span(one.start, one.end) for one in cluster.members]
    return {reading.text[start:end] for start, end in spans}


def _with(reading: Reading, words: str) -> Cluster:
    return next(one for one in reading.clusters if words in _texts(reading, one))


def test_words_keep_their_place_in_the_text() -> None:
    text = "Mr. Grey didn't see Anne's mother-in-law. “Well,” he said."
    sentences = split_words(text)
    words = [word for one in sentences for word in one.words]
    assert words == [
        "Mr.", "Grey", "did", "n't", "see", "Anne", "'s", "mother-in-law", ".",
        "“", "Well", ",", "”", "he", "said", ".",
    ]  # fmt: skip
    assert all(text[a:z] == w for one in sentences for w, (a, z) in zip(one.words, one.spans, strict=True))


def test_a_sentence_without_an_end_is_read_in_parts() -> None:
    sentences = split_words("and so on " * 5000)
    assert max(len(one.words) for one in sentences) <= 200
    assert sum(len(one.words) for one in sentences) == 15000


def test_names_nouns_and_pronouns_are_mentions(scene: Reading) -> None:
    found = {scene.text[slice(*scene.span(one.start, one.end))]: one.kind for one in scene.tagged.mentions}
    assert found["Margaret Hale"] == "PER"
    assert found["her mother"] == "PER"
    assert found["the village"] in ("GPE", "FAC", "LOC")
    assert "the old blacksmith" in found or "Mr. Thorne , the old blacksmith" in found


def test_pronouns_join_whom_they_mean(scene: Reading) -> None:
    assert "She" in _texts(scene, _with(scene, "Margaret Hale"))
    assert "He" in _texts(scene, _with(scene, "Mr. Thorne"))


def test_speakers_are_told_by_verbs_and_turns(scene: Reading) -> None:
    names = scene.names({"Margaret Hale", "Mr. Thorne", "Miss Hale"})
    said = [names[speaker] if speaker is not None else None for speaker in scene.speakers]
    assert said[0] == said[1] == "Mr. Thorne"
    assert said[2] == said[3]
    assert said[2] != "Mr. Thorne"


def test_events_are_words_that_tell_what_happens(scene: Reading) -> None:
    told = {scene.text[start:end] for start, end in scene.events()}
    assert {"walked", "said", "took", "went"} <= told
    assert "lived" not in told or "is" not in told


def test_an_analysis_has_speakers_events_and_places_of_the_models(tagger: StoryTagger) -> None:
    finder = NameFinder({name: name for name in ("Margaret Hale", "Mr. Thorne", "Miss Hale")})
    found = analyse(SCENE, finder.find(SCENE), finder, tagger)
    assert [one.speaker for one in found.speeches[:2]] == ["Mr. Thorne", "Mr. Thorne"]
    assert found.speeches[2].speaker in ("Margaret Hale", "Miss Hale", None)
    assert any("Mr. Thorne" in one.people and one.what in ("took", "went") for one in found.events)
    assert any(one.place for one in found.events)


def test_the_same_text_is_read_the_same_way(tagger: StoryTagger) -> None:
    quotations = find_quotations(MILL)
    first, second = (read_english(MILL, tagger, quotations) for _ in range(2))
    assert first.tagged == second.tagged
    assert first.speakers == second.speakers


def test_a_sentence_is_tagged_alike_alone_and_in_company(tagger: StoryTagger) -> None:
    one = Sentence(("He", "gave", "the", "boy", "a", "book", "."), ())
    other = Sentence(("She", "left", "."), ())
    alone = [each.kind for each in tagger.tag([one, other]).mentions if each.end <= 7]
    many = [each.kind for each in tagger.tag([one, other, other, other]).mentions if each.end <= 7]
    assert alone == many


def test_text_without_words_is_read_as_nothing(tagger: StoryTagger) -> None:
    empty = read_english("\n\n", tagger, [])
    assert empty.clusters == ()
    assert empty.tagged.mentions == ()


def test_only_our_encoder_gives_a_tagger() -> None:
    assert open_tagger(None) is None


def test_features_have_the_length_that_the_weights_expect() -> None:
    sentences = [Sentence(("Anne", "saw", "him", "."), ())]
    mentions = describe(sentences, [TaggedMention(0, 1, "PER"), TaggedMention(2, 3, "PER")], [])
    coreference, speech = people_models()
    cluster = Cluster()
    cluster.add(mentions[0])
    assert len(cluster_features(mentions[1], cluster, 1)) == FEATURES == coreference[0].shape[0]
    assert len(cluster_features(mentions[1], None, 1)) == FEATURES
    rows = speaker_features(sentences[0].words, [(3, 4)], 0, [cluster], [])
    assert {len(row) for row in rows.values()} == {SPEAKER_FEATURES} == {speech[0].shape[0]}


def test_the_same_name_is_one_person_and_genders_stay_apart() -> None:
    words = ("Anne", "met", "Robert", ".", "Anne", "smiled", "and", "he", "bowed", "to", "Anne", ".")
    places = {"Anne": (0, 4, 10), "Robert": (2,), "he": (7,)}
    mentions = describe(
        [Sentence(words, ())], [TaggedMention(at, at + 1, "PER") for row in places.values() for at in row], []
    )
    clusters = [
        {words[one.start] for one in cluster.members} for cluster in link(mentions, people_models()[0])
    ]
    assert {"Anne"} in clusters
    assert {"Robert", "he"} in clusters


def test_flags_tell_capitals_and_quotations() -> None:
    flags = word_flags([("“", "Go", "”", "said", "Anne")])
    assert flags.shape == (5, 15)
    assert flags[1, 9] == 1
    assert flags[4, 9] == 0
    assert np.array_equal(flags[:, 0], [0, 1, 0, 0, 1])
