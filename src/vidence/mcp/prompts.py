"""Prompts for common jobs, in both languages."""

from __future__ import annotations

from typing import Literal

from mcp.server.mcpserver import MCPServer

__all__ = ["add_prompts"]

Language = Literal["en", "zh"]

_PROMPTS = {
    "summarise": (
        "Summarise the video {video}. Read its resource or ask what happens, read the transcript, then write "
        "five lines, each with the time of the moment that shows it. Say what could not be seen.",
        "总结视频 {video}。先查看它的资源或提问发生了什么，再读文字稿，然后写五行，每行注明对应画面的时间。"
        "看不出来的要说明。",
    ),
    "find_moment": (
        "Find the moment of {video} where this happens: {what}. Search, look at the best moments, and give "
        "the time with what proves it; say so if it is not there.",
        "在 {video} 中找出这件事发生的时刻：{what}。先搜索，再查看最像的画面，给出时间和依据；没有就直说。",
    ),
    "check_claim": (
        "Check this claim against the video {video}: {claim}. Ask, look at the moments cited, and say "
        "whether it is proven, contradicted or not shown, with the times.",
        "对照视频 {video} 检查这个说法：{claim}。提问并查看所引用的画面，"
        "说明它被证实、被否定还是没有出现，并给出时间。",
    ),
}


def add_prompts(server: MCPServer) -> None:
    """Offer the prompts, each in English and Chinese."""

    @server.prompt(description="Summarise a video with the moments that show it.")
    def summarise(video: str, language: Language = "en") -> str:
        return _PROMPTS["summarise"][language == "zh"].format(video=video)

    @server.prompt(description="Find when something happens in a video.")
    def find_moment(video: str, what: str, language: Language = "en") -> str:
        return _PROMPTS["find_moment"][language == "zh"].format(video=video, what=what)

    @server.prompt(description="Check a claim against a video.")
    def check_claim(video: str, claim: str, language: Language = "en") -> str:
        return _PROMPTS["check_claim"][language == "zh"].format(video=video, claim=claim)
