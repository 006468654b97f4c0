"""The language of subtitles, told by their words."""

from __future__ import annotations

import pytest

from vidence.index.subtitles.identify import guess_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What are you doing with that?", "en"),
        ("Non so cosa fare, ma sono in casa a dormire.", "it"),
        ("Ik weet het niet, wat is er in de kamer?", "nl"),
        ("Je ne sais pas ce que vous faites dans la maison.", "fr"),
        ("No sé qué hacer con los niños en la casa.", "es"),
        ("Ich weiß nicht, was das ist.", "de"),
        ("Eu não sei o que você está fazendo com isso.", "pt"),
        ("Это русский текст", "ru"),
        ("Ok!", None),
    ],
)
def test_little_words_tell_the_language(text: str, language: str | None) -> None:
    assert guess_language(text) == language
