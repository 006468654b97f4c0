"""Who may ask the server, and what strangers can do to it."""

from __future__ import annotations

import http.client
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.app.conftest import make_sign
from tests.web.conftest import PATIENCE_S, Served, serving
from vidence.app import open_workspace
from vidence.app.guard import Guard, GuardOptions, is_loopback
from vidence.errors import UserError
from vidence.web.server import ServeOptions, page_server

TOKEN = "a-long-secret"


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Served]:
    """A server as it would be for others: with a token, one library folder and one friendly site."""
    library = tmp_path / "library"
    library.mkdir()
    options = ServeOptions(host="0.0.0.0", token=TOKEN, roots=(library,), origins=("https://friend.example",))
    with open_workspace(home=tmp_path / "home") as workspace, serving(workspace, options) as server:
        yield server


def test_a_page_may_load_only_from_here(own: Served) -> None:
    found = own.get("/")
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert found.headers["x-content-type-options"] == "nosniff"


def test_other_names_do_not_lead_here(own: Served) -> None:
    assert own.get("/api/info", host="evil.example").status == 421
    assert own.get("/api/info", host=f"localhost:{own.port}").status == 200
    assert own.get("/api/info", host="[::1]:80").status == 200


def test_other_sites_may_not_change_anything(own: Served) -> None:
    assert own.post("/api/index", {"video": "x"}, origin="https://evil.example").status == 403
    assert own.post("/api/index", {"video": "x"}, sec_fetch_site="cross-site").status == 403
    assert own.post("/api/index", {"video": "x"}, origin=own.address).status == 404
    assert "access-control-allow-origin" not in own.get("/api/info", origin="https://evil.example").headers


def test_beyond_this_machine_a_token_is_needed(locked: Served) -> None:
    assert locked.get("/api/info").status == 401
    assert locked.get("/static/style.css").status == 401
    assert locked.get("/api/info", authorization="Bearer wrong").status == 401
    assert locked.get("/api/info", authorization=f"Bearer {TOKEN}").status == 200
    assert locked.get("/healthz").status == 200
    assert locked.get(f"/api/info?token={TOKEN}").status == 401
    with pytest.raises(UserError, match="token"):
        ServeOptions(host="0.0.0.0")
    assert not is_loopback("0.0.0.0")


def test_the_printed_address_gives_a_cookie(locked: Served) -> None:
    found = locked.get(f"/?token={TOKEN}&x=1")
    assert (found.status, found.headers["location"]) == (303, "/?x=1")
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert locked.get("/api/info", cookie=cookie.partition(";")[0]).status == 200


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The files of a certificate for this machine that signs itself, and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "vidence test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def test_over_tls_the_same_rules_hold(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    options = ServeOptions(
        host="0.0.0.0", token=TOKEN, tls=certificate, origins=("https://friend.example",), roots=(tmp_path,)
    )
    with open_workspace(home=tmp_path / "home") as workspace, serving(workspace, options) as server:
        with pytest.raises((OSError, http.client.HTTPException)):
            server.get("/healthz")
        server.trusted = ssl.create_default_context()
        with pytest.raises(ssl.SSLCertVerificationError):
            server.get("/healthz")
        server.trusted = ssl.create_default_context(cafile=str(certificate[0]))
        assert server.get("/api/info").status == 401
        given = server.get(f"/?token={TOKEN}")
        cookie = given.headers["set-cookie"]
        assert given.status == 303
        assert "; Secure" in cookie
        seen = {"cookie": cookie.partition(";")[0]}
        assert server.get("/api/info", **seen).status == 200
        evil = server.post("/api/index", {"video": "x"}, origin="https://evil.example", **seen)
        assert evil.status == 403
        downgraded = server.address.replace("https", "http")
        assert server.post("/api/index", {"video": "x"}, origin=downgraded, **seen).status == 403
        assert server.post("/api/index", {"video": "x"}, origin=server.address, **seen).status == 404
        friend = server.get("/api/info", origin="https://friend.example", authorization=f"Bearer {TOKEN}")
        assert friend.headers["access-control-allow-origin"] == "https://friend.example"


