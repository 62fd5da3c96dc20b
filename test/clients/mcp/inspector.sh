inspect() { mcp-inspector --cli https://haul.example.com/mcp --header "Authorization: Bearer haul_…" "$@"; }

echo "$(inspect --method tools/list | grep -c '"inputSchema"') tools"
inspect --method tools/call --tool-name transcribe --tool-arg url=https://example.com/talk
