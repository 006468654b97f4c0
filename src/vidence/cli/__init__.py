"""The `vidence` command."""

try:
    from vidence.cli.main import main
except KeyboardInterrupt:
    # Ctrl-C in the first blink: nothing was begun, so there is nothing to say.
    raise SystemExit(130) from None

__all__ = ["main"]
