"""The `vidence` command."""

from vidence.cli.main import main

__all__ = ["main"]
