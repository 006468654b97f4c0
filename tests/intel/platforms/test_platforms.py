"""Every platform gives pages in one shape, and tells what it could not read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.intel.site import Answer, Route, Site, article, loopback_fetcher, serve
from vidence.app.workspace import open_workspace
from vidence.errors import FileProblem, UserError, VidenceError
from vidence.intel.library import Library
from vidence.intel.platforms.catalogue import PLATFORMS, open_platform, platform_of
from vidence.intel.platforms.protocol import Found, Platform, PlatformContext
from vidence.intel.sources import TopicSources
from vidence.intel.web.crawler import Crawler
from vidence.knowledge.chapters import split_chapters
from vidence.knowledge.sources import read_document
from vidence.schema.topics import FailedSource, Page
from vidence.store.stories import Stories

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>R1 is out</title><link>https://x.org/r1</link><pubDate>Mon, 20 Jan 2025 08:00:00 GMT</pubDate>
<description>&lt;p&gt;DeepSeek released its R1 model under the MIT licence.&lt;/p&gt;</description></item>
<item><title>降价</title><link>https://x.org/price</link><description>深度求索宣布接口降价。</description></item>
</channel></rss>"""
PAGE = article(
    "R1", "DeepSeek released its R1 model on 20 January 2025 under the MIT licence.", day="2025-01-20"
)
ROUTES: dict[str, Route] = {
    "/robots.txt": Answer(status=404),
    "/rss": Answer(RSS, kind="application/rss+xml"),
    "/r1": PAGE,
    "/gone": Answer(status=410),
    "/not-a-feed": Answer("hello", kind="text/plain"),
}


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(dict(ROUTES)) as running:
        running.routes["/sitemap.xml"] = Answer(
            f"<urlset><url><loc>{running.address}/r1</loc><lastmod>2025-01-21</lastmod></url>"
            f"<url><loc>{running.address}/gone</loc></url></urlset>",
            kind="application/xml",
        )
        running.routes["/search"] = Answer(
            json.dumps(
                {"results": [{"url": f"{running.address}/r1", "title": "R1"}, {"url": "file:///etc/passwd"}]}
            ),
            kind="application/json",
        )
        running.routes["/wechat/mp/msgalbum/biz1"] = ROUTES["/rss"]
        yield running


@pytest.fixture
def stories(tmp_path: Path) -> Iterator[Stories]:
    """A workspace with one story of two documents."""
    with open_workspace(home=tmp_path / "home") as workspace:
        workspace.store.stories.begin("lab")
        for name, text in (("one", "Anne wrote the first model."), ("two", "Bob saw the R1 model.")):
            (tmp_path / f"{name}.txt").write_text(text)
            document = read_document(tmp_path / f"{name}.txt")
            workspace.store.stories.replace_document("lab", document.name, split_chapters(document))
        yield workspace.store.stories


def context(site: Site | None = None, stories: Stories | None = None) -> PlatformContext:
    crawler = Crawler(loopback_fetcher(timeout_s=5), sleep=lambda _: None)
    options = {"mine": {"address": f"{site.address}/search?q={{query}}"}} if site else {}
    return PlatformContext(
        crawler,
        rsshub=site.address if site else "",
        search_videos=lambda query, limit: [
            Page(url="video:vid_1", title="talk.mp4", text="We spoke of R1.")
        ],
        stories=stories,
        options=options,
    )


def pages(found: Iterator[Found]) -> list[Page]:
    return [one[0] for one in found if not isinstance(one, FailedSource)]


def find(platform: Platform, **known: str) -> Iterator[Found]:
    return platform.find("R1", since=None, limit=10, known=known)


def make_warc(path: Path) -> Path:
    body = PAGE.body.encode() if isinstance(PAGE.body, str) else PAGE.body
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://x.org/r1\r\n"
        "WARC-Date: 2025-01-22T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    path.write_bytes(gzip.compress(head.encode() + http + b"\r\n\r\n"))
    return path


@pytest.mark.parametrize(
    "kind", ["folder", "feed", "sitemap", "searxng", "api", "videos", "stories", "warc", "wechat"]
)
def test_a_platform_finds_pages_with_an_address(
    kind: str, site: Site, tmp_path: Path, stories: Stories
) -> None:
    (tmp_path / "note.md").write_text("# R1\n\nDeepSeek released R1.")
    sources = {
        "folder": str(tmp_path),
        "feed": f"feed:{site.address}/rss",
        "sitemap": f"{site.address}/sitemap.xml",
        "searxng": f"searxng:{site.address}",
        "api": "api:mine",
        "videos": "videos:",
        "stories": "stories:",
        "warc": str(make_warc(tmp_path / "web.warc.gz") if kind == "warc" else ""),
        "wechat": "wechat:biz1",
    }
    platform = open_platform(sources[kind], context(site, stories))
    assert isinstance(platform, Platform)
    found = pages(find(platform))
    assert found
    assert all(page.url for page in found)
    assert not any(page.url == "file:///etc/passwd" for page in found)
    if platform.is_collection:
        assert all(page.text for page in found)


