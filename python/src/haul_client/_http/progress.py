from __future__ import annotations

import time
from typing import Any

from .._convert import parse
from .._options import OnProgress, Progress


class ProgressReporter:
    """Calls `on_progress` when the progress has changed."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self._last: Progress | None = None

    def report(self, job: dict[str, Any]) -> None:
        progress: Progress | None = parse(Progress, job.get("progress"))
        if progress is None and job.get("status") == "queued" and job.get("startedAt") is None:
            progress = Progress("queued")
        if progress is not None:
            self.tell(progress)

    def tell(self, progress: Progress) -> None:
        if self._on_progress and progress != self._last:
            self._last = progress
            self._on_progress(progress)


class UploadProgress:
    """Call `sent` with the size of each part that was sent."""

    def __init__(self, total_bytes: int, on_progress: OnProgress | None) -> None:
        self._reporter = ProgressReporter(on_progress)
        self._total_bytes = total_bytes
        self._sent_bytes = 0
        self._since = time.monotonic()

    def sent(self, size_bytes: int) -> None:
        self._sent_bytes += size_bytes
        seconds = time.monotonic() - self._since
        rate = round(self._sent_bytes / seconds) if self._sent_bytes and seconds else None
        eta = -(-(self._total_bytes - self._sent_bytes) // rate) if rate else None
        percent = 100 * self._sent_bytes // self._total_bytes if self._total_bytes else 100
        self._reporter.tell(Progress("uploading", percent, rate, eta))
