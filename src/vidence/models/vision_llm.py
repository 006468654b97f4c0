"""A vision LLM behind an OpenAI-compatible endpoint, as captioner."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Sequence
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import cv2

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.schema.perception import Rgb

__all__ = ["VisionLlmCaptioner", "build"]

_LONG_SIDE = 768
_QUALITY = 85
_RETRIES = 2
_BUSY = frozenset({408, 429, 500, 502, 503, 504})


class _NoRedirect(HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


class VisionLlmCaptioner:
    """Sends frames as JPEG to `{base_url}/chat/completions` and returns what the model writes."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 60,
        max_tokens: int = 400,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"The captioner's base_url is {base_url!r}; it must be an http(s) address.")
        self.model_id = f"vision-llm:{model}"
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._host = parts.hostname
        self._model, self._api_key = model, api_key
        self._timeout_s, self._max_tokens = timeout_s, max_tokens
        self._opener = build_opener(_NoRedirect)

    def caption(self, images: Sequence[Rgb], *, prompt: str) -> str:
        """Return the answer to `prompt` about the pictures, taken together in order."""
        content: list[dict[str, object]] = [{"type": "text", "text": prompt}]
        content += [{"type": "image_url", "image_url": {"url": _data_url(image)}} for image in images]
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": self._max_tokens,
            "temperature": 0,
        }
        return self._answer(self._post(json.dumps(body).encode()))

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        request = Request(self._url, data=body, headers=headers, method="POST")
        for attempt in range(_RETRIES + 1):
            try:
                with self._opener.open(request, timeout=self._timeout_s) as response:
                    return bytes(response.read())
            except HTTPError as exc:
                if exc.code not in _BUSY or attempt == _RETRIES:
                    raise BackendError(
                        f"The vision model at {self._host} answered {exc.code}: {_reason(exc)}"
                    ) from exc
            except (URLError, HTTPException, OSError) as exc:
                if attempt == _RETRIES:
                    raise BackendError(f"The vision model at {self._host} cannot be reached: {exc}") from exc
            time.sleep(0.5 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _answer(self, raw: bytes) -> str:
        try:
            text = json.loads(raw)["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError) as exc:
            raise BackendError(
                f"The vision model at {self._host} answered in an unknown form: {raw[:80]!r}"
            ) from exc
        if not isinstance(text, str) or not text.strip():
            raise BackendError(f"The vision model at {self._host} answered nothing.")
        return text.strip()


def build(context: ModelContext) -> VisionLlmCaptioner:
    """Open the captioner at option `base_url` with option `model`; the environment holds the key."""
    variable = context.option("api_key_env", "")
    key = os.environ.get(variable) if variable else None
    if variable and not key:
        raise SettingsError(
            f"The captioner's key should be in the environment variable {variable}, which is empty."
        )
    return VisionLlmCaptioner(
        context.option("base_url"),
        context.option("model"),
        api_key=key,
        timeout_s=context.number("timeout_s", 60),
    )


def _data_url(image: Rgb) -> str:
    scale = min(_LONG_SIDE / max(image.shape[:2]), 1.0)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    done, packed = cv2.imencode(
        ".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY]
    )
    if not done:
        raise BackendError("A frame could not be written as JPEG for the vision model.")
    return "data:image/jpeg;base64," + base64.b64encode(packed.tobytes()).decode()


def _reason(exc: HTTPError) -> str:
    try:
        text = exc.read(2000).decode("utf-8", "replace")
        found = json.loads(text)["error"]["message"]
    except (OSError, ValueError, KeyError, TypeError):
        return str(exc.reason)
    return str(found)[:200]
