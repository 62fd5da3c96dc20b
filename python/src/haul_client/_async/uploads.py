from __future__ import annotations

from collections import deque
from contextlib import suppress

from .._convert import parse
from .._errors import HaulApiError, HaulConnectionError, HaulError
from .._http._asyncio import at_once, blocking
from .._http.request import Call, Request, faults_of, path_of
from .._http.upload import OpenFile, UploadProgress
from .._models import PendingUpload, ReadyUpload, RemovedUpload
from .._options import FileSource, OnProgress
from .connection import AsyncConnection, AsyncGroup

PARALLEL_PARTS = 4
MAX_ROUNDS = 3
"""If the storage has lost parts, all parts are sent again."""
DELETE_SECONDS = 5.0
ATTEMPT_SECONDS = 60.0
SLOWEST_BYTES_PER_SECOND = 20_000
"""A slower connection is treated as dead."""


class AsyncUploads(AsyncGroup):
    async def create(
        self,
        file: FileSource,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,
    ) -> ReadyUpload:
        """
        Uploads a file in parts, and returns when it can be transcribed. Only a few parts are in memory at a time.
        Its name without the extension becomes the title.

        ```python
        upload = await haul.uploads.create(Path("interview.mp3"))
        ```
        """
        about = {"filename": filename, "content_type": content_type}
        return await send_file(self._connection, Call(timeout), file, on_progress=on_progress, **about)

    async def get(self, upload_id: str, *, timeout: float | None = None) -> PendingUpload | ReadyUpload:
        request = Request("GET", path_of("uploads", upload_id))
        return parse(PendingUpload | ReadyUpload, await self._connection.call(request, timeout))

    async def delete(self, upload_id: str, *, timeout: float | None = None) -> RemovedUpload:
        """Jobs that read the file continue."""
        request = Request("DELETE", path_of("uploads", upload_id))
        return parse(RemovedUpload, await self._connection.call(request, timeout))


async def send_file(
    connection: AsyncConnection,
    call: Call,
    source: FileSource,
    *,
    filename: str | None = None,
    content_type: str | None = None,
    on_progress: OnProgress | None = None,
) -> ReadyUpload:
    file = await blocking(lambda: OpenFile(source))
    try:
        body = {"filename": filename or file.name, "sizeBytes": file.size_bytes}
        if content_type is not None:
            body["contentType"] = content_type
        # A repeated request may leave an upload without parts, which expires.
        request = Request("POST", "/uploads", body=body, is_repeatable=True)
        upload: PendingUpload = parse(PendingUpload, await connection.data(call, request))
        try:
            return await _send_all(connection, call, file, upload, on_progress)
        except BaseException:
            # An account has at most 20 pending uploads.
            with suppress(HaulError):
                await connection.call(Request("DELETE", path_of("uploads", upload.upload_id)), DELETE_SECONDS)
            raise
    finally:
        file.close()


async def _send_all(
    connection: AsyncConnection, call: Call, file: OpenFile, upload: PendingUpload, on_progress: OnProgress | None
) -> ReadyUpload:
    path = path_of("uploads", upload.upload_id)
    for round in range(1, MAX_ROUNDS + 1):
        parts = await _send_parts(connection, call, file, upload, on_progress)
        try:
            # A repeated request gets the same response.
            request = Request("POST", f"{path}/complete", body={"parts": parts}, is_repeatable=True)
            return parse(ReadyUpload, await connection.data(call, request))
        except HaulApiError as error:
            if error.code != "UPLOAD_INCOMPLETE" or round == MAX_ROUNDS:
                raise
        current = parse(PendingUpload | ReadyUpload, await connection.data(call, Request("GET", path)))
        if isinstance(current, ReadyUpload):
            return current
        upload = current
    raise AssertionError("The last round returns or raises.")


async def _send_parts(
    connection: AsyncConnection, call: Call, file: OpenFile, upload: PendingUpload, on_progress: OnProgress | None
) -> list[dict[str, object]]:
    """Sends all parts, several at a time. Only those are in memory."""
    progress = UploadProgress(file.size_bytes, on_progress)
    size = upload.part_size_bytes
    urls = {part.number: part.url for part in upload.parts}
    waiting = deque(urls)
    sent: list[dict[str, object]] = []

    async def refresh_urls() -> None:
        """Presigned URLs expire."""
        request = Request("GET", path_of("uploads", upload.upload_id))
        current = parse(PendingUpload | ReadyUpload, await connection.data(call, request))
        if isinstance(current, PendingUpload):
            urls.update({part.number: part.url for part in current.parts})

    async def send_part(number: int) -> None:
        start, end = (number - 1) * size, min(number * size, file.size_bytes)
        content = await blocking(lambda: file.read(start, end))
        is_first = True

        async def attempt() -> str:
            nonlocal is_first
            if not is_first:
                await refresh_urls()
            is_first = False
            return await _put(connection, call, urls[number], content)

        etag = await connection.with_retries(call, True, attempt)
        sent.append({"number": number, "etag": etag})
        progress.sent(len(content))

    async def work() -> None:
        try:
            while True:
                try:
                    number = waiting.popleft()
                except IndexError:
                    return
                await send_part(number)
        finally:
            # After an error, no worker starts another part.
            waiting.clear()

    progress.sent(0)
    await at_once(PARALLEL_PARTS, work)
    return sent


async def _put(connection: AsyncConnection, call: Call, url: str, content: bytes) -> str:
    limit = ATTEMPT_SECONDS + len(content) / SLOWEST_BYTES_PER_SECOND
    with faults_of(call, "the storage"):
        response = await connection.http.put(url, content=content, timeout=min(limit, call.seconds_left()))
    if not response.is_success:
        raise HaulConnectionError(f"The storage responded with status {response.status_code}.")
    etag = response.headers.get("etag")
    if etag is None:
        raise HaulError("The storage has sent no ETag.")
    return str(etag)
