from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from .._errors import HaulError, HaulTimeoutError
from .._http._asyncio import pause
from .._http.request import Call, Query, Request, path_of
from .._http.retry import backoff
from .._options import OnProgress, ProgressReporter
from .connection import AsyncConnection

SILENCE_SECONDS = 20.0
"""The service sends the first event at once and a comment every 15 seconds, so a silent stream is dead or held back."""
MAX_BROKEN_STREAMS = 4
"""After these, the job is followed by long polls."""
LONGEST_POLL_SECONDS = 30
PROGRESS_POLL_SECONDS = 5
"""A long poll returns when the job ends, so polls that report progress are shorter."""
SHORTEST_POLL_SECONDS = 1.0
"""Applies if the service responds at once although it should wait."""

Job = dict[str, Any]
"""What streams, status reads and `GET /jobs/{id}` have in common."""


async def follow_job(connection: AsyncConnection, call: Call, job_id: str, on_progress: OnProgress | None) -> Job:
    """Follows a job by its event stream, or by long polls, and returns it when it has completed or failed."""
    report = ProgressReporter(on_progress).report
    job = await _follow_stream(connection, call, job_id, report)
    return job or await _poll(connection, call, job_id, report, is_quiet=on_progress is None)


async def _follow_stream(
    connection: AsyncConnection, call: Call, job_id: str, report: Callable[[Job], None]
) -> Job | None:
    request = Request("GET", f"{path_of('jobs', job_id)}/events")
    for broken in range(1, MAX_BROKEN_STREAMS + 1):
        has_events = False
        try:
            async with aclosing(connection.messages(call, request, SILENCE_SECONDS)) as messages:
                async for message in messages:
                    # The stream may be silent for longer than the call has left. A poll ends in time.
                    if call.seconds_left() < SILENCE_SECONDS:
                        return None
                    if message.data is None:
                        continue
                    job: Job = json.loads(message.data)
                    has_events = True
                    report(job)
                    if _has_ended(job):
                        return job
        except HaulTimeoutError:
            raise
        except HaulError:
            # Long polls find out what is wrong: a status read is retried or refused.
            if not has_events:
                return None
        await pause(backoff(broken), call)
    return None


async def _poll(
    connection: AsyncConnection, call: Call, job_id: str, report: Callable[[Job], None], *, is_quiet: bool
) -> Job:
    wait = LONGEST_POLL_SECONDS if is_quiet else PROGRESS_POLL_SECONDS
    while True:
        since = time.monotonic()
        job = await read_status(connection, call, job_id, {"wait": wait})
        report(job)
        if _has_ended(job):
            return job
        await pause(max(0, SHORTEST_POLL_SECONDS - (time.monotonic() - since)), call)


async def read_status(connection: AsyncConnection, call: Call, job_id: str, query: Query) -> Job:
    path = "/transcribe/status" if job_id.startswith("trn_") else "/import/status"
    job: Job = await connection.data(call, Request("GET", path, query={"id": job_id, **query}))
    return job


def _has_ended(job: Job) -> bool:
    return job.get("status") in ("completed", "failed")
