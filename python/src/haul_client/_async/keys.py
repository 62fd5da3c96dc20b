from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from .._convert import parse, to_json
from .._http.request import Request, path_of
from .._models import Key, KeyChanges, KeyFields, MadeKey
from .connection import AsyncGroup

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncKeys(AsyncGroup):
    async def create(self, *, timeout: float | None = None, **fields: Unpack[KeyFields]) -> MadeKey:
        """
        Makes an API key. Its `api_key` is returned only here. A request that may have had its effect is not sent again:
        after a connection fault, `list` shows whether the key was made.

        ```python
        key = await haul.keys.create(name="ci", scopes=["read", "transcribe"], dollars_per_month=5)
        ```
        """
        request = Request("POST", "/keys", body=to_json(fields))
        return parse(MadeKey, await self._connection.call(request, timeout))

    async def list(self, *, timeout: float | None = None) -> AsyncIterator[Key]:
        """The keys that have not been removed and have not expired."""
        for key in (await self._connection.call(Request("GET", "/keys"), timeout))["keys"]:
            yield parse(Key, key)

    async def update(self, key_id: str, *, timeout: float | None = None, **changes: Unpack[KeyChanges]) -> Key:
        """Fields that are left out stay as they are. None takes away a budget or an expiry."""
        request = Request("PATCH", path_of("keys", key_id), body=to_json(changes))
        return parse(Key, await self._connection.call(request, timeout))

    async def remove(self, key_id: str, *, timeout: float | None = None) -> None:
        """The key is refused from its next request on. Jobs that it has started go on."""
        await self._connection.call(Request("DELETE", path_of("keys", key_id)), timeout)
