"""What Haul sends to a `webhook_url`, and what `events()` yields. `type` says what `data` is."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Union

from ._convert import parse
from ._errors import HaulWebhookError
from ._models import Batch, ImportJob, ImportStatus, NewWatchItem, TranscriptionJob, TranscriptionStatus, Watch


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
class WatchItemEvent(_Event):
    type: Literal["watch.item"]
    data: NewWatchItem


@dataclass(frozen=True, kw_only=True)
class WatchEvent(_Event):
    type: Literal["watch.failing", "watch.paused", "watch.resumed"]
    data: Watch


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


WebhookEvent = Union[ImportEvent, TranscriptionEvent, BatchEvent, WatchItemEvent, WatchEvent, TestEvent]
HaulEvent = Union[ImportEvent, TranscriptionEvent, BatchEvent, WatchItemEvent, WatchEvent, TestEvent, StartedEvent]

TOLERANCE_SECONDS = 300
"""Standard Webhooks 1.0. An older request may be a repetition by somebody who has recorded it."""


def verify_webhook(body: bytes | str, headers: Mapping[str, str], secret: str) -> WebhookEvent:
    named = {name.lower(): value for name, value in headers.items()}
    webhook_id = _header(named, "webhook-id")
    timestamp = _header(named, "webhook-timestamp")
    signatures = _header(named, "webhook-signature")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise HaulWebhookError("The webhook-timestamp is not within five minutes of the time here.")
    content = body.encode() if isinstance(body, str) else body
    signed = b"%b.%b.%b" % (webhook_id.encode(), timestamp.encode(), content)
    expected = b"v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(expected, each.encode()) for each in signatures.split(" ")):
        raise HaulWebhookError("The signature of the webhook is not valid.")
    sent = json.loads(content)
    event: WebhookEvent | None = parse(WebhookEvent, {**sent, "id": webhook_id})
    if event is None:
        raise HaulWebhookError(f"Events of the type {sent.get('type')} need a newer haul-client.")
    return event


def _header(headers: Mapping[str, str], name: str) -> str:
    if name not in headers:
        raise HaulWebhookError(f"The header {name} is missing.")
    return headers[name]


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("The secret is not one of GET /webhooks/secret.")
    return key
