from __future__ import annotations

import math
import time

from ._errors import HaulTimeoutError


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
