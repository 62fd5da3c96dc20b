from __future__ import annotations

import json
import math
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from .._convert import to_camel
from .._errors import HaulApiError, HaulConnectionError, HaulError, HaulTimeoutError

Query = Mapping[str, Any]
"""A dictionary is sent as several parameters: `{"metadata": {"show": "news"}}` as `metadata.show=news`."""


class Call:
    """A call of the caller's program. It can take many requests, which share its time limit."""

    job_id: str | None = None
    """Set when the call has started a job."""
    is_unanswered = False
    """Whether the last request may have arrived, and its response is not known."""

    def __init__(self, timeout: float | None = None) -> None:
        self.timeout = timeout
        self._ends = math.inf if timeout is None else time.monotonic() + timeout

    def seconds_left(self) -> float:
        """Raises HaulTimeoutError when the time is up."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise HaulTimeoutError(self.timeout or 0, self.job_id)
        return left


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """Starts with a slash."""
    query: Query = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    is_repeatable: bool | None = None
    """Whether the request may be repeated if its response is lost. Default: all but a POST without a key."""

    @property
    def may_be_repeated(self) -> bool:
        if self.is_repeatable is not None:
            return self.is_repeatable
        return self.method != "POST" or self.idempotency_key is not None

    def parameters(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in self.query.items():
            if isinstance(value, Mapping):
                found.update({f"{to_camel(name)}.{key}": _text(each) for key, each in value.items()})
            elif value is not None:
                found[to_camel(name)] = _text(value)
        return found

    def all_headers(self, api_key: str) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {api_key}", "Accept": "*/*", **self.headers}
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def content(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body).encode()


def start_request(path: str, body: Any, idempotency_key: str | None) -> Request:
    """A start may be repeated: the service repeats its response to a known Idempotency-Key."""
    return Request("POST", path, body=body, idempotency_key=idempotency_key or str(uuid.uuid4()))


def path_of(collection: str, id: str) -> str:
    """An id is one segment of a path, whatever characters it has."""
    return f"/{collection}/{quote(id, safe='')}"


def setting(option: str, value: str | None, variable: str) -> str:
    """Read when it is needed, because `webhooks.verify` needs neither a key nor an address."""
    found = value if value is not None else os.environ.get(variable)
    if not found:
        raise TypeError(f"{option} is missing: Haul({option}=…), or the variable {variable}.")
    return found


def data_in(content: bytes) -> Any:
    """The `data` of a response, which 204 does not have."""
    if not content:
        return None
    body = _json_object(content)
    if body is None or body.get("success") is not True:
        raise HaulError("The response does not come from Haul. Check base_url.")
    return body.get("data")


def refusal_in(status: int, headers: Mapping[str, str], content: bytes) -> HaulApiError:
    """Proxies in front of the service respond with pages of their own."""
    body = _json_object(content) or {}
    if isinstance(body.get("error"), str) and isinstance(body.get("code"), str):
        body = {**body, "requestId": headers.get("x-request-id")}
    else:
        body = {"error": f"The service responded with status {status}.", "code": "UNKNOWN", "requestId": None}
    # Seconds. Haul never sends a date.
    retry_after = headers.get("retry-after", "")
    return HaulApiError(status, {"retryAfter": int(retry_after), **body} if retry_after.isdecimal() else body)


@contextmanager
def faults_of(call: Call, peer: str) -> Iterator[None]:
    """Raises faults of a connection as HaulConnectionError, or HaulTimeoutError if the time of the call is up."""
    try:
        yield
    except httpx.HTTPError as cause:
        if isinstance(cause, httpx.TimeoutException):
            call.seconds_left()
        raise HaulConnectionError(f"The connection to {peer} failed: {cause or type(cause).__name__}") from cause


def _json_object(content: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return str(int(value))
    return str(value)
