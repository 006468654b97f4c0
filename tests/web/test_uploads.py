"""Uploads over HTTP: in pieces, resumed, checked, bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import make_sign
from tests.web.conftest import Served, serving
from vidence.app import open_workspace
from vidence.web.server import ServeOptions


def begin(server: Served, name: str, size: int) -> str:
    reply = server.post("/api/uploads", {"name": name, "size_bytes": size})
    assert reply.status == 201, reply.body
    found: str = reply.json()["upload_id"]
    return found


def send(server: Served, upload_id: str, offset: int, piece: bytes) -> int:
    path = f"/api/uploads/{upload_id}"
    headers = {"content_type": "application/octet-stream", "upload_offset": str(offset)}
    return server.ask("PATCH", path, piece, **headers).status


def test_an_upload_in_pieces_survives_a_restart(tmp_path: Path) -> None:
    film = make_sign(tmp_path / "film.mp4", "HARBOUR").read_bytes()
    half = len(film) // 2
    home = tmp_path / "home"
    with open_workspace(home=home) as workspace, serving(workspace) as server:
        upload_id = begin(server, "../../etc/my film.mp4", len(film))
        assert send(server, upload_id, 0, film[:half]) == 200
        assert send(server, upload_id, 0, film[:half]) == 400
        assert server.post(f"/api/uploads/{upload_id}/finish").status == 400
    with open_workspace(home=home) as workspace, serving(workspace) as server:
        assert server.get(f"/api/uploads/{upload_id}").json()["offset"] == half
        assert send(server, upload_id, half, film[half:]) == 200
        done = server.post(f"/api/uploads/{upload_id}/finish?index=false").json()
        assert done["video"]["name"] == "my film.mp4"
        assert server.get(f"/api/videos/{done['video']['video_id']}/file").body == film
        assert server.get(f"/api/uploads/{upload_id}").status == 404
    assert (home / "uploads" / "my film.mp4").is_file()


def test_what_is_no_video_is_deleted(own: Served, tmp_path: Path) -> None:
    upload_id = begin(own, "fake.mp4", 5)
    assert send(own, upload_id, 0, b"hello") == 200
    refused = own.post(f"/api/uploads/{upload_id}/finish")
    assert refused.status == 415
    assert "'fake.mp4' is not a video" in refused.json()["detail"]
    assert [one.name for one in (tmp_path / "home" / "uploads").iterdir()] == ["partial"]


@pytest.mark.parametrize(
    ("name", "size", "status"),
    [("a.exe", 5, 415), (".mp4", 5, 415), ("a.mp4", 0, 400), ("a.mp4", 2_000_000, 400), ("", 5, 422)],
)
def test_names_and_sizes_are_checked_first(tmp_path: Path, name: str, size: int, status: int) -> None:
    options = ServeOptions(max_upload_bytes=1_000_000)
    with open_workspace(home=tmp_path / "home") as workspace, serving(workspace, options) as server:
        assert server.post("/api/uploads", {"name": name, "size_bytes": size}).status == status


def test_more_than_was_announced_is_refused(own: Served) -> None:
    upload_id = begin(own, "a.mp4", 4)
    assert send(own, upload_id, 0, b"12345") == 400
    assert own.get(f"/api/uploads/{upload_id}").json()["offset"] == 0
    assert send(own, upload_id, 0, bytes(17 << 20)) == 400
    assert own.ask("DELETE", f"/api/uploads/{upload_id}").status == 204
    assert own.get(f"/api/uploads/{upload_id}").status == 404


def test_the_same_bytes_are_kept_once(own: Served, tmp_path: Path) -> None:
    film = make_sign(tmp_path / "film.mp4", "TWICE").read_bytes()
    ids = []
    for _ in range(2):
        upload_id = begin(own, "film.mp4", len(film))
        assert send(own, upload_id, 0, film) == 200
        done = own.post(f"/api/uploads/{upload_id}/finish?index=false").json()
        ids.append(done["video"]["video_id"])
    assert ids[0] == ids[1]
    assert own.get("/api/videos").json()["total"] == 1
