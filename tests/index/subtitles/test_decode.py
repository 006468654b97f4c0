"""Bytes to text: marks, UTF-16 without a mark, damaged UTF-8, older encodings, and what is no text."""

from __future__ import annotations

import codecs

import pytest

from vidence.index.subtitles.identify import decode_text, guess_language, language_code

CHINESE = "我们明天去北京，你要不要来？这个人是中国来的。"
ENGLISH = "What are you doing with that?"


@pytest.mark.parametrize("text", [CHINESE, ENGLISH, ""])
def test_plain_utf8_is_read_as_it_is(text: str) -> None:
    assert decode_text(text.encode()) == text


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_mark_names_the_encoding_and_is_left_out(mark: bytes, encoding: str) -> None:
    assert decode_text(mark + CHINESE.encode(encoding)) == CHINESE


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_told_by_the_side_of_its_zero_bytes(encoding: str) -> None:
    assert decode_text(ENGLISH.encode(encoding)) == ENGLISH


def test_a_few_bad_bytes_do_not_make_utf8_another_encoding() -> None:
    data = (CHINESE * 5).encode()
    cut = decode_text(data[:-1])
    assert cut is not None
    assert cut.startswith(CHINESE)
    assert cut.endswith("\ufffd")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", CHINESE),
        ("big5", "我們明天去台北，你要不要來？這個人是中國來的。"),
        ("shift_jis", "これはテストです。あなたはどこにいますか。"),
        ("euc_kr", "안녕하세요. 이것은 자막입니다. 그는 어디에 있나요?"),
        ("cp1251", "Это русский текст, и он не очень длинный."),
        ("cp1252", "Où êtes-vous allé hier ? Déjà vu !"),
    ],
)
def test_older_encodings_are_told_by_their_usual_characters(encoding: str, text: str) -> None:
    assert decode_text(text.encode(encoding)) == text


def test_binary_data_is_no_text() -> None:
    assert decode_text(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4) is None


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("zh-CN", "zh"),
        ("ZH_tw", "zh"),
        ("cht", "zh"),
        ("eng", "en"),
        ("English", "en"),
        ("pt-BR", "pt"),
        ("fre.sdh", "fr"),
        ("sv", "sv"),
        ("director", None),
        ("2", None),
    ],
)
def test_a_file_name_names_its_language(tag: str, code: str | None) -> None:
    assert language_code(tag) == code


def test_a_language_needs_two_little_words_and_a_clear_lead() -> None:
    assert guess_language("the dog") is None
    assert guess_language("the dog is here") == "en"
    assert guess_language("que de") is None, "Spanish and Portuguese share these words"


def test_japanese_is_told_by_its_syllables_among_chinese_characters() -> None:
    assert guess_language("東京都渋谷区の天気は晴れ") == "ja"
    assert guess_language("东京都涩谷区天气晴") == "zh"
