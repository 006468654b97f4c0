"""Recovery from a failed service: the type of the error chooses the strategies; every wait is bounded."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from vidence.errors import ErrorType, OpRetry, ServiceError, UserError, VidenceError
from vidence.llm.base import EngineBase
from vidence.llm.deadline import Deadline
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import Prompt

__all__ = [
    "AlertStrategy",
    "ExponentialBackoffStrategy",
    "FallbackCrawlerStrategy",
    "FallbackStrategy",
    "GiveUpStrategy",
    "Recovering",
    "RecoveryStrategy",
    "RetryManager",
    "RetryStrategy",
    "SwitchProxyStrategy",
    "describe_gap",
]

Sleep = Callable[[float], None]
_LOGGER = logging.getLogger(__name__)
_GAPS: dict[ErrorType, tuple[str, str]] = {
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
"""Why a service could not be asked, in English and Chinese."""


@dataclass(frozen=True)
class ExponentialBackoffStrategy:
    """Wait longer each time, with random jitter so that many clients do not come back at once."""

    attempts: int = 4
    base_s: float = 1.0
    factor: float = 2.0
    longest_s: float = 30.0
    jitter: float = 0.25
    patience_s: float = 120.0
    """A server that asks for a longer pause than this is not waited for."""

    def wait_s(self, attempt: int, retry_after_s: float | None, rng: random.Random) -> float | None:
        """Return the seconds to wait before try `attempt` + 1; None means do not try again."""
        if attempt > self.attempts or (retry_after_s or 0) > self.patience_s:
            return None
        own = min(self.base_s * self.factor ** (attempt - 1), self.longest_s)
        own *= 1 + self.jitter * rng.random()
        # Never earlier than the server asked for: it would only refuse again.
        return max(own, retry_after_s or 0.0)


@dataclass(frozen=True)
class RetryStrategy:
    """Ask again at once, or after a short pause."""

    attempts: int = 1
    pause_s: float = 0.5

    def wait_s(self, attempt: int, retry_after_s: float | None, rng: random.Random) -> float | None:
        """Return the pause before try `attempt` + 1; None means do not try again."""
        return max(self.pause_s, retry_after_s or 0.0) if attempt <= self.attempts else None


@dataclass(frozen=True)
class FallbackStrategy:
    """Ask another engine."""


@dataclass(frozen=True)
class SwitchProxyStrategy:
    """Fetch through another of the user's proxies; nothing where none is configured."""


@dataclass(frozen=True)
class FallbackCrawlerStrategy:
    """Fetch once more in another way."""


@dataclass(frozen=True)
class AlertStrategy:
    """Tell a person, since no program can go on."""


@dataclass(frozen=True)
class GiveUpStrategy:
    """Try nothing: the error becomes a gap that the answer names."""


RecoveryStrategy = (
    ExponentialBackoffStrategy
    | RetryStrategy
    | FallbackStrategy
    | SwitchProxyStrategy
    | FallbackCrawlerStrategy
    | AlertStrategy
    | GiveUpStrategy
)


class RetryManager:
    """Chooses strategies by the type of an error."""

    STRATEGIES: Mapping[ErrorType, tuple[RecoveryStrategy, ...]] = {
        ErrorType.API_RATE_LIMIT: (ExponentialBackoffStrategy(), FallbackStrategy()),
        ErrorType.API_TIMEOUT: (RetryStrategy(attempts=1), FallbackStrategy()),
        ErrorType.NETWORK_ERROR: (RetryStrategy(attempts=2, pause_s=1.0), FallbackStrategy()),
        ErrorType.SERVER_ERROR: (ExponentialBackoffStrategy(attempts=3), FallbackStrategy()),
        ErrorType.INVALID_REPLY: (RetryStrategy(attempts=1, pause_s=0.0), FallbackStrategy()),
        ErrorType.AUTHENTICATION: (FallbackStrategy(),),
        ErrorType.UNKNOWN_MODEL: (FallbackStrategy(),),
        ErrorType.CONTEXT_TOO_LONG: (FallbackStrategy(),),
        ErrorType.REQUEST_REFUSED: (FallbackStrategy(),),
        # The request itself is wrong, and would be as wrong the next time.
        ErrorType.INVALID_REQUEST: (GiveUpStrategy(),),
        ErrorType.CRAWLER_BLOCKED: (SwitchProxyStrategy(), FallbackCrawlerStrategy()),
        ErrorType.CRAWLER_CAPTCHA: (SwitchProxyStrategy(), AlertStrategy()),
    }

    def __init__(self, strategies: Mapping[ErrorType, tuple[RecoveryStrategy, ...]] | None = None) -> None:
        self._strategies = {**self.STRATEGIES, **(strategies or {})}

    def get_strategies(self, error: Exception) -> tuple[RecoveryStrategy, ...]:
        """Return the strategies for `error`, in order."""
        error_type = self.classify(error)
        return (GiveUpStrategy(),) if error_type is None else self._strategies[error_type]

    def get_strategy(self, error: Exception) -> RecoveryStrategy:
        """Return the first strategy for `error`."""
        return self.get_strategies(error)[0]

    @staticmethod
    def classify(error: Exception) -> ErrorType | None:
        """Return the type of an error; None for an unknown one, for which nothing is tried."""
        if isinstance(error, ServiceError):
            return error.error_type
        if isinstance(error, OpRetry):
            return ErrorType.INVALID_REPLY
        if isinstance(error, UserError):
            return ErrorType.INVALID_REQUEST
        if isinstance(error, TimeoutError):
            return ErrorType.API_TIMEOUT
        return ErrorType.NETWORK_ERROR if isinstance(error, ConnectionError) else None


