"""One piece of evidence for a query: when, how strongly, by which sense and from which source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Hit", "Sense", "Source"]

Sense = Literal["visual", "audio"]
Source = Literal[
    "labels",
    "objects",
    "described",
    "actions",
    "screen",
    "captions",
    "lens",
    "change",
    "speech",
    "sounds",
    "spoken",
]
"""`described`: an object with the attributes asked for; `speech` matches words, `spoken` meaning."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Evidence that holds from `start_s` to `end_s`."""

    start_s: float
    end_s: float
    score: float
    """0 to 1: how well it fits what was asked, times how sure the model is."""
    source: Source
