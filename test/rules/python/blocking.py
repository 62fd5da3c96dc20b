"""Calls an asynchronous client as if it were the other one, so that each test and scenario is written once."""

import asyncio
import inspect


class Blocking:
    def __init__(self, target, loop):
        self._target = target
        self._loop = loop

    def __getattr__(self, name):
        found = getattr(self._target, name)
        if not callable(found):
            return Blocking(found, self._loop)

        def call(*args, **options):
            result = found(*args, **options)
            if inspect.isawaitable(result):
                return self._loop.run_until_complete(result)
            return self._entries(result) if hasattr(result, "__anext__") else result

        return call

    def _entries(self, iterator):
        try:
            while True:
                try:
                    entry = self._loop.run_until_complete(iterator.__anext__())
                except StopAsyncIteration:
                    return
                yield entry
        finally:
            if not self._loop.is_closed():
                self._loop.run_until_complete(iterator.aclose())


def blocking(make):
    """`make` makes the client within an event loop, which is closed by calling the second value."""
    loop = asyncio.new_event_loop()

    async def make_within_loop():
        return make()

    client = loop.run_until_complete(make_within_loop())

    def close():
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(client.aclose())
        loop.close()

    return Blocking(client, loop), close