class Recovering(EngineBase):
    """An engine that tries again, then asks its fallback, then raises the error."""

    def __init__(
        self,
        engine: Engine,
        *,
        fallback: Engine | None = None,
        manager: RetryManager | None = None,
        sleep: Sleep = time.sleep,
        rng: random.Random | None = None,
    ) -> None:
        super().__init__(engine.name, engine.capabilities)
        self._engine, self._fallback = engine, fallback
        self._manager = manager or RetryManager()
        self._sleep, self._rng = sleep, rng or random.Random()

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer through the engine or its fallback, all tries and waits within `timeout_s`."""
        deadline = Deadline.after(timeout_s)
        try:
            return self._insist(self._engine, prompt, on_text, deadline)
        except ServiceError as exc:
            if self._fallback is None or not self._may_fall_back(exc, deadline):
                raise
            _LOGGER.warning("%s; asking %s instead", exc, self._fallback.name)
            try:
                return self._insist(self._fallback, prompt, on_text, deadline)
            except VidenceError as other:
                text = f"{exc} Nor could the fallback help: {other}"
                both = ServiceError(text, exc.error_type, service=exc.service)
                both.attempts = exc.attempts
                raise both from other

    def warm_up(self) -> None:
        """Warm up the engine itself."""
        if isinstance(self._engine, EngineBase):
            self._engine.warm_up()

    def close(self) -> None:
        """Close the engine and its fallback."""
        for one in (self._engine, self._fallback):
            if isinstance(one, EngineBase):
                one.close()

    def _insist(self, engine: Engine, prompt: Prompt, on_text: OnText | None, deadline: Deadline) -> Reply:
        attempt = 1
        while True:
            try:
                return engine.answer(prompt, on_text=on_text, timeout_s=deadline.left_s)
            except ServiceError as exc:
                exc.attempts = attempt
                wait = self._wait_s(exc, attempt, deadline)
                if wait is None:
                    raise
                _LOGGER.info("%s; trying again in %.1f s", exc, wait)
                self._pause(wait, on_text)
                attempt += 1

    def _wait_s(self, error: ServiceError, attempt: int, deadline: Deadline) -> float | None:
        """Return the seconds to wait before asking again; None when there is no further try."""
        strategy = self._manager.get_strategy(error)
        if not isinstance(strategy, ExponentialBackoffStrategy | RetryStrategy):
            return None
        wait = strategy.wait_s(attempt, error.retry_after_s, self._rng)
        left = deadline.left_s
        return None if wait is None or (left is not None and wait >= left) else wait

    def _pause(self, seconds: float, on_text: OnText | None) -> None:
        # In slices, so that the listener can stop a long wait.
        while seconds > 0:
            slice_s = min(seconds, 0.5) if on_text is not None else seconds
            self._sleep(slice_s)
            seconds -= slice_s
            if on_text is not None:
                on_text("")

    def _may_fall_back(self, error: ServiceError, deadline: Deadline) -> bool:
        strategies = self._manager.get_strategies(error)
        return deadline.left_s != 0.0 and any(isinstance(one, FallbackStrategy) for one in strategies)


def describe_gap(error: ServiceError, language: Literal["en", "zh"]) -> str:
    """Return one sentence that says which service could not be asked, why, and how often it was tried."""
    english, chinese = _GAPS[error.error_type]
    if language == "zh":
        return f"未能询问{error.service or '该服务'}：{chinese}（尝试{error.attempts}次）。"
    tries = "once" if error.attempts == 1 else f"{error.attempts} times"
    return f"{error.service or 'The service'} could not be asked: {english} (tried {tries})."