def test_a_feed_gives_date_and_text_and_keeps_what_it_forgot(site: Site) -> None:
    platform = open_platform(f"{site.address}/rss", context())
    first, second = pages(find(platform))
    assert (first.published, first.title) == (date(2025, 1, 20), "R1 is out")
    assert "MIT licence" in first.text
    assert second.language == "zh"
    older = pages(find(platform, **{"https://x.org/old": "stamp"}))
    assert older[0].url == "https://x.org/old"


def test_what_is_no_feed_says_so(site: Site) -> None:
    with pytest.raises(VidenceError, match="no feed"):
        list(find(open_platform(f"feed:{site.address}/not-a-feed", context())))


def test_a_sitemap_names_the_pages_it_could_not_read(site: Site) -> None:
    found = list(find(open_platform(f"sitemap:{site.address}/sitemap.xml", context())))
    failed = [one for one in found if isinstance(one, FailedSource)]
    assert [one.source for one in failed] == [f"{site.address}/gone"]
    unchanged = open_platform(f"sitemap:{site.address}/sitemap.xml", context())
    again = pages(find(unchanged, **{f"{site.address}/r1": "lastmod:2025-01-21"}))
    assert again[0].text == ""


def test_an_export_is_read_instead_of_a_login(tmp_path: Path) -> None:
    path = tmp_path / "zhihu.json"
    path.write_text('[{"标题": "R1", "正文": "深度求索发布了新模型。"}]', encoding="utf-8")
    [page] = pages(find(open_platform(f"zhihu:{path}", context())))
    assert (page.platform, page.title) == ("zhihu", "R1")
    with pytest.raises(UserError, match="RSSHub"):
        open_platform("douyin:someone", context())


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("https://x.org/feed.xml", "feed"),
        ("https://x.org/sitemap.xml", "sitemap"),
        ("archive.warc.gz", "warc"),
        ("wiki.zim", "zim"),
        ("notes/", "folder"),
        ("searxng:https://s.org", "searxng"),
    ],
)
def test_a_source_leads_to_its_platform(source: str, name: str) -> None:
    assert platform_of(source)[0] == name
    assert name in PLATFORMS


def test_a_story_is_named_and_a_chapter_that_did_not_change_is_not_read_again(stories: Stories) -> None:
    platform = open_platform("stories:lab", context(stories=stories))
    found = [one for one in find(platform) if not isinstance(one, FailedSource)]
    assert [page.title for page, _ in found] == ["lab · one", "lab · two"]
    known = {page.url: stamp for page, stamp in found}
    assert not any(page.text for page in pages(platform.find("", since=None, limit=0, known=known)))
    with pytest.raises(UserError, match="Unknown story 'labs'"):
        pages(find(open_platform("stories:labs", context(stories=stories))))


def test_a_zim_file_without_its_reader_says_what_to_install(tmp_path: Path) -> None:
    if find_spec("libzim") is not None:
        pytest.skip("libzim is installed here")
    (tmp_path / "wiki.zim").write_bytes(b"ZIM")
    with pytest.raises(VidenceError, match="pip install libzim"):
        pages(find(open_platform(str(tmp_path / "wiki.zim"), context())))
    with pytest.raises(FileProblem, match="cannot be read"):
        pages(find(open_platform(str(tmp_path / "none.zim"), context())))


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_zim_file_is_searched_and_its_articles_are_read(tmp_path: Path, is_indexed: bool) -> None:
    writer = pytest.importorskip(
        "libzim.writer", reason="libzim (GPL-3) is not installed: ZIM files are not tested here"
    )

    class Article(writer.Item):  # type: ignore[name-defined,misc]
        def __init__(self, path: str, title: str, text: str) -> None:
            super().__init__()
            self._path, self._title, self._text = path, title, text

        def get_path(self) -> str:
            return self._path

        def get_title(self) -> str:
            return self._title

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> object:
            html = f"<html><head><title>{self._title}</title></head><body><p>{self._text}</p></body></html>"
            return writer.StringProvider(html)

        def get_hints(self) -> dict[object, bool]:
            return {writer.Hint.FRONT_ARTICLE: True}

    path = tmp_path / "wiki.zim"
    creator = writer.Creator(path)
    if is_indexed:
        creator.config_indexing(True, "eng")
    with creator:
        creator.set_mainpath("A/R1")
        creator.add_item(Article("A/R1", "DeepSeek R1", "DeepSeek released its R1 model in January 2025."))
        creator.add_item(Article("A/Rose", "Rose", "A rose is a woody plant that flowers in summer."))
        creator.add_redirection("A/Seek", "Seek", "A/R1", {writer.Hint.FRONT_ARTICLE: True})
        creator.add_metadata("Language", "eng")
    asked = context()
    with open_workspace(home=tmp_path / "home") as workspace:
        sources = TopicSources([str(path)], Library(workspace.store.topics), asked.crawler, asked)
        # No article holds all of these words.
        searched = sources.search("DeepSeek announced launched lawsuit")
        assert [one.title for one in searched.found] == ["DeepSeek R1"]
        assert "R1 model" in sources.scrape(searched.found[0].url).text
    path.write_bytes(b"no archive at all")
    with pytest.raises(FileProblem, match="damaged"):
        pages(find(open_platform(str(path), asked)))
