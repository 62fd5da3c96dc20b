from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from .._convert import parse
from .._errors import HaulError, HaulJobError
from .._http.request import Call, Request, path_of, start_request
from .._models import StartedJob
from .._options import OnProgress
from .._results import Finished, finished
from .connection import AsyncConnection
from .follow_job import follow_job, read_status

Value = TypeVar("Value")

CLEAN_UP_SECONDS = 10.0
"""After an abort: for the id of a job that may have been started, and for its cancellation."""


async def start_job(
    connection: AsyncConnection,
    call: Call,
    path: str,
    body: dict[str, Any],
    *,
    idempotency_key: str | None = None,
    cancel_on_abort: bool = False,
) -> StartedJob:
    request = start_request(path, body, idempotency_key)

    async def cancel() -> None:
        if call.is_unanswered:
            # The job may have been started. The same Idempotency-Key names it, and starts no other one.
            clean_up = Call(CLEAN_UP_SECONDS)
            started = await connection.data(clean_up, request)
            await connection.data(clean_up, cancel_request(started["jobId"]))

    async def start() -> StartedJob:
        return parse(StartedJob, await connection.data(call, request))

    started = await _or_cancel(start, cancel if cancel_on_abort else None)
    call.job_id = started.job_id
    return started


async def wait_for_job(
    connection: AsyncConnection,
    call: Call,
    job_id: str,
    *,
    on_progress: OnProgress | None = None,
    cancel_on_abort: bool = False,
    words: bool = False,
) -> Finished:
    call.job_id = job_id

    async def cancel() -> None:
        await connection.call(cancel_request(job_id), CLEAN_UP_SECONDS)

    async def wait() -> Finished:
        job = await follow_job(connection, call, job_id, on_progress)
        if job["status"] == "failed":
            raise HaulJobError({"jobId": job_id, **job})
        if words and (job.get("result") or {}).get("wordsAvailable"):
            job = await read_status(connection, call, job_id, {"words": 1})
        return finished(job_id, job)

    return await _or_cancel(wait, cancel if cancel_on_abort else None)


async def _or_cancel(run: Callable[[], Awaitable[Value]], cancel: Callable[[], Awaitable[None]] | None) -> Value:
    """Cancels the job on whatever ends the call from outside: an interrupt, a cancelled task, an error of `on_progress`."""
    try:
        return await run()
    except HaulError:
        raise
    except BaseException:
        if cancel:
            # The call raises what has ended it, whether or not the job could be canceled.
            with suppress(HaulError):
                await cancel()
        raise


def cancel_request(job_id: str) -> Request:
    """It removes nothing of a job that has ended meanwhile."""
    return Request("DELETE", path_of("jobs", job_id), query={"cancelOnly": 1})