def test_a_certificate_that_is_none_is_named(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    with (
        open_workspace(home=tmp_path / "home") as workspace,
        pytest.raises(UserError, match=r"wrong\.pem.*cannot be used"),
    ):
        page_server(workspace, ServeOptions(tls=(wrong, certificate[1])))


def test_a_friendly_site_may_use_the_api(locked: Served) -> None:
    asked = {"origin": "https://friend.example", "access_control_request_method": "POST"}
    assert locked.ask("OPTIONS", "/api/ask", **asked).status == 204
    found = locked.get("/api/info", origin="https://friend.example", authorization=f"Bearer {TOKEN}")
    assert found.headers["access-control-allow-origin"] == "https://friend.example"
    assert locked.ask("OPTIONS", "/api/ask", origin="https://evil.example").status == 401


def test_only_the_library_folder_can_be_added_from(locked: Served, tmp_path: Path) -> None:
    locked.headers["authorization"] = f"Bearer {TOKEN}"
    outside = make_sign(tmp_path / "outside.mp4", "OUT")
    inside = make_sign(tmp_path / "library" / "inside.mp4", "IN")
    (tmp_path / "library" / "link.mp4").symlink_to(outside)
    for path in (outside, tmp_path / "library" / ".." / "outside.mp4", tmp_path / "library" / "link.mp4"):
        assert locked.post("/api/videos", {"path": str(path), "index": False}).status == 404, path
    whole = locked.post("/api/videos", {"path": str(inside.parent), "index": False}).json()
    assert [one["name"] for one in whole["videos"]] == ["inside.mp4"]
    assert len(whole["problems"]) == 1


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static//etc/passwd",
        "/api/videos/..%2f..%2fetc/file",
        "/api/uploads/..%2f..%2fx",
        "/api/traces/..%2f..%2fx",
    ],
)
def test_no_path_leads_out(own: Served, path: str) -> None:
    found = own.get(path)
    assert found.status in (404, 405)
    assert b"root:" not in found.body
    assert b"import" not in found.body


def test_a_large_body_is_refused_announced_or_not(own: Served) -> None:
    assert own.post("/api/ask", {"question": "x" * (2 << 20)}).status == 413
    with socket.create_connection(("127.0.0.1", own.port), timeout=PATIENCE_S) as raw:
        head = f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:{own.port}\r\ncontent-type: application/json\r\n"
        raw.sendall(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        try:
            for _ in range(20):
                raw.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            said = raw.recv(200)
        except ConnectionError:
            # It hung up while we were still sending.
            said = b" 413 "
        assert b" 413 " in said


def test_a_body_that_trickles_is_given_up() -> None:
    """The guard alone, with little patience."""
    import asyncio

    sent: list[dict[str, object]] = []

    async def app(scope: object, receive: object, send: object) -> None:
        await receive()  # type: ignore[operator]

    async def never() -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    async def keep(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/x", "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }  # fmt: skip
    asyncio.run(Guard(app, GuardOptions(body_patience_s=0.05))(scope, never, keep))  # type: ignore[arg-type]
    assert sent[0]["status"] == 408


def test_clients_that_never_finish_a_request_are_hung_up_on(
    own: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vidence.app.http_server.HEAD_PATIENCE_S", 0.5)
    lines = [socket.create_connection(("127.0.0.1", own.port), timeout=PATIENCE_S) for _ in range(100)]
    try:
        for one in lines:
            one.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert own.get("/healthz").status == 200
        # It may have been hung up on already.
        with suppress(ConnectionError):
            lines[0].sendall(b"host\r\nX-Slow: ")
        assert [_heard(one) for one in lines] == [b""] * 100
    finally:
        for one in lines:
            one.close()


def _heard(line: socket.socket) -> bytes:
    try:
        return line.recv(100)
    except ConnectionError:
        return b""


def test_one_who_reads_slowly_holds_up_nobody(own: Served, tmp_path: Path) -> None:
    film = make_sign(tmp_path / "film.mp4", "SLOW")
    size = 64 << 20
    with film.open("ab") as file:
        file.write(size.to_bytes(4, "big") + b"free" + bytes(size - 8))
    added = own.post("/api/videos", {"path": str(film), "index": False}).json()
    path = f"/api/videos/{added['videos'][0]['video_id']}/file"
    with socket.create_connection(("127.0.0.1", own.port), timeout=PATIENCE_S) as slow:
        slow.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{own.port}\r\n\r\n".encode())
        assert slow.recv(15) == b"HTTP/1.1 200 OK"
        for _ in range(20):
            assert own.get("/healthz").status == 200
            assert own.get(path, range="bytes=0-99").status == 206


def test_an_upload_that_is_never_finished_is_one_of_few(own: Served) -> None:
    begin = {"name": "a.mp4", "size_bytes": 1000}
    assert {own.post("/api/uploads", begin).status for _ in range(200)} == {201}
    refused = own.post("/api/uploads", begin)
    assert refused.status == 400
    assert "unfinished uploads" in refused.json()["detail"]


def test_a_second_server_of_a_workspace_is_refused_in_one_line(own: Served, tmp_path: Path) -> None:
    assert own.get("/healthz").status == 200
    command = [sys.executable, "-m", "vidence", "--home", str(tmp_path / "home"), "serve", "--port", "0"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: Another vidence server is working on")
    assert refused.stderr.count("\n") == 1
