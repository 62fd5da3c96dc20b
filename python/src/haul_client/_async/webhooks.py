from __future__ import annotations

from collections.abc import Mapping

from .._convert import parse
from .._events import WebhookEvent, verify_webhook
from .._http.request import Request
from .._models import WebhookSecret
from .connection import AsyncGroup


class AsyncWebhooks(AsyncGroup):
    def verify(self, body: bytes | str, headers: Mapping[str, str], secret: str) -> WebhookEvent:
        """
        Returns the event if Haul has signed the request with this secret in the last five minutes, and raises a
        `HaulWebhookError` otherwise. It needs the body as it was sent, not parsed, and no API key.

        ```python
        event = haul.webhooks.verify(body, headers, secret)
        if event.type == "import.completed" and event.data.result:
            print(event.data.result.media_url)
        ```
        """
        return verify_webhook(body, headers, secret)

    async def secret(self, *, timeout: float | None = None) -> WebhookSecret:
        """The secret that signs the account's webhooks."""
        return parse(WebhookSecret, await self._connection.call(Request("GET", "/webhooks/secret"), timeout))
