from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from .._convert import parse
from .._http.request import Call, Request, path_of
from .._models import ImportJob, JobFilter, JobInList, TranscriptionJob
from .._options import OnProgress
from .._results import Finished
from .connection import AsyncConnection
from .run_job import cancel_request, wait_for_job

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncJobs:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

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
        return await self._job(cancel_request(job_id), timeout)

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
        return await wait_for_job(
            self._connection,
            Call(timeout),
            job_id,
            on_progress=on_progress,
            cancel_on_abort=cancel_on_abort,
            words=words,
        )

    async def _job(self, request: Request, timeout: float | None) -> ImportJob | TranscriptionJob:
        return parse(ImportJob | TranscriptionJob, await self._connection.call(request, timeout))
