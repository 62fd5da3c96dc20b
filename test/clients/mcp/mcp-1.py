import asyncio

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main():
    headers = {"Authorization": "Bearer haul_…"}
    async with streamablehttp_client("https://haul.example.com/mcp", headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print(len((await session.list_tools()).tools), "tools")
            print(await session.call_tool("transcribe", {"url": "https://example.com/talk"}))


asyncio.run(main())
