package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The transport has no setting for a key, so requests get it here.
type withKey struct{ key string }

func (w withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", "Bearer "+w.key)
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	url, key := os.Getenv("HAUL_URL"), os.Getenv("HAUL_API_KEY")
	ctx := context.Background()
	transport := &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withKey{key}}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		panic(err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		panic(err)
	}
	call := &mcp.CallToolParams{Name: "transcribe", Arguments: map[string]any{"url": os.Args[1]}}
	result, err := session.CallTool(ctx, call)
	if err != nil {
		panic(err)
	}
	shown, _ := json.Marshal(result.StructuredContent)
	fmt.Printf("%d tools\n%s\n", len(tools.Tools), shown)
}
