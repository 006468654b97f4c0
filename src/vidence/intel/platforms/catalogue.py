"""The platforms by name, and which of them a source is of."""

from __future__ import annotations

import re

from vidence.intel.platforms.protocol import Platform, PlatformContext
from vidence.registry import Registry

__all__ = ["PLATFORMS", "open_platform", "platform_of"]

PLATFORMS = Registry(
    "platform",
    {
        "folder": "vidence.intel.platforms.folder:build",
    },
    group="vidence.platforms",
)
_NAMED = re.compile(r"^([\w-]+):(?!\\)(.*)$", re.DOTALL)


def platform_of(source: str) -> tuple[str, str]:
    """Return the platform of a source and the rest of its name: `feed:ADDRESS`, a path, or an address."""
    named = _NAMED.match(source)
    if named and named[1] in PLATFORMS:
        return named[1], named[2]
    return "folder", source


def open_platform(source: str, context: PlatformContext) -> Platform:
    """Return the adapter of a source."""
    name, rest = platform_of(source)
    platform: Platform = PLATFORMS.resolve(name)(rest, context)
    return platform
