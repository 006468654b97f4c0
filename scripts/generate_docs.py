"""Write the docs pages that come from code, or check that they are up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import click

from vidence.cli.main import cli
from vidence.ops import all_operations
from vidence.ops.catalogue import topic_tools
from vidence.ops.docs import index_page, operation_page
from vidence.web.docs import api_reference

DOCS = Path(__file__).parent.parent / "docs"


def main() -> int:
    """Write every page, or with `--check` name those that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 when a page is out of date"
    )
    check = parser.parse_args().check
    stale = [path for path, text in pages().items() if not path.is_file() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{'out of date' if check else 'wrote'}: {path.relative_to(DOCS.parent)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages()[path], encoding="utf-8")
    if check and stale:
        print("Run `make docs` and commit the result.")
    return int(check and bool(stale))


def pages() -> dict[Path, str]:
    """Return each generated page by its path."""
    operations = [*all_operations(), *topic_tools()]
    found = {
        DOCS / "operations" / f"{operation.name}.md": operation_page(operation) for operation in operations
    }
    found[DOCS / "operations" / "README.md"] = index_page(operations)
    found[DOCS / "cli.md"] = cli_page()
    found[DOCS / "api.md"] = (Path(__file__).parent / "api_head.md").read_text("utf-8") + api_reference()
    return found


def cli_page() -> str:
    """Return the reference of every command, as its `--help` prints it."""
    head = "# Commands\n\nGenerated from the commands' own `--help` by `make docs`; do not edit.\n"
    return head + "".join(_sections(cli, "vidence", None))


def _sections(command: click.Command, name: str, parent: click.Context | None) -> list[str]:
    # A fixed width keeps the page the same on every terminal.
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100, max_content_width=100)
    title = context.command_path
    sections = [f"\n## {title}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                sections += _sections(found, child, context)
    return sections


if __name__ == "__main__":
    sys.exit(main())
