"""`vidence mcp`: the workspace for assistants that speak the Model Context Protocol."""

from __future__ import annotations

import logging
import secrets
import sys
from pathlib import Path

import click

from vidence.app import load_settings, open_workspace
from vidence.app.guard import LOOPBACK, Asgi, Guard, GuardOptions, is_loopback
from vidence.app.http_server import bind, http_server
from vidence.errors import MissingExtra

__all__ = ["mcp"]


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp instead of stdio.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="With --http: beyond this machine a token is asked for.",
)
@click.option("--port", default=8766, show_default=True, type=click.IntRange(0, 65535), help="With --http.")
@click.option("--token", envvar="VIDENCE_TOKEN", help="With --http: the token to ask for.")
@click.option(
    "--library",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Take new files from this folder only; may be repeated.",
)
@click.pass_context
def mcp(
    ctx: click.Context, http: bool, host: str, port: int, token: str | None, roots: tuple[Path, ...]
) -> None:
    """Let an assistant add, ask, search and look at videos over the Model Context Protocol (docs/mcp.md).

    \b
    Examples:
      vidence mcp
      vidence mcp --http --port 8766
    """
    try:
        from vidence.mcp.server import create_server
    except ModuleNotFoundError as exc:
        raise MissingExtra("The MCP server", "mcp") from exc

    settings = load_settings(home=ctx.find_root().params.get("home"))
    # On stdio, stdout belongs to the protocol.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    with open_workspace(settings) as workspace:
        if not http:
            create_server(workspace, roots=roots).run("stdio")
            return
        made = None if token or is_loopback(host) else secrets.token_urlsafe(24)
        server = create_server(workspace, roots=roots, allows_paths=is_loopback(host) or bool(roots))
        _serve(server.streamable_http_app(host=host), host, port, token or made)


def _serve(app: Asgi, host: str, port: int, token: str | None) -> None:
    hosts = LOOPBACK if is_loopback(host) else ()
    bound = bind(host, port)
    click.echo(f"vidence's MCP server is at http://{host}:{bound.getsockname()[1]}/mcp", err=True)
    if token:
        click.echo(f"Send this header: Authorization: Bearer {token}", err=True)
    http_server(Guard(app, GuardOptions(hosts=hosts, token=token, max_body_bytes=4 << 20))).run(
        sockets=[bound]
    )
