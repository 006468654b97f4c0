"""Documents are read in any common format and encoding; what is no text is refused with a clear word."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from vidence.errors import FileProblem, UserError
from vidence.knowledge.sources import expand_folder, read_document

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
PACKAGE = (
    '<package><manifest><item id="b" href="b.xhtml"/><item id="a" href="a.xhtml"/></manifest>'
    '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
)


def test_encodings_are_detected(tmp_path: Path) -> None:
    text = "第一回　渔夫得子\n话说江边有一渔夫，名唤李长水，他每天打鱼为生，日子过得很好。\n"
    for encoding in ("utf-8", "utf-8-sig", "gb18030", "utf-16"):
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes(text.encode(encoding))
        assert read_document(path).text.strip() == text.strip(), encoding


def test_an_epub_is_read_in_the_order_of_its_spine(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("OEBPS/book.opf", PACKAGE)
        book.writestr(
            "OEBPS/a.xhtml",
            "<html><head><title>x</title></head><h1>Chapter 1</h1><p>First &amp; best.</p></html>",
        )
        book.writestr("OEBPS/b.xhtml", "<html><h1>Chapter 2</h1><p>Second.</p><script>no()</script></html>")
    text = read_document(path).text
    assert text.index("First & best.") < text.index("Chapter 2") < text.index("Second.")
    assert "no()" not in text


def test_subtitles_keep_their_times(tmp_path: Path) -> None:
    path = tmp_path / "one.srt"
    path.write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nHello there.\n\n2\n00:01:00,500 --> 00:01:02,000\nAnna left.\n"
    )
    document = read_document(path)
    assert document.kind == "subtitles"
    assert [one.time_s for one in document.moments] == [1.0, 60.5]
    assert document.text[document.moments[1].offset :].startswith("Anna left.")


@pytest.mark.parametrize(
    ("name", "data"), [("empty.txt", b""), ("blank.txt", b" \n\n"), ("no.epub", b"PK no zip")]
)
def test_what_holds_no_text_is_refused(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=name):
        read_document(tmp_path / name)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="does not exist"):
        read_document(tmp_path / "none.txt")


def test_a_folder_gives_its_texts_in_natural_order(tmp_path: Path) -> None:
    for name in ("chapter10.txt", "chapter2.txt", "notes.pdf"):
        (tmp_path / name).write_text("words")
    assert [path.name for path in expand_folder(tmp_path)] == ["chapter2.txt", "chapter10.txt"]
