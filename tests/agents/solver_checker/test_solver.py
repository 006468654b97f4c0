from __future__ import annotations

from vidence.agents.solver_checker.solver import fit_history
from vidence.llm.facts import count_text
from vidence.schema.message import EncodedPicture, Message


def talk(*texts: str, pictures: int = 0) -> list[Message]:
    shown = tuple(EncodedPicture(data=b"\xff\xd8") for _ in range(pictures))
    turns = [
        Message(role="user" if n % 2 else "assistant", text=text, pictures=shown)
        for n, text in enumerate(texts)
    ]
    return [Message(role="system", text="be good"), *turns[1:]]


def test_what_fits_stays_as_it_is() -> None:
    messages = talk("", "question", "thought", "news")
    assert fit_history(messages, 10_000) == tuple(messages)


def test_old_pictures_go_before_words() -> None:
    kept = fit_history(talk("", "question", "thought", "news", pictures=3), 4000)
    assert [len(message.pictures) for message in kept] == [0, 0, 0, 3]
    assert [message.text for message in kept] == ["be good", "question", "thought", "news"]


def test_old_news_is_shortened_and_question_and_newest_stay_whole() -> None:
    long = "word " * 2000
    kept = fit_history(talk("", "question " + long, "thought", long, "thought", long), 8_200)
    assert kept[1].text == "question " + long
    assert kept[-1].text == long
    assert kept[3].text.endswith("left out to save room)")
    assert sum(count_text(message.text) for message in kept) < 6150
