from __future__ import annotations

from .._http.request import Call, Query, Request, path_of
from .._options import OnProgress, ProgressReporter
from .connection import AsyncConnection
from .follow import Followed, State, follow

LONGEST_POLL_SECONDS = 30
PROGRESS_POLL_SECONDS = 5
"""A long poll returns when the job ends, so polls that report progress are shorter."""
SHORTEST_POLL_SECONDS = 1.0


async def follow_job(connection: AsyncConnection, call: Call, job_id: str, on_progress: OnProgress | None) -> State:
    """Returns the job when it has completed or failed. Without `on_progress`, polls are as long as possible."""
    wait = PROGRESS_POLL_SECONDS if on_progress else LONGEST_POLL_SECONDS

    async def poll() -> State:
        return await read_status(connection, call, job_id, {"wait": wait})

    job = Followed(path_of("jobs", job_id), poll, SHORTEST_POLL_SECONDS)
    return await follow(connection, call, job, ProgressReporter(on_progress).report)


async def read_status(connection: AsyncConnection, call: Call, job_id: str, query: Query) -> State:
    path = "/transcribe/status" if job_id.startswith("trn_") else "/import/status"
    job: State = await connection.data(call, Request("GET", path, query={"id": job_id, **query}))
    return job
