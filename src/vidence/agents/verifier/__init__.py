"""Plain code that looks up every citation again and lets through only what holds."""

from vidence.agents.verifier.verify import Verifier

__all__ = ["Verifier"]
