from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import IO

from .._options import FileSource


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
