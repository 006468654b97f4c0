"""The verifier: plain code that resolves every citation again."""

from vidence.runs.verify.verifier import Verifier

__all__ = ["Verifier"]
