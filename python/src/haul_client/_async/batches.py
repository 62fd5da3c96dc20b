from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Literal

from .._convert import parse, to_json
from .._http.request import Call, Request, path_of, start_request
from .._models import Batch, BatchFields, BatchItem, StartedBatch
from .._options import OnProgress, Progress, ProgressReporter
from .connection import AsyncGroup
from .follow import Followed, State, follow

if TYPE_CHECKING:
    from typing_extensions import Unpack

POLL_SECONDS = 5.0
"""Without a stream. The service answers at once, and counts each of them."""

ItemStatus = Literal["waiting", "queued", "running", "completed", "failed", "skipped", "canceled"]


class AsyncBatches(AsyncGroup):
    async def create(
        self, *, idempotency_key: str | None = None, timeout: float | None = None, **fields: Unpack[BatchFields]
    ) -> StartedBatch:
        """Starts imports or transcriptions of up to 500 URLs, or of the entries of a playlist.

        ```python
        batch = await haul.batches.create(playlist_url="https://example.com/feed.xml", transcribe={"mode": "auto"})
        await haul.batches.wait(batch.batch_id)
        ```
        """
        request = start_request("/batches", to_json(fields), idempotency_key)
        return parse(StartedBatch, await self._connection.call(request, timeout))

    async def get(self, batch_id: str, *, timeout: float | None = None) -> Batch:
        return parse(Batch, await self._connection.call(Request("GET", path_of("batches", batch_id)), timeout))

    async def list(
        self, *, watch_id: str | None = None, limit: int | None = None, timeout: float | None = None
    ) -> AsyncIterator[Batch]:
        """Batches, newest first: those of a watch with its `watch_id`, else those of no watch."""
        async for batch in self._connection.entries("/batches", "batches", {"watch_id": watch_id}, limit, timeout):
            yield parse(Batch, batch)

    async def items(
        self,
        batch_id: str,
        *,
        status: ItemStatus | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[BatchItem]:
        """The items of a batch, in their order."""
        path = f"{path_of('batches', batch_id)}/items"
        async for item in self._connection.entries(path, "items", {"status": status}, limit, timeout):
            yield parse(BatchItem, item)

    async def cancel(self, batch_id: str, *, timeout: float | None = None) -> Batch:
        """Cancels the items that have not ended."""
        return parse(Batch, await self._connection.call(Request("DELETE", path_of("batches", batch_id)), timeout))

    async def retry(
        self, batch_id: str, *, idempotency_key: str | None = None, timeout: float | None = None
    ) -> StartedBatch:
        """
        Starts a new batch of the items that failed retryably, were skipped or canceled. While an earlier retry is open,
        returns that one.
        """
        request = start_request(f"{path_of('batches', batch_id)}/retry", None, idempotency_key)
        return parse(StartedBatch, await self._connection.call(request, timeout))

    async def wait(
        self,
        batch_id: str,
        *,
        on_progress: OnProgress | None = None,
        on_change: Callable[[Batch], object] | None = None,
        timeout: float | None = None,
    ) -> Batch:
        """
        Returns when the batch has ended, also if it failed or was canceled: see its `status`. `on_change` is called with the
        batch as it is, and after each change.
        """
        call = Call(timeout)
        reporter = ProgressReporter(on_progress)

        async def poll() -> State:
            state: State = await self._connection.data(call, Request("GET", path_of("batches", batch_id)))
            return state

        def report(state: State) -> None:
            batch: Batch = parse(Batch, state)
            if on_change:
                on_change(batch)
            reporter.tell(_progress_of(batch))

        followed = Followed(path_of("batches", batch_id), poll, POLL_SECONDS)
        ended: Batch = parse(Batch, await follow(self._connection, call, followed, report))
        return ended


def _progress_of(batch: Batch) -> Progress:
    counts = batch.counts
    if counts.total is None:
        return Progress(batch.status)
    ended = counts.completed + counts.failed + counts.skipped
    return Progress(batch.status, 100 * ended // counts.total if counts.total else 100)
