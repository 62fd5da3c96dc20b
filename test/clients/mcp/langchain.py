import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient

headers = {"Authorization": "Bearer haul_…"}
client = MultiServerMCPClient({"haul": {"transport": "http", "url": "https://haul.example.com/mcp", "headers": headers}})


async def main():
    tools = {tool.name: tool for tool in await client.get_tools()}
    print(len(tools), "tools")
    print(await tools["transcribe"].ainvoke({"url": "https://example.com/talk"}))


asyncio.run(main())
