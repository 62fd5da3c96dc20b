from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

from .._convert import parse, to_json
from .._http.request import Request, path_of, start_request
from .._models import StartedWatch, Watch, WatchChanges, WatchFields, WatchItem
from .connection import AsyncGroup

if TYPE_CHECKING:
    from typing_extensions import Unpack

WatchItemStatus = Literal["marked", "filtered", "told", "waiting", "queued", "running", "completed", "failed"]


class AsyncWatches(AsyncGroup):
    async def create(
        self, *, idempotency_key: str | None = None, timeout: float | None = None, **fields: Unpack[WatchFields]
    ) -> StartedWatch:
        """
        Follows a feed, a channel, a playlist or a page, and imports or transcribes what is new. With neither `import_` nor
        `transcribe`, it only tells, by events and webhooks.

        ```python
        watch = await haul.watches.create(
            url="https://example.com/feed.xml", transcribe={"mode": "auto"}, max_cost_dollars_per_month=20
        )
        ```
        """
        request = start_request("/watches", to_json(fields), idempotency_key)
        return parse(StartedWatch, await self._connection.call(request, timeout))

    async def get(self, watch_id: str, *, timeout: float | None = None) -> Watch:
        return parse(Watch, await self._connection.call(Request("GET", path_of("watches", watch_id)), timeout))

    async def list(self, *, limit: int | None = None, timeout: float | None = None) -> AsyncIterator[Watch]:
        """Watches, newest first."""
        async for watch in self._connection.entries("/watches", "watches", {}, limit, timeout):
            yield parse(Watch, watch)

    async def items(
        self,
        watch_id: str,
        *,
        status: WatchItemStatus | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[WatchItem]:
        """The items of a watch, newest first."""
        path = f"{path_of('watches', watch_id)}/items"
        async for item in self._connection.entries(path, "items", {"status": status}, limit, timeout):
            yield parse(WatchItem, item)

    async def update(self, watch_id: str, *, timeout: float | None = None, **changes: Unpack[WatchChanges]) -> Watch:
        """Fields that are left out stay as they are. None removes what is optional."""
        request = Request("PATCH", path_of("watches", watch_id), body=to_json(changes))
        return parse(Watch, await self._connection.call(request, timeout))

    async def pause(self, watch_id: str, *, timeout: float | None = None) -> Watch:
        return await self.update(watch_id, timeout=timeout, paused=True)

    async def resume(self, watch_id: str, *, timeout: float | None = None) -> Watch:
        """Ends any pause, and takes what waits. `update(watch_id, waiting="drop")` marks it instead."""
        return await self.update(watch_id, timeout=timeout, paused=False)

    async def poll(self, watch_id: str, *, timeout: float | None = None) -> Watch:
        """Reads the list now. The service refuses this within a minute of the last poll, and then the call waits."""
        request = Request("POST", f"{path_of('watches', watch_id)}/poll")
        return parse(Watch, await self._connection.call(request, timeout))

    async def remove(self, watch_id: str, *, timeout: float | None = None) -> None:
        """Its jobs go on, and its items are forgotten."""
        await self._connection.call(Request("DELETE", path_of("watches", watch_id)), timeout)
