from __future__ import annotations

from .._convert import parse
from .._http.request import Call, Request, path_of
from .._models import PendingUpload, ReadyUpload, RemovedUpload
from .._options import FileSource, OnProgress
from .connection import AsyncConnection
from .send_file import send_file


class AsyncUploads:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

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
