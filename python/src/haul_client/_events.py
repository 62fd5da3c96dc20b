"""What Haul sends to a `webhook_url`, and what `events()` yields. `type` says what `data` is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from ._models import Batch, ImportJob, ImportStatus, TranscriptionJob, TranscriptionStatus


@dataclass(frozen=True, kw_only=True)
class _Event:
    id: str
    """`evt_…`. An event can arrive more than once, with the same id."""
    timestamp: str


@dataclass(frozen=True, kw_only=True)
class ImportEvent(_Event):
    type: Literal["import.completed", "import.failed"]
    data: ImportStatus


@dataclass(frozen=True, kw_only=True)
class TranscriptionEvent(_Event):
    type: Literal["transcription.completed", "transcription.failed"]
    data: TranscriptionStatus


@dataclass(frozen=True, kw_only=True)
class BatchEvent(_Event):
    type: Literal["batch.completed", "batch.failed", "batch.canceled"]
    data: Batch


@dataclass(frozen=True, kw_only=True)
class TestMessage:
    message: str


@dataclass(frozen=True, kw_only=True)
class TestEvent(_Event):
    """The one of `POST /webhooks/test`."""

    type: Literal["webhook.test"]
    data: TestMessage


@dataclass(frozen=True, kw_only=True)
class StartedEvent(_Event):
    type: Literal["job.started"]
    data: ImportJob | TranscriptionJob


WebhookEvent = Union[ImportEvent, TranscriptionEvent, BatchEvent, TestEvent]
HaulEvent = Union[ImportEvent, TranscriptionEvent, BatchEvent, TestEvent, StartedEvent]
