from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from .._request import Query, Request
from .connection import AsyncConnection

MAX_PAGE = 100
"""The most that the service puts into a page."""


async def entries_of(
    connection: AsyncConnection, path: str, name: str, query: Query, limit: int | None, timeout: float | None
) -> AsyncIterator[Any]:
    """
    Reads page after page, and each only when its entries are wanted. `timeout` is for each of them. `name`: the property
    of the response that holds the entries.
    """
    cursor = None
    while limit is None or limit > 0:
        size = MAX_PAGE if limit is None else min(limit, MAX_PAGE)
        request = Request("GET", path, query={**query, "cursor": cursor, "limit": size})
        page = await connection.call(request, timeout)
        for entry in page[name]:
            yield entry
        limit = None if limit is None else limit - len(page[name])
        cursor = page["nextCursor"]
        if cursor is None:
            return
