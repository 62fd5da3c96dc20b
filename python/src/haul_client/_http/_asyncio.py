"""How the asynchronous client waits. `_threads.py` has the same for the other one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from .request import Call

Value = TypeVar("Value")


async def pause(seconds: float, call: Call) -> None:
    """Raises HaulTimeoutError when the time of the call is up."""
    await asyncio.sleep(min(seconds, call.seconds_left()))
    call.seconds_left()


async def blocking(function: Callable[[], Value]) -> Value:
    """For work that would keep other tasks waiting."""
    return await asyncio.to_thread(function)


async def at_once(count: int, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Does the work so many times at once. When one fails, the others are stopped."""
    tasks = [asyncio.ensure_future(work()) for _ in range(count)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
