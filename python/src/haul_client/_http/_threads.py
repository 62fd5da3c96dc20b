"""How the synchronous client waits. `_asyncio.py` has the same for the other one."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .request import Call

Value = TypeVar("Value")


def pause(seconds: float, call: Call) -> None:
    """Raises HaulTimeoutError when the time of the call is up."""
    time.sleep(min(seconds, call.seconds_left()))
    call.seconds_left()


def blocking(function: Callable[[], Value]) -> Value:
    return function()


def at_once(count: int, work: Callable[[], None]) -> None:
    """Does the work so many times at once. When one fails, the others end with their current piece."""
    pool = ThreadPoolExecutor(count)
    try:
        for future in [pool.submit(work) for _ in range(count)]:
            future.result()
    finally:
        # Not after a KeyboardInterrupt: the caller must not wait until slow connections are done.
        pool.shutdown(wait=False, cancel_futures=True)
