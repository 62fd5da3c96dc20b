from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from .._convert import parse
from .._errors import HaulError, HaulJobError
from .._http.request import Call, Request, path_of
from .._models import ImportJob, JobFilter, JobInList, StartedJob, TranscriptionJob
from .._options import OnProgress
from .._results import Finished, finished
from .connection import AsyncConnection, AsyncGroup
from .follow_job import follow_job, read_status

if TYPE_CHECKING:
    from typing_extensions import Unpack

Value = TypeVar("Value")

CLEAN_UP_SECONDS = 10.0
"""After an abort: the time for reading the id of a job that may have been started, and for its cancellation."""


class AsyncJobs(AsyncGroup):
    async def get(self, job_id: str, *, timeout: float | None = None) -> ImportJob | TranscriptionJob:
        return await self._job(Request("GET", path_of("jobs", job_id)), timeout)

    async def list(
        self, *, limit: int | None = None, timeout: float | None = None, **filter: Unpack[JobFilter]
    ) -> AsyncIterator[JobInList]:
        """Jobs, newest first: all, or those that match each of the filters.

        ```python
        async for job in haul.jobs.list(metadata={"show": "news"}, q="interview", limit=10):
            print(job.job_id, job.title)
        ```
        """
        async for job in self._connection.entries("/jobs", "jobs", filter, limit, timeout):
            yield parse(JobInList, job)

    async def cancel(self, job_id: str, *, timeout: float | None = None) -> ImportJob | TranscriptionJob:
        """Cancels a job that is queued or running, and returns it. One that has ended stays as it is."""
        return await self._job(_cancel_request(job_id), timeout)

    async def remove(self, job_id: str, *, timeout: float | None = None) -> ImportJob | TranscriptionJob:
        """Removes the media or the transcript of a finished job. A running one is canceled."""
        return await self._job(Request("DELETE", path_of("jobs", job_id)), timeout)

    async def wait(
        self,
        job_id: str,
        *,
        words: bool = False,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,
        cancel_on_abort: bool = False,
    ) -> Finished:
        """Returns the result of a job when it has completed, and raises a `HaulJobError` if it fails."""
        call = Call(timeout)
        call.job_id = job_id
        return await wait_for_job(self._connection, call, on_progress, cancel_on_abort, words)

    async def _job(self, request: Request, timeout: float | None) -> ImportJob | TranscriptionJob:
        return parse(ImportJob | TranscriptionJob, await self._connection.call(request, timeout))


async def start_job(connection: AsyncConnection, call: Call, request: Request, cancel_on_abort: bool) -> StartedJob:
    async def cancel() -> None:
        if call.is_unanswered:
            # The job may have been started. The same Idempotency-Key returns it instead of starting another one.
            clean_up = Call(CLEAN_UP_SECONDS)
            started = await connection.data(clean_up, request)
            await connection.data(clean_up, _cancel_request(started["jobId"]))

    async def start() -> StartedJob:
        return parse(StartedJob, await connection.data(call, request))

    started = await _or_cancel(start, cancel if cancel_on_abort else None)
    call.job_id = started.job_id
    return started


async def wait_for_job(
    connection: AsyncConnection, call: Call, on_progress: OnProgress | None, cancel_on_abort: bool, words: bool
) -> Finished:
    job_id = call.job_id or ""

    async def cancel() -> None:
        await connection.call(_cancel_request(job_id), CLEAN_UP_SECONDS)

    async def wait() -> Finished:
        job = await follow_job(connection, call, job_id, on_progress)
        if job["status"] == "failed":
            raise HaulJobError({"jobId": job_id, **job})
        if words and (job.get("result") or {}).get("wordsAvailable"):
            job = await read_status(connection, call, job_id, {"words": 1})
        return finished(job_id, job)

    return await _or_cancel(wait, cancel if cancel_on_abort else None)


async def _or_cancel(run: Callable[[], Awaitable[Value]], cancel: Callable[[], Awaitable[None]] | None) -> Value:
    """Cancels the job if the call is ended from outside: by an interrupt, a cancelled task, or an error of `on_progress`."""
    try:
        return await run()
    except HaulError:
        raise
    except BaseException:
        if cancel:
            # The call raises the original error, whether or not the job could be canceled.
            with suppress(HaulError):
                await cancel()
        raise


def _cancel_request(job_id: str) -> Request:
    """A job that has ended meanwhile keeps its result."""
    return Request("DELETE", path_of("jobs", job_id), query={"cancelOnly": 1})
