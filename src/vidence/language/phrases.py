"""What the loop itself says to a person, in both languages."""

from __future__ import annotations

from vidence.schema.agent import AnswerLanguage

__all__ = ["phrase"]

_PHRASES: dict[str, tuple[str, str]] = {
    "steps": ("The limit of {value} steps was reached.", "已达到 {value} 步的上限。"),
    "llm_calls": ("The limit of {value} model calls was reached.", "已达到 {value} 次模型调用的上限。"),
    "tokens": ("The limit of {value} tokens was reached.", "已达到 {value} 个 token 的上限。"),
    "seconds": ("The limit of {value} seconds was reached.", "已达到 {value} 秒的时间上限。"),
    "frames": ("The limit of {value} frames was reached.", "已达到 {value} 帧的上限。"),
    "cancelled": ("The run was stopped.", "运行被中止。"),
    "engine_failed": ("The model failed: {value}", "模型无法使用：{value}"),
    "world_failed": ("Looking at the video failed: {value}", "查看视频失败：{value}"),
    "call_failed": ("{value}", "{value}"),
    "no_json": (
        "The model gave {value} replies without valid JSON.",
        "模型有 {value} 次回复没有给出有效的 JSON。",
    ),
    "unchecked": ("The answer was not checked: {value}", "答案没有经过检查：{value}"),
    "unproven": (
        "Nothing that was seen, heard or read proves this answer.",
        "没有任何看到、听到或读到的内容能证明这个答案。",
    ),
    "unproven_part": (
        "Not found in the evidence cited: {value}.",
        "在所引用的证据中没有找到：{value}。",
    ),
    "cite": (
        "Nothing you were shown proves the answer as it stands ({value}). Cite the frames or records "
        "that do, look further, or say that it cannot be told",
        "你看到的内容不能证明这个答案（{value}）。请引用能证明它的帧或记录，继续查看，或者说明无法判断",
    ),
    "no_answer": (
        "No answer was reached within the limits.",
        "在限制之内没有得到答案。",
    ),
    "cannot_tell": ("It cannot be told from this video.", "从这个视频无法判断。"),
    "contradicted": (
        "Other answers were also given: {value}.",
        "还给出过其他答案：{value}。",
    ),
    "looked_at": ("Looked at {value}.", "查看了{value}。"),
    "frames_word": ("{value} frames", "{value} 帧画面"),
    "nothing": ("nothing", "（无）"),
    "repeated": ("Looking again brought nothing new.", "再次查看没有新的发现。"),
    "all_seen": ("every frame has been seen already", "所有帧都已经看过了"),
    "frame_limit": (
        "you asked for {value}; no more frames may be fetched",
        "你请求了 {value} 帧；不能再获取更多的帧",
    ),
    "frame_cut": (
        "you asked for {value}; this is what may be fetched at once",
        "你请求了 {value} 帧；一次只能获取这么多",
    ),
    "fewer": ("you asked for {value}; there are no others", "你请求了 {value} 帧；没有更多的帧了"),
    "other_videos": ("Other videos say: {value}.", "其他视频的结果：{value}。"),
    "unseen_videos": ("Not looked at: {value}.", "没有查看：{value}。"),
    "not_indexed": (
        "{value} videos of the library are not indexed and were not looked at.",
        "库中有 {value} 个视频没有建立索引，没有查看。",
    ),
    "claim_removed": (
        "Claims left out because nothing proves them: {value}.",
        "因无法证实而去掉的论断：{value}。",
    ),
}


def phrase(name: str, language: AnswerLanguage, value: object = "") -> str:
    """Return the phrase in a language, with its value put in."""
    english, chinese = _PHRASES[name]
    return (chinese if language == "zh" else english).replace("{value}", str(value))
