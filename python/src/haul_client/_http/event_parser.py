from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass
class Message:
    """A message of server-sent events. One with an id only says where a later stream continues."""

    id: str | None = None
    data: str | None = None


class EventParser:
    """Takes the bytes as they arrive, and returns the messages that are complete. Lines end with LF or CRLF."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # A transcript is one line of many chunks, so they are joined once.
        self._line: list[str] = []
        self._message = Message()

    def feed(self, chunk: bytes) -> list[Message]:
        first, *others = self._decoder.decode(chunk).split("\n")
        self._line.append(first)
        complete: list[Message] = []
        for following in others:
            line = "".join(self._line).removesuffix("\r")
            self._line = [following]
            if line:
                self._read(line)
            elif self._message != Message():
                complete.append(self._message)
                self._message = Message()
        return complete

    def _read(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        message = self._message
        if name == "id":
            message.id = value
        elif name == "data":
            message.data = value if message.data is None else f"{message.data}\n{value}"
