from __future__ import annotations

from typing import Any

from ._convert import parse
from ._models import Quote, RefusalDetail


class HaulError(Exception):
    """All errors that this package raises, apart from wrong arguments."""


class HaulApiError(HaulError):
    """The service has refused the request."""

    status: int
    """The HTTP status."""
    code: str
    """`INVALID_REQUEST`, `INSUFFICIENT_BALANCE`, `RATE_LIMITED` and so on."""
    request_id: str | None
    """Name it when you ask the operator of the service about this error."""
    details: list[RefusalDetail]
    """Says with `INVALID_REQUEST` what is wrong with which field."""
    required_dollars: float | None
    """Set with `INSUFFICIENT_BALANCE`, as `available_dollars` is."""
    available_dollars: float | None
    retry_after: float | None
    """Says with 429 and 503 after how many seconds the request may succeed."""
    body: dict[str, Any]
    """The whole body of the response."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.code = body["code"]
        self.request_id = body.get("requestId")
        self.details = parse(list[RefusalDetail], body.get("details") or [])
        self.required_dollars = body.get("requiredDollars")
        self.available_dollars = body.get("availableDollars")
        self.retry_after = body.get("retryAfter")

    def __str__(self) -> str:
        return str(self.body["error"])


class HaulJobError(HaulError):
    """The job has failed, or was canceled. It was not charged."""

    job_id: str
    code: str
    """`SOURCE_UNREACHABLE`, `NO_AUDIO`, `CANCELED` and so on."""
    retryable: bool
    """Whether the same request can succeed later."""
    quote: Quote | None
    """What a transcription with `builtin` would cost, where the code asks for a provider or a higher ceiling."""

    def __init__(self, job: dict[str, Any]) -> None:
        super().__init__(job)
        self.job_id = job["jobId"]
        self.code = job.get("code", "INTERNAL")
        self.retryable = job.get("retryable", False)
        self.quote = parse(Quote, job.get("quote"))

    def __str__(self) -> str:
        return str(self.args[0].get("message", "The job has failed."))


class HaulTimeoutError(HaulError):
    """`timeout` has passed. The job, if it was started, goes on."""

    job_id: str | None
    """None: the call timed out before it had started a job."""

    def __init__(self, timeout: float, job_id: str | None = None) -> None:
        super().__init__(timeout, job_id)
        self.job_id = job_id

    def __str__(self) -> str:
        return f"The call did not end within {self.args[0]} s."


class HaulConnectionError(HaulError):
    """The service could not be reached, and the retries are used up."""


class HaulWebhookError(HaulError):
    """A webhook that Haul did not send, or that is too old."""
