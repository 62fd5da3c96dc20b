from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import httpx

from .._convert import parse, to_json
from .._events import HaulEvent
from .._http.request import Call, Query, Request, start_request
from .._http.retry import RetryPolicy
from .._models import (
    Account,
    AccountChanges,
    Model,
    PlaylistMetadata,
    SearchFilter,
    SearchResult,
    SourceMetadata,
    StartedJob,
    Transcript,
)
from .._options import ImportOptions, Source, SourceOptions, TranscribeOptions, TranscriptOptions, fields_of
from .._results import FinishedImport, FinishedTranscription
from .batches import AsyncBatches
from .connection import AsyncConnection
from .events import account_events
from .jobs import AsyncJobs, start_job, wait_for_job
from .keys import AsyncKeys
from .uploads import AsyncUploads, send_file
from .watches import AsyncWatches
from .webhooks import AsyncWebhooks

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

TextFormat = Literal["txt", "srt", "vtt", "tsv", "md"]

MAX_SEARCH_PAGE = 50
"""The largest page of search that the service returns."""


class AsyncHaul:
    """A client of one account of a Haul service.

    ```python
    async with AsyncHaul(api_key="haul_…", base_url="https://haul.example.com") as haul:
        print((await haul.transcribe("https://example.com/talk")).text)
    ```

    Without `api_key` and `base_url`, the environment variables `HAUL_API_KEY` and `HAUL_URL` are used. `max_retries` is how
    often a request is tried again after a connection fault or a 5xx response. `max_busy_seconds` is how long a request waits
    in all while the service answers 429 or 503, with the pauses of its `Retry-After`. `http_client` is used for every
    request, and must be closed by you.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        max_retries: int = 5,
        max_busy_seconds: float = 600,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        policy = RetryPolicy(max_retries, max_busy_seconds)
        self._connection = AsyncConnection(api_key, base_url, http_client, policy)
        self.batches = AsyncBatches(self._connection)
        self.jobs = AsyncJobs(self._connection)
        self.keys = AsyncKeys(self._connection)
        self.uploads = AsyncUploads(self._connection)
        self.watches = AsyncWatches(self._connection)
        self.webhooks = AsyncWebhooks(self._connection)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._connection.close()

    @overload
    async def import_media(self, url: str, *, wait: Literal[False], **options: Unpack[ImportOptions]) -> StartedJob: ...
    @overload
    async def import_media(
        self, url: str, *, wait: Literal[True] = True, **options: Unpack[ImportOptions]
    ) -> FinishedImport: ...
    async def import_media(
        self, url: str, *, wait: bool = True, **options: Unpack[ImportOptions]
    ) -> StartedJob | FinishedImport:
        """Imports the media of a URL, and returns when the file is stored, with all `files` that were asked for beside it.

        ```python
        film = await haul.import_media("https://example.com/film", video_quality="720p", on_progress=print)
        print(film.media_url)
        ```
        """
        call = Call(options.get("timeout"))
        body = {**to_json(fields_of(options)), "url": url}
        return await self._run(call, "/import", body, options, wait)  # type: ignore[no-any-return]

    @overload
    async def transcribe(
        self, source: Source | None = None, *, wait: Literal[False], **options: Unpack[SourceOptions]
    ) -> StartedJob: ...
    @overload
    async def transcribe(
        self, source: Source | None = None, *, wait: Literal[True] = True, **options: Unpack[SourceOptions]
    ) -> FinishedTranscription: ...
    async def transcribe(
        self, source: Source | None = None, *, wait: bool = True, **options: Unpack[SourceOptions]
    ) -> StartedJob | FinishedTranscription:
        """
        Transcribes media, and returns when the transcript is there: of a URL, a file (a `Path`, or a file object in
        binary mode, which is uploaded), an import, or an upload. Without `mode` and `provider` it takes existing captions.

        ```python
        result = await haul.transcribe(Path("interview.mp3"), mode="auto", max_cost_dollars=0.5)
        print(result.text)
        ```
        """
        call = Call(options.get("timeout"))
        sources = {"import_id": options.pop("import_id", None), "upload_id": options.pop("upload_id", None)}
        if isinstance(source, str):
            sources["url"] = source
        elif source is not None:
            upload = await send_file(self._connection, call, source, on_progress=options.get("on_progress"))
            sources["upload_id"] = upload.upload_id
        given = {name: each for name, each in sources.items() if each is not None}
        body = to_json({**fields_of(options), **given})
        return await self._run(call, "/transcribe", body, options, wait)  # type: ignore[no-any-return]

    async def _run(
        self, call: Call, path: str, body: dict[str, Any], options: ImportOptions | TranscribeOptions, wait: bool
    ) -> Any:
        """Starts a job, and follows it unless `wait` is False."""
        cancel_on_abort = options.get("cancel_on_abort", False)
        request = start_request(path, body, options.get("idempotency_key"))
        started = await start_job(self._connection, call, request, cancel_on_abort)
        if not wait:
            return started
        on_progress, words = options.get("on_progress"), body.get("words", False)
        return await wait_for_job(self._connection, call, on_progress, cancel_on_abort, words)

    async def metadata(self, url: str, *, timeout: float | None = None) -> SourceMetadata | PlaylistMetadata:
        """Sizes, formats, captions and prices of a source, or the entries of a playlist. Free of charge."""
        found = await self._connection.call(Request("GET", "/metadata", query={"url": url}), timeout)
        return parse(SourceMetadata | PlaylistMetadata, found)

    async def account(self, *, timeout: float | None = None) -> Account:
        """The balance, the prices and the limits of the account."""
        return parse(Account, await self._connection.call(Request("GET", "/account"), timeout))

    async def models(self, *, timeout: float | None = None) -> list[Model]:
        """The models of the built-in engine: what each can do, and what it costs."""
        found = await self._connection.call(Request("GET", "/models"), timeout)
        return parse(list[Model], found["models"])

    async def update_account(self, *, timeout: float | None = None, **changes: Unpack[AccountChanges]) -> None:
        """`index=False` empties the index, so that nothing is found. After `index=True`, `rebuild_search` brings earlier words back."""
        await self._connection.call(Request("PATCH", "/account", body=to_json(changes)), timeout)

    async def search(
        self, q: str, *, limit: int | None = None, timeout: float | None = None, **filters: Unpack[SearchFilter]
    ) -> AsyncIterator[SearchResult]:
        """
        Where words were said, in the transcripts, captions and titles of the account, the best passages first. All words of
        `q` must be in a passage. `"a phrase"`, `word*` and `-word` narrow it.

        ```python
        async for found in haul.search('"lease expires" renew*', limit=10):
            print(found.title, found.start, found.snippet, found.link)
        ```
        """
        query = {**filters, "q": q}
        async for found in self._connection.entries("/search", "results", query, limit, timeout, MAX_SEARCH_PAGE):
            yield parse(SearchResult, found)

    async def rebuild_search(self, *, timeout: float | None = None) -> None:
        """Brings back the words of earlier jobs that are still stored. Jobs that were started with `index=False` stay out."""
        await self._connection.call(Request("POST", "/search/rebuild", is_repeatable=True), timeout)

    @overload
    async def transcript(
        self, job_id: str, format: Literal["json"] = "json", *, timeout: float | None = None
    ) -> Transcript: ...
    @overload
    async def transcript(self, job_id: str, format: TextFormat, **options: Unpack[TranscriptOptions]) -> str: ...
    async def transcript(
        self,
        job_id: str,
        format: Literal["json"] | TextFormat = "json",
        *,
        speakers: bool = False,
        chapters: bool = False,
        max_line_chars: int | None = None,
        max_lines: int | None = None,
        timeout: float | None = None,
    ) -> Transcript | str:
        """
        The transcript of a completed transcription, or of an import with words: an object for `json`, else the text of the
        file. `speakers`: names before lines. `chapters`: their titles as headings in txt and md. `max_line_chars` and
        `max_lines` are for srt and vtt.
        """
        flags = {"speakers": 1 if speakers else None, "chapters": 1 if chapters else None}
        layout = {"max_line_chars": max_line_chars, "max_lines": max_lines}
        query = {"id": job_id, "format": format, **flags, **layout}
        text = await self._connection.text(Call(timeout), Request("GET", "/transcribe/transcript", query=query))
        return parse(Transcript, json.loads(text)) if format == "json" else text

    def events(
        self, *, last_event_id: str | None = None, on_open: Callable[[], object] | None = None
    ) -> AsyncIterator[HaulEvent]:
        """
        The events of all jobs, batches and watches of the account as they happen. Once it is connected, it connects again
        whenever the connection breaks, and continues after the last event. Leave the loop to end it. `on_open` is called whenever
        the service has said where the stream begins: from then on no event is lost.

        ```python
        async for event in haul.events():
            print(event.type, event.data)
        ```
        """
        return account_events(self._connection, last_event_id, on_open)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """
        Sends a request to an endpoint that has no method here, with retries, and returns its `data` as JSON. Without an
        `idempotency_key`, a POST is not repeated after a connection fault.
        """
        request = Request(method.upper(), path, query=query or {}, body=body, idempotency_key=idempotency_key)
        return await self._connection.call(request, timeout)
