"""What callers give besides the fields of a request, and what `on_progress` gets."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypedDict, Union

from ._convert import parse
from ._models import ImportFields, TranscribeFields


@dataclass(frozen=True)
class Progress:
    """How far a job, an upload or a batch is."""

    stage: str
    """`queued`, `resolving`, `downloading`, `processing`, `uploading`, `recognizing` or `delivering`."""
    percent: float | None = None
    """0 to 100. None if it is unknown."""
    bytes_per_second: float | None = None
    eta_seconds: float | None = None


OnProgress = Callable[[Progress], object]
"""Called whenever the progress changes. What it raises ends the call."""


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


FileSource = Union["os.PathLike[str]", IO[bytes]]
"""A file: its path, or a file object in binary mode whose position can be set."""

Source = Union[str, Path, "os.PathLike[str]", IO[bytes]]
"""What is transcribed: a URL, or a file."""


class WaitOptions(TypedDict, total=False):
    timeout: float | None
    """In seconds. Then the call raises a `HaulTimeoutError`, and the job goes on."""
    on_progress: OnProgress | None
    cancel_on_abort: bool
    """An interrupt, a cancelled task, or an error of `on_progress` also cancels the job."""


class JobOptions(WaitOptions, total=False):
    idempotency_key: str | None
    """A start that is repeated with the same key within 24 hours starts nothing new. Default: a random one."""


class ImportOptions(ImportFields, JobOptions, total=False):
    """The fields of `POST /import` without `url`, and how its end is awaited."""


class TranscribeOptions(TranscribeFields, JobOptions, total=False):
    """The fields of `POST /transcribe` without its source, and how its end is awaited."""


class SourceOptions(TranscribeOptions, total=False):
    """The source may also be an import or an upload, instead of a URL or a file."""

    import_id: str | None
    upload_id: str | None


class TranscriptOptions(TypedDict, total=False):
    speakers: bool
    chapters: bool
    max_line_chars: int | None
    max_lines: int | None
    timeout: float | None


def fields_of(options: Any) -> dict[str, Any]:
    """What is left without the options of this package are the fields of the request."""
    return {name: value for name, value in options.items() if name not in JobOptions.__annotations__}
