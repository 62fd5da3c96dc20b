package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	url, key := os.Getenv("HAUL_URL"), os.Getenv("HAUL_API_KEY")
	ctx := context.Background()
	headers := map[string]string{"Authorization": "Bearer " + key}
	session, err := client.NewStreamableHttpClient(url+"/mcp", transport.WithHTTPHeaders(headers))
	if err != nil {
		panic(err)
	}
	defer session.Close()
	initialize := mcp.InitializeRequest{}
	initialize.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	initialize.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := session.Initialize(ctx, initialize); err != nil {
		panic(err)
	}
	tools, err := session.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		panic(err)
	}
	call := mcp.CallToolRequest{}
	call.Params.Name = "transcribe"
	call.Params.Arguments = map[string]any{"url": os.Args[1]}
	result, err := session.CallTool(ctx, call)
	if err != nil {
		panic(err)
	}
	shown, _ := json.Marshal(result)
	fmt.Printf("%d tools\n%s\n", len(tools.Tools), shown)
}
