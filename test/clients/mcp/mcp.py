import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    key = httpx2.AsyncClient(headers={"Authorization": "Bearer haul_…"}, timeout=60)
    async with Client(streamable_http_client("https://haul.example.com/mcp", http_client=key)) as client:
        print(len((await client.list_tools()).tools), "tools")
        print(await client.call_tool("transcribe", {"url": "https://example.com/talk"}))


asyncio.run(main())
