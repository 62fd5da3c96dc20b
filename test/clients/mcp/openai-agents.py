import asyncio

from agents.mcp import MCPServerStreamableHttp, MCPUtil

server = MCPServerStreamableHttp(
    {"url": "https://haul.example.com/mcp", "headers": {"Authorization": "Bearer haul_…"}, "timeout": 60},
    client_session_timeout_seconds=60,
)


async def main():
    async with server:
        tools = await server.list_tools()
        for tool in tools:
            MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True)
        print(len(tools), "tools")
        print(await server.call_tool("transcribe", {"url": "https://example.com/talk"}))


asyncio.run(main())
