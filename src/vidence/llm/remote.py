"""Engines behind HTTP: one client per call, and the SDKs' exceptions as ServiceErrors without keys."""

from __future__ import annotations

import json
import logging
import re
import ssl
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from email.utils import parsedate_to_datetime
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from vidence.errors import ErrorType, MissingExtra, ServiceError
from vidence.llm.facts import price_usd, providers
from vidence.llm.model import Converse, Draft, ModelEngine, ReplyTooLong, Stop
from vidence.llm.options import Endpoint, EngineRequest, HttpOptions, find_endpoint, read_options
from vidence.llm.protocol import Reply
from vidence.prompts import Prompt

if TYPE_CHECKING:
    import httpx2

__all__ = ["RemoteEngine", "build_remote"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

_CONNECT_S = 10.0
_NO_KEY = "none"
"""The SDKs refuse an empty key, also for a server that wants none."""
_SENT = re.compile(
    r"accept|accept-encoding|anthropic-version|authorization|connection|content-length|content-type|host"
    r"|transfer-encoding|user-agent|x-api-key",
    re.IGNORECASE,
)
"""Headers that may leave; the SDKs would add the machine's description and other accounts' names."""
_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|input.{0,20}too long|exceed.{0,30}(token|context)|token count.{0,30}exceed",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"(invalid|incorrect|expired|not valid).{0,30}key|key.{0,30}(invalid|expired|not valid)", re.I
)
_NO_MODEL = re.compile(
    r"model.{0,80}(not.{0,3}(exist|found)|unknown|is not supported)|unknown model|no such model", re.I
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|arrearage", re.I
)
_DELAY = re.compile(r'"retryDelay":\s*"([\d.]+)s"')
_MESSAGE_CHARS = 300


class RemoteEngine(ModelEngine):
    """A model behind HTTP; a subclass knows its server's API."""

    sdk_client: ClassVar[str]
    """The name of the SDK's client class."""

    def __init__(self, endpoint: Endpoint, options: HttpOptions, sdk: ModuleType) -> None:
        super().__init__(
            endpoint.name,
            endpoint.capabilities,
            timeout_s=options.timeout_s,
            constrained=endpoint.structured == "schema",
        )
        self.endpoint, self.options, self._sdk = endpoint, options, sdk
        self.chosen_by = ""
        """Where the choice of this engine comes from: a file, a variable or the command line."""
        self._has_announced = False

    @abstractmethod
    def converse(self, prompt: Prompt, draft: Draft, sdk: Any) -> None:
        """Call the server through its SDK's client and fill the draft."""

    def start(self, prompt: Prompt, limit_s: float) -> tuple[Converse, Stop]:
        """Return what runs one call over a client of its own, and what hangs up."""
        self._announce()
        client = _client(limit_s)

        def converse(draft: Draft) -> None:
            try:
                self.converse(prompt, draft, self._connect(client))
            except Exception as exc:
                raise self._translated(exc, limit_s) from self._cause(exc)
            finally:
                client.close()

        return converse, client.close

    def _reply(self, prompt: Prompt, draft: Draft, seconds: float) -> Reply:
        reply = super()._reply(prompt, draft, seconds)
        usd = price_usd(self.endpoint.facts, reply.usage)
        return replace(reply, usage=reply.usage.model_copy(update={"usd": usd}))

    def request(self, call: Callable[[Any], T]) -> T:
        """Return what `call` gets from the server through its SDK's client; failures are ServiceErrors."""
        self._announce()
        limit_s = self.options.timeout_s
        client = _client(limit_s)
        try:
            return call(self._connect(client))
        except Exception as exc:
            raise self._translated(exc, limit_s) from self._cause(exc)
        finally:
            client.close()

    def fault(self, error_type: ErrorType, what: str, *, retry_after_s: float | None = None) -> ServiceError:
        """Return an error that names the engine and its host, without the key in it."""
        key = self.endpoint.key
        text = f"{self.name} at {self.endpoint.host}: {what.replace(key, '…') if key else what}"
        return ServiceError(text, error_type, service=self.name, retry_after_s=retry_after_s)

    def _announce(self) -> None:
        """Say once that requests leave this machine, for where, with which key and by whose choice."""
        if self._has_announced or not self.endpoint.is_remote:
            return
        self._has_announced = True
        key = f"the key in {self.endpoint.key_env}" if self.endpoint.key_env else "no key"
        by = f", chosen by {self.chosen_by}" if self.chosen_by else ""
        logger.warning("%s at %s is asked, with %s%s.", self.name, self.endpoint.host, key, by)

    def _connect(self, client: httpx2.Client) -> Any:
        return getattr(self._sdk, self.sdk_client)(
            api_key=self.endpoint.key or _NO_KEY,
            base_url=self.endpoint.base_url,
            max_retries=0,
            http_client=client,
        )

    def _cause(self, exc: Exception) -> Exception | None:
        # A server may repeat the key in its refusal, and a traceback prints causes.
        key = self.endpoint.key
        return None if key and key in f"{exc}{exc.__cause__}" else exc

    def _translated(self, exc: Exception, timeout_s: float) -> ServiceError:
        """Return the ServiceError that an SDK's exception means."""
        import httpx2

        sdk = self._sdk
        if isinstance(exc, ServiceError):
            return exc
        if isinstance(exc, ReplyTooLong) or isinstance(exc.__cause__, ReplyTooLong):
            return self.fault(ErrorType.INVALID_REPLY, f"{exc.__cause__ or exc}; it was not read to its end.")
        if isinstance(exc, sdk.APITimeoutError | httpx2.TimeoutException):
            return self.fault(ErrorType.API_TIMEOUT, f"no answer within {timeout_s:g} s.")
        if isinstance(exc, sdk.APIConnectionError | httpx2.TransportError):
            return self.fault(ErrorType.NETWORK_ERROR, _network(exc, self.endpoint))
        if isinstance(exc, sdk.APIStatusError) and exc.status_code >= 300:
            return self._refused(exc)
        if isinstance(exc, sdk.APIError):
            # An error inside a stream that began well: it has a message but no status.
            message = _message(getattr(exc, "body", None), str(exc))
            is_long = _LONG.search(message)
            error_type = ErrorType.CONTEXT_TOO_LONG if is_long else ErrorType.SERVER_ERROR
            return self.fault(error_type, f"the server broke off: {message}")
        return self.fault(
            ErrorType.INVALID_REPLY, f"the answer is in an unknown form ({type(exc).__name__})."
        )

    def _refused(self, exc: Any) -> ServiceError:
        status, message, body = int(exc.status_code), _message(exc.body, str(exc)), _text(exc.body)
        error_type, advice = _kind(status, f"{message} {body}", self.endpoint)
        said = f"{status}: {message}".strip().rstrip(".")
        wait = _retry_after(exc.response.headers, body) if status in (429, 503, 529) else None
        return self.fault(error_type, f"{advice} ({said}).", retry_after_s=wait)


