from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from .._errors import HaulError, HaulTimeoutError
from .._http._asyncio import pause
from .._http.request import Call, Request
from .._http.retry import backoff
from .connection import AsyncConnection

SILENCE_SECONDS = 20.0
"""The service sends the first event at once and a comment every 15 seconds, so a silent stream is dead or held back."""
MAX_BROKEN_STREAMS = 4
"""After these, polls follow."""

State = dict[str, Any]
"""A job or a batch, as its stream and a poll tell it."""


@dataclass(frozen=True)
class Followed:
    path: str
    """Its stream of events is below."""
    poll: Callable[[], Awaitable[State]]
    """May take as long as the service waits for the end."""
    shortest_poll_seconds: float
    """From the start of one poll to that of the next, if the service responds at once."""


async def follow(connection: AsyncConnection, call: Call, followed: Followed, report: Callable[[State], None]) -> State:
    """Follows by the stream of events, or by polls, and returns the state after the end."""
    state = await _follow_stream(connection, call, followed, report)
    return state or await _poll_until_ended(call, followed, report)


async def _follow_stream(
    connection: AsyncConnection, call: Call, followed: Followed, report: Callable[[State], None]
) -> State | None:
    request = Request("GET", f"{followed.path}/events")
    for broken in range(1, MAX_BROKEN_STREAMS + 1):
        has_events = False
        try:
            async with aclosing(connection.messages(call, request, SILENCE_SECONDS)) as messages:
                async for message in messages:
                    # The stream may be silent for longer than the call has left. A poll ends in time.
                    if call.seconds_left() < SILENCE_SECONDS:
                        return None
                    if message.data is None:
                        continue
                    state: State = json.loads(message.data)
                    has_events = True
                    report(state)
                    if _has_ended(state):
                        return state
        except HaulTimeoutError:
            raise
        except HaulError:
            # Polls find out what is wrong: they are retried or refused.
            if not has_events:
                return None
        await pause(backoff(broken), call)
    return None


async def _poll_until_ended(call: Call, followed: Followed, report: Callable[[State], None]) -> State:
    while True:
        since = time.monotonic()
        state = await followed.poll()
        report(state)
        if _has_ended(state):
            return state
        await pause(max(0, followed.shortest_poll_seconds - (time.monotonic() - since)), call)


def _has_ended(state: State) -> bool:
    return state.get("status") not in ("queued", "running")
