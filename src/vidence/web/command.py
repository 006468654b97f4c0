"""`vidence serve`: the web page and the API of a workspace."""

from __future__ import annotations

import secrets
import sys
import threading
import webbrowser
from pathlib import Path

import click

from vidence.app import load_settings, open_workspace
from vidence.app.guard import LOOPBACK, is_loopback
from vidence.app.http_server import bind
from vidence.errors import UserError
from vidence.web.server import ServeOptions, page_server

__all__ = ["serve"]

_GIB = 1 << 30


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address; beyond this machine a token is asked for.",
)
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one."
)
@click.option(
    "--token", envvar="VIDENCE_TOKEN", help="The token to ask for (default: made up where one is needed)."
)
@click.option(
    "--library",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Add videos by path from this folder only; may be repeated.",
)
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="URL", help="Let pages of this site use the API."
)
@click.option(
    "--max-upload",
    default=8.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Largest upload in GiB.",
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Certificate file for https.",
)
@click.option(
    "--tls-key", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Key file for https."
)
@click.option(
    "--open/--no-open", "opens", default=None, help="Open the page in a browser (default: on a desktop)."
)
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    token: str | None,
    roots: tuple[Path, ...],
    origins: tuple[str, ...],
    max_upload: float,
    tls_cert: Path | None,
    tls_key: Path | None,
    opens: bool | None,
) -> None:
    """Open the web page: watch, ask, search; the API is under /api (docs/api.md).

    Only this machine can reach it, unless --host says otherwise; then a token is needed.

    \b
    Examples:
      vidence serve
      vidence serve --host 0.0.0.0 --library /srv/videos --tls-cert cert.pem --tls-key key.pem
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together.")
    made = None if token or is_loopback(host) else secrets.token_urlsafe(24)
    options = ServeOptions(
        host=host,
        port=port,
        token=token or made,
        origins=tuple(one.rstrip("/") for one in origins),
        roots=roots,
        max_upload_bytes=int(max_upload * _GIB),
        tls=(tls_cert, tls_key) if tls_cert and tls_key else None,
    )
    bound = bind(host, port)
    with open_workspace(load_settings(home=ctx.find_root().params.get("home"))) as workspace:
        server = page_server(workspace, options)
        _announce(_address(options, bound.getsockname()[1]), made, opens)
        server.run(sockets=[bound])
        if not server.started:
            raise UserError("The server could not start; the lines above say why.")


def _announce(address: str, made_token: str | None, opens: bool | None) -> None:
    """Say where the page is, and open it on a desktop."""
    shown = f"{address}/?token={made_token}" if made_token else address
    click.echo(f"vidence is at {shown}  (Ctrl-C stops it)", err=True)
    if made_token:
        click.echo("The token is shown only now. Keep it, or choose your own with --token.", err=True)
    is_near = any(f"//{host}:" in address for host in (*LOOPBACK, "[::1]"))
    if opens or (opens is None and sys.stderr.isatty() and is_near and _has_desktop()):
        threading.Timer(0.8, webbrowser.open, [shown]).start()


def _address(options: ServeOptions, port: int) -> str:
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"{'https' if options.is_secure else 'http'}://{host}:{port}"


def _has_desktop() -> bool:
    import os

    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
