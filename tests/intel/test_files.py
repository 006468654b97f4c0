"""Files as pages."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from pathlib import Path

import pytest

from vidence.errors import FileProblem
from vidence.intel.files import read_file
from vidence.schema.topics import Page


def one(path: Path) -> Page:
    [page] = read_file(path)
    return page


def test_markdown_takes_title_date_and_address_from_its_head(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("---\ntitle: On R1\ndate: 2025-01-20\nurl: https://x.org/r1\n---\n# R1\n\nIt is out.\n")
    page = one(path)
    assert (page.title, page.published, page.url) == ("On R1", date(2025, 1, 20), "https://x.org/r1")
    assert "title:" not in page.text


def test_html_loses_its_menu_and_keeps_author_and_date(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<html><head><title>R1</title><meta name=author content='Jane Roe'>"
        "<meta property='article:published_time' content='2025-01-20'></head><body><nav>Home About</nav>"
        "<article><p>DeepSeek released its R1 model on Monday under the MIT licence, it said.</p>"
        "<p>The model costs a fraction of the price of its rivals, the company added.</p></article></body>"
    )
    page = one(path)
    assert page.published == date(2025, 1, 20)
    assert page.author == "Jane Roe"
    assert "MIT licence" in page.text
    assert "Home About" not in page.text


def test_docx_gives_its_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "memo.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "word/document.xml", "<w:p><w:t>First &amp; last.</w:t></w:p><w:p><w:t>Second.</w:t></w:p>"
        )
        archive.writestr(
            "docProps/core.xml",
            "<c><dc:title>Memo</dc:title><dcterms:modified>2024-05-01</dcterms:modified></c>",
        )
    page = one(path)
    assert page.text.splitlines() == ["First & last.", "Second."]
    assert (page.title, page.published) == ("Memo", date(2024, 5, 1))


def test_an_export_gives_one_page_for_each_record_in_either_language(tmp_path: Path) -> None:
    path = tmp_path / "wechat.jsonl"
    path.write_text(
        '{"标题": "新模型", "正文": "深度求索发布了新模型。", "发布时间": "2025-01-20 08:00",'
        ' "公众号": "科技日报"}\n'
        "not json\n"
        '{"title": "R1", "content": "<p>It is out.</p>", "url": "https://x.org/1"}\n',
        encoding="utf-8",
    )
    first, second = read_file(path)
    assert (first.title, first.author, first.published) == ("新模型", "科技日报", date(2025, 1, 20))
    assert first.language == "zh"
    assert (second.url, second.text.strip()) == ("https://x.org/1", "It is out.")


def test_old_chinese_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("深度求索发布新模型。".encode("gb18030"))
    assert one(path).text == "深度求索发布新模型。"


@pytest.mark.parametrize(
    ("name", "body"), [("a.pdf", b"%PDF-1.4 nothing"), ("a.docx", b"no zip"), ("a.json", b"{")]
)
def test_a_damaged_file_says_so(tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(FileProblem, match=name.partition(".")[0]):
        list(read_file(tmp_path / name))


def test_a_docx_that_unpacks_to_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vidence.intel.files._MAX_UNPACKED", 1000)
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "x" * 5000)
    (tmp_path / "bomb.docx").write_bytes(body.getvalue())
    with pytest.raises(FileProblem, match="unpacks"):
        list(read_file(tmp_path / "bomb.docx"))


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("What is Ownership? - The Book", "The Book", "What is Ownership?"),
        ("Appendix - The Book", "Keyboard shortcuts", "Appendix"),
        ("A long day | Daily News", "A long day", "A long day"),
        ("A long day", "A long day in Paris", "A long day in Paris"),
    ],
)
def test_a_page_is_not_called_by_its_site_or_its_menu(
    tmp_path: Path, title: str, heading: str, expected: str
) -> None:
    body = "The rules of the house say how long each guest may stay and what is owed. " * 8
    path = tmp_path / "a.html"
    path.write_text(
        f"<html><head><title>{title}</title></head><body><h1>{heading}</h1><p>{body}</p></body></html>"
    )
    [page] = read_file(path)
    assert page.title == expected


def test_a_year_in_the_text_of_a_page_does_not_date_it(tmp_path: Path) -> None:
    body = "The edition of 2018 was followed by the edition of 2024 in this language. " * 8
    path = tmp_path / "a.html"
    path.write_text(f"<html><head><title>Editions</title></head><body><p>{body}</p></body></html>")
    [page] = read_file(path)
    assert page.published is None
