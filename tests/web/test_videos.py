"""The library over HTTP: videos, files in ranges, pictures, lanes, transcripts and reports."""

from __future__ import annotations

from pathlib import Path

from tests.app.conftest import make_sign
from tests.web.conftest import Served


def test_the_library_is_paged_and_filtered_by_name(served: Served, bakery: str) -> None:
    page = served.get("/api/videos?limit=1").json()
    assert (page["total"], page["items"][0]["video_id"]) == (1, bakery)
    assert page["items"][0]["is_indexed"] is True
    assert served.get("/api/videos?offset=1").json()["items"] == []
    assert served.get("/api/videos?query=BAKE").json()["total"] == 1
    assert served.get("/api/videos?query=100%25").json()["total"] == 0


def test_a_part_of_a_file_is_answered(served: Served, bakery: str) -> None:
    whole = served.get(f"/api/videos/{bakery}/file").body
    part = served.get(f"/api/videos/{bakery}/file", range="bytes=10-19")
    assert (part.status, part.body) == (206, whole[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole)}"
    assert served.get(f"/api/videos/{bakery}/file", range=f"bytes={len(whole)}-").status == 416


def test_pictures_are_jpegs_that_a_browser_keeps(served: Served, bakery: str) -> None:
    for path in ("poster", "thumbnail?t=1", "frame?t=1.2&side=64"):
        first = served.get(f"/api/videos/{bakery}/{path}")
        assert (first.status, first.body[:2]) == (200, b"\xff\xd8"), path
        assert "immutable" in first.headers["cache-control"]
        again = served.get(f"/api/videos/{bakery}/{path}", if_none_match=first.headers["etag"])
        assert (again.status, again.body) == (304, b"")


def test_a_time_outside_the_video_is_refused(served: Served, bakery: str) -> None:
    late = served.get(f"/api/videos/{bakery}/frame?t=99")
    assert late.status == 400
    assert "outside the video" in late.json()["detail"]
    assert served.get(f"/api/videos/{bakery}/frame?t=-1").status == 422


def test_lanes_show_the_text_on_screen(served: Served, bakery: str) -> None:
    lanes = served.get(f"/api/videos/{bakery}/lanes").json()
    assert [one["text"] for one in lanes["texts"]] == ["BAKERY"]
    assert lanes["shots"][0]["en"]
    assert lanes["shots"][0]["zh"]


def test_a_report_speaks_both_languages(served: Served, bakery: str) -> None:
    for language, word in (("en", "the text reads"), ("zh", "字样")):
        found = served.get(f"/api/videos/{bakery}/report?language={language}").json()
        assert word in found["shots"][0]["caption"]


def test_speakers_can_be_named_and_unnamed(served: Served, bakery: str) -> None:
    named = served.ask("PUT", f"/api/videos/{bakery}/speakers", {"names": {"speaker_1": " 安娜 "}})
    assert named.json() == {"names": {"speaker_1": "安娜"}}
    assert served.get(f"/api/videos/{bakery}/transcript").json()["names"] == {"speaker_1": "安娜"}
    assert served.ask("PUT", f"/api/videos/{bakery}/speakers", {"names": {"x": "y"}}).status == 400
    gone = served.ask("PUT", f"/api/videos/{bakery}/speakers", {"names": {"speaker_1": ""}})
    assert gone.json() == {"names": {}}


def test_subtitles_are_exported(served: Served, bakery: str) -> None:
    found = served.get(f"/api/videos/{bakery}/subtitles.vtt")
    assert (found.status, found.body[:6]) == (200, b"WEBVTT")
    assert served.get(f"/api/videos/{bakery}/subtitles.exe").status == 422


def test_a_folder_is_added_and_a_video_removed(own: Served, tmp_path: Path) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    make_sign(folder / "a.mp4", "ONE")
    (folder / "b.mp4").write_text("no video")
    added = own.post("/api/videos", {"path": str(folder), "index": False}).json()
    assert [one["name"] for one in added["videos"]] == ["a.mp4"]
    assert len(added["problems"]) == 1
    video_id = added["videos"][0]["video_id"]
    assert own.ask("DELETE", f"/api/videos/{video_id}").status == 204
    assert own.get("/api/videos").json()["total"] == 0
    assert (folder / "a.mp4").is_file()


def test_what_is_unknown_is_a_problem(served: Served) -> None:
    for path in ("/api/videos/vid_0", "/api/videos/vid_0/lanes", "/api/videos/vid_0/poster", "/api/nothing"):
        found = served.get(path)
        assert found.status == 404, path
        assert found.headers["content-type"] == "application/problem+json"
        assert found.json()["status"] == 404
