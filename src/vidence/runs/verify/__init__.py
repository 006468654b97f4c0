"""Plain code that looks up every citation again and lets through only what holds."""

from vidence.runs.verify.verifier import Verifier

__all__ = ["Verifier"]
