from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import IO

from .._options import FileSource, OnProgress, Progress, ProgressReporter


class UploadProgress:
    """Call `sent` with the size of each part that was sent."""

    def __init__(self, total_bytes: int, on_progress: OnProgress | None) -> None:
        self._reporter = ProgressReporter(on_progress)
        self._total_bytes = total_bytes
        self._sent_bytes = 0
        self._since = time.monotonic()

    def sent(self, size_bytes: int) -> None:
        self._sent_bytes += size_bytes
        seconds = time.monotonic() - self._since
        rate = round(self._sent_bytes / seconds) if self._sent_bytes and seconds else None
        eta = -(-(self._total_bytes - self._sent_bytes) // rate) if rate else None
        percent = 100 * self._sent_bytes // self._total_bytes if self._total_bytes else 100
        self._reporter.tell(Progress("uploading", percent, rate, eta))


class OpenFile:
    """A file whose parts can be read in any order, and again, also by several threads."""

    def __init__(self, source: FileSource) -> None:
        self._is_ours = isinstance(source, os.PathLike)
        self._file: IO[bytes] = Path(source).open("rb") if isinstance(source, os.PathLike) else source  # noqa: SIM115
        if not self._file.seekable():
            raise ValueError("The file must be seekable, because its parts may be sent again.")
        name = source if isinstance(source, os.PathLike) else getattr(source, "name", None)
        # A file object of a file descriptor has a number as its name.
        self.name = Path(name).name if isinstance(name, (str, os.PathLike)) else "file"
        self.size_bytes = self._file.seek(0, os.SEEK_END)
        self._lock = threading.Lock()

    def read(self, start: int, end: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            content = self._file.read(end - start)
        if len(content) < end - start:
            raise OSError(f"{self.name} has become shorter while it was uploaded.")
        return content

    def close(self) -> None:
        if self._is_ours:
            self._file.close()
