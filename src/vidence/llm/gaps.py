"""A failed service as a gap in an answer, in the words of whoever asked."""

from __future__ import annotations

from typing import Literal

from vidence.errors import ErrorType, ServiceError

__all__ = ["describe_gap"]

_WORDS: dict[ErrorType, tuple[str, str]] = {
    ErrorType.API_RATE_LIMIT: ("it is too busy (rate limit)", "请求过多被限流"),
    ErrorType.API_TIMEOUT: ("it did not answer in time", "未在限定时间内回答"),
    ErrorType.NETWORK_ERROR: ("it cannot be reached", "无法连接"),
    ErrorType.SERVER_ERROR: ("its server failed", "服务器出错"),
    ErrorType.AUTHENTICATION: ("the key was refused", "密钥被拒绝"),
    ErrorType.UNKNOWN_MODEL: ("there is no such model", "没有这个模型"),
    ErrorType.CONTEXT_TOO_LONG: ("the evidence is too long for it", "证据超出其上下文长度"),
    ErrorType.REQUEST_REFUSED: ("it refused the request", "请求被拒绝"),
    ErrorType.INVALID_REQUEST: ("the request itself was wrong", "请求本身有误"),
    ErrorType.INVALID_REPLY: ("its replies were unreadable", "回复无法读取"),
    ErrorType.CRAWLER_BLOCKED: ("the site blocks us", "网站拒绝访问"),
    ErrorType.CRAWLER_CAPTCHA: ("the site asks for a captcha", "网站要求验证码"),
}


def describe_gap(error: ServiceError, language: Literal["en", "zh"]) -> str:
    """Return one sentence that says who could not be asked, why, and how often it was tried."""
    english, chinese = _WORDS[error.error_type]
    if language == "zh":
        return f"未能询问{error.service or '该服务'}：{chinese}（尝试{error.attempts}次）。"
    tries = "once" if error.attempts == 1 else f"{error.attempts} times"
    return f"{error.service or 'The service'} could not be asked: {english} (tried {tries})."
