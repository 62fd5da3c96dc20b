from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace

from .._convert import parse
from .._errors import HaulConnectionError, HaulError
from .._events import HaulEvent
from .._http._asyncio import pause
from .._http.request import Call, Request
from .._http.retry import Retries
from .connection import AsyncConnection

SILENCE_SECONDS = 45.0
"""The service sends a comment every 15 seconds, so a stream that is silent for longer is dead."""


async def account_events(
    connection: AsyncConnection, last_event_id: str | None, on_open: Callable[[], object] | None
) -> AsyncIterator[HaulEvent]:
    call = Call()
    last = last_event_id
    policy = connection.retry_policy
    retries = Retries(policy, is_repeatable=True)
    while True:
        request = Request("GET", "/events", headers={} if last is None else {"Last-Event-ID": last})
        reason: HaulError = HaulConnectionError("The stream of events has ended.")
        is_open = False
        try:
            async with aclosing(connection.messages(call, request, SILENCE_SECONDS)) as messages:
                async for message in messages:
                    last = message.id if message.id is not None else last
                    if not is_open:
                        is_open = True
                        policy = replace(policy, max_retries=math.inf)
                        retries = Retries(policy, is_repeatable=True)
                        if on_open:
                            on_open()
                    if message.data is not None:
                        event: HaulEvent | None = parse(HaulEvent, {**json.loads(message.data), "id": last})
                        if event is not None:
                            yield event
        except HaulError as error:
            reason = error
        await pause(retries.pause_after(reason), call)