Remote = TypeVar("Remote", bound=RemoteEngine)


def build_remote(request: EngineRequest, kind: type[Remote], sdk: str, part: str) -> Remote:
    """Make an engine over an SDK's module `sdk`.

    Args:
        part: the SDK's module that serves the calls. The SDKs import their parts when first used, which takes
            seconds: not out of the first call's time.
    """
    options = read_options(request, HttpOptions)
    endpoint = find_endpoint(request, providers()[request.provider], options)
    try:
        module = import_module(sdk)
        import_module(f"{sdk}.{part}")
    except ImportError as exc:
        raise MissingExtra(f"The engine {request.name!r}", sdk) from exc
    return kind(endpoint, options, module)


def _client(limit_s: float) -> httpx2.Client:
    import httpx2

    from vidence.llm.bounded import bound

    timeout = httpx2.Timeout(limit_s, connect=min(_CONNECT_S, limit_s))
    return httpx2.Client(
        timeout=timeout,
        follow_redirects=False,
        verify=_trust(),
        event_hooks={"request": [_strip], "response": [bound]},
    )


@cache
def _trust() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def _strip(request: Any) -> None:
    for name in [name for name in request.headers if not _SENT.fullmatch(name)]:
        del request.headers[name]
    # A compressed reply may unpack to a thousand times its size.
    request.headers["accept-encoding"] = "identity"


def _network(exc: Exception, endpoint: Endpoint) -> str:
    cause = exc.__cause__ or exc
    return (
        f"the server cannot be reached or hung up ({type(cause).__name__}: {cause}). "
        f"Is it running at {endpoint.base_url}, and is this machine online?"
    )


def _kind(status: int, said: str, endpoint: Endpoint) -> tuple[ErrorType, str]:
    where = (
        f"Check {endpoint.key_env}" if endpoint.key_env else "Name the variable of its key with api_key_env"
    )
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(said)):
        return ErrorType.AUTHENTICATION, f"the key was refused. {where}"
    if status == 413 or (status in (400, 422) and _LONG.search(said)):
        return ErrorType.CONTEXT_TOO_LONG, "the prompt is too long for this model"
    if status == 404 or (status == 400 and _NO_MODEL.search(said)):
        return ErrorType.UNKNOWN_MODEL, f"there is no model {endpoint.model!r} (or no such path)"
    if status in (402, 429) and _NO_CREDIT.search(said):
        return ErrorType.REQUEST_REFUSED, "the account has no credit or quota left"
    if status == 429:
        return ErrorType.API_RATE_LIMIT, "too many requests"
    if status in (408, 504):
        return ErrorType.API_TIMEOUT, "the server gave up waiting"
    if status >= 500:
        return ErrorType.SERVER_ERROR, "the server failed"
    if 300 <= status < 400:
        return ErrorType.REQUEST_REFUSED, "it redirects elsewhere, which is not followed because of the key"
    return ErrorType.REQUEST_REFUSED, "the request was refused"


def _message(body: object, otherwise: str) -> str:
    found = body[0] if isinstance(body, list) and body else body
    for key in ("error", "message"):
        if isinstance(found, dict):
            found = found.get(key, found)
    text = found if isinstance(found, str) else otherwise
    return " ".join(text.split())[:_MESSAGE_CHARS]


def _text(body: object) -> str:
    try:
        return json.dumps(body, ensure_ascii=False)[:20_000]
    except (TypeError, ValueError, RecursionError):
        return ""


def _retry_after(headers: Any, body: str) -> float | None:
    """Return the seconds a server asked us to wait: milliseconds, seconds, a date, or Gemini's field."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(float(milliseconds) / 1000, 0.0)
        if told := headers.get("retry-after"):
            if re.fullmatch(r"\s*\d+(\.\d+)?\s*", told):
                return float(told)
            return max(parsedate_to_datetime(told).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
    delay = _DELAY.search(body)
    return float(delay.group(1)) if delay else None
