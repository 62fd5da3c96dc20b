from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

import httpx

from .._errors import HaulConnectionError, HaulError, HaulTimeoutError
from .._http._asyncio import pause
from .._http.event_parser import EventParser, Message
from .._http.request import Call, Query, Request, data_in, faults_of, refusal_in, setting
from .._http.retry import Retries, RetryPolicy

Value = TypeVar("Value")

MAX_PAGE = 100
"""The largest page that the service returns of most lists."""
ATTEMPT_SECONDS = 60.0
"""No response takes longer: the longest are long polls of 30 s, and the check of an upload."""


class AsyncConnection:
    """The requests of a client: address, key, envelope, errors and retries."""

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        http_client: httpx.AsyncClient | None,
        retry_policy: RetryPolicy,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._own_client = http_client is None
        self.http = http_client or httpx.AsyncClient()
        self.retry_policy = retry_policy

    async def close(self) -> None:
        if self._own_client:
            await self.http.aclose()

    async def call(self, request: Request, timeout: float | None = None) -> Any:
        """A call of one request, which returns its `data`."""
        return await self.data(Call(timeout), request)

    async def data(self, call: Call, request: Request) -> Any:
        async def attempt() -> Any:
            return data_in(await self._content(call, request))

        return await self.with_retries(call, request.may_be_repeated, attempt)

    async def text(self, call: Call, request: Request) -> str:
        async def attempt() -> bytes:
            return await self._content(call, request)

        return (await self.with_retries(call, request.may_be_repeated, attempt)).decode()

    async def with_retries(self, call: Call, is_repeatable: bool, attempt: Callable[[], Awaitable[Value]]) -> Value:
        retries = Retries(self.retry_policy, is_repeatable=is_repeatable)
        while True:
            try:
                return await attempt()
            except HaulTimeoutError:
                raise
            except HaulError as error:
                await pause(retries.pause_after(error), call)

    async def _content(self, call: Call, request: Request) -> bytes:
        async with self.open(call, request, ATTEMPT_SECONDS) as response:
            chunks = []
            async for chunk in response.aiter_bytes():
                call.seconds_left()
                chunks.append(chunk)
            call.is_unanswered = False
            return b"".join(chunks)

    @asynccontextmanager
    async def open(self, call: Call, request: Request, read_seconds: float) -> AsyncIterator[httpx.Response]:
        """One attempt, whose body is not read yet. Raises a HaulApiError unless the status is 2xx."""
        base_url = setting("base_url", self._base_url, "HAUL_URL").rstrip("/")
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url must begin with https:// or http://, and is {base_url}.")
        sent = self.http.build_request(
            request.method,
            f"{base_url}{request.path}",
            params=request.parameters(),
            headers=request.all_headers(setting("api_key", self._api_key, "HAUL_API_KEY")),
            content=request.content(),
            timeout=min(read_seconds, call.seconds_left()),
        )
        with faults_of(call, base_url):
            call.is_unanswered = True
            response = await self.http.send(sent, stream=True)
            async with aclosing(response):
                if not response.is_success:
                    content = await response.aread()
                    call.is_unanswered = False
                    raise refusal_in(response.status_code, response.headers, content)
                yield response

    async def messages(self, call: Call, request: Request, silence_seconds: float) -> AsyncGenerator[Message, None]:
        """The messages of one stream of events, until it ends. Faults of the connection are raised."""
        parser = EventParser()
        request = Request(request.method, request.path, headers={**request.headers, "Accept": "text/event-stream"})
        async with self.open(call, request, silence_seconds) as response:
            if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
                raise HaulConnectionError("The response is not a stream of events.")
            async for chunk in response.aiter_bytes():
                for message in parser.feed(chunk):
                    yield message

    async def entries(
        self, path: str, name: str, query: Query, limit: int | None, timeout: float | None, max_page: int = MAX_PAGE
    ) -> AsyncIterator[Any]:
        """
        Reads page after page, and each only when its entries are wanted. `timeout` is for each of them. `name`: the property
        of the response that holds the entries.
        """
        cursor = None
        while limit is None or limit > 0:
            size = max_page if limit is None else min(limit, max_page)
            page = await self.call(Request("GET", path, query={**query, "cursor": cursor, "limit": size}), timeout)
            for entry in page[name]:
                yield entry
            limit = None if limit is None else limit - len(page[name])
            cursor = page["nextCursor"]
            if cursor is None:
                return


class AsyncGroup:
    """What the groups of methods have in common, such as `haul.jobs`."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
