from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._errors import HaulApiError, HaulConnectionError, HaulError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0


@dataclass(frozen=True)
class RetryPolicy:
    max_retries: float
    """After connection faults and server errors."""
    max_busy_seconds: float
    """All pauses together, while the service is busy."""


def backoff(failures: int) -> float:
    """Full jitter, so that many clients do not come back at the same time. `failures` starts with 1."""
    return random.random() * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 10))


class Retries:
    """
    How long to wait before the next attempt. Three kinds of errors are tried again:

    - connection faults and server errors, which pass or not. Only where `is_repeatable`: the request may have had its effect;
    - 429 and 503, which say when to come back. Nothing has happened, so any request can be repeated. Only
      SERVICE_UNAVAILABLE is like a server error;
    - 409 IDEMPOTENCY_IN_PROGRESS: an attempt whose connection broke still runs, and its response is what we want.
    """

    def __init__(self, policy: RetryPolicy, *, is_repeatable: bool) -> None:
        self._policy = policy
        self._is_repeatable = is_repeatable
        self._failures = 0
        self._refusals = 0
        self._busy_seconds = 0.0

    def pause_after(self, error: HaulError) -> float:
        """Raises the error if there should be no further attempt."""
        if _is_busy(error):
            self._refusals += 1
            pause = _busy_pause(error, self._refusals)
            self._busy_seconds += pause
            if self._busy_seconds <= self._policy.max_busy_seconds:
                return pause
        elif self._is_repeatable and _is_fault(error):
            self._failures += 1
            if self._failures <= self._policy.max_retries:
                return backoff(self._failures)
        raise error


def _is_fault(error: HaulError) -> bool:
    return isinstance(error, HaulConnectionError) or (isinstance(error, HaulApiError) and error.status >= 500)


def _is_busy(error: HaulError) -> TypeIs[HaulApiError]:
    if not isinstance(error, HaulApiError):
        return False
    if error.status == 503:
        return error.code != "SERVICE_UNAVAILABLE" and error.retry_after is not None
    return error.status == 429 or error.code == "IDEMPOTENCY_IN_PROGRESS"


def _busy_pause(error: HaulApiError, refusals: int) -> float:
    """Up to a second more than requested, because others wait for the same moment."""
    return backoff(refusals) if error.retry_after is None else error.retry_after + random.random()
