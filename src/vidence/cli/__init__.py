"""The `vidence` command."""

try:
    from vidence.cli.main import main
except KeyboardInterrupt:
    # Ctrl-C while modules load: nothing has started, so exit without a message.
    raise SystemExit(130) from None

__all__ = ["main"]
