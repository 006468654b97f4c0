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
        "feed": "vidence.intel.platforms.feed:build",
        "sitemap": "vidence.intel.platforms.sitemap:build",
        "warc": "vidence.intel.platforms.archive:build_warc",
        "zim": "vidence.intel.platforms.archive:build_zim",
        "searxng": "vidence.intel.platforms.search:build_searxng",
        "api": "vidence.intel.platforms.search:build_api",
        "videos": "vidence.intel.platforms.search:build_videos",
        "stories": "vidence.intel.platforms.search:build_stories",
        "wechat": "vidence.intel.platforms.feed:build_wechat",
        "zhihu": "vidence.intel.platforms.feed:build_zhihu",
        "xiaohongshu": "vidence.intel.platforms.feed:build_xiaohongshu",
        "douyin": "vidence.intel.platforms.feed:build_douyin",
    },
    group="vidence.platforms",
)
_ENDINGS = {".warc": "warc", ".warc.gz": "warc", ".zim": "zim"}
_NAMED = re.compile(r"^([\w-]+):(?!\\)(.*)$", re.DOTALL)


def platform_of(source: str) -> tuple[str, str]:
    """Return the platform of a source and the rest of its name: `feed:ADDRESS`, a path, or an address.

    An address alone is a sitemap where it says so, else a feed; a path is an archive by its ending, else a
    folder.
    """
    named = _NAMED.match(source)
    if named and named[1] in PLATFORMS:
        return named[1], named[2]
    if source.startswith(("http://", "https://")):
        return ("sitemap" if "sitemap" in source.lower() else "feed"), source
    for ending, name in _ENDINGS.items():
        if source.lower().endswith(ending):
            return name, source
    return "folder", source


def open_platform(source: str, context: PlatformContext) -> Platform:
    """Return the adapter of a source."""
    name, rest = platform_of(source)
    platform: Platform = PLATFORMS.resolve(name)(rest, context)
    return platform
