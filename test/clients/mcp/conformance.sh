conformance server --url https://haul.example.com/mcp --scenario "$SCENARIO"
