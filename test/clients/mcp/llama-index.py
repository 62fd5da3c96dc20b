import asyncio

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

client = BasicMCPClient("https://haul.example.com/mcp", headers={"Authorization": "Bearer haul_…"}, timeout=60)


async def main():
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(client).to_tool_list_async()}
    print(len(tools), "tools")
    print(await tools["transcribe"].acall(url="https://example.com/talk"))


asyncio.run(main())
