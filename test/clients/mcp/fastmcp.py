import asyncio

from fastmcp import Client


async def main():
    async with Client("https://haul.example.com/mcp", auth="haul_…") as client:
        print(len(await client.list_tools()), "tools")
        print(await client.call_tool("transcribe", {"url": "https://example.com/talk"}))


asyncio.run(main())
