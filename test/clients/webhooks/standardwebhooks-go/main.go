package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Verifies the webhook in stdin: its headers as JSON in the first line, then its body.
func main() {
	received := bufio.NewReader(os.Stdin)
	head, _ := received.ReadBytes('\n')
	body, _ := io.ReadAll(received)
	names := map[string]string{}
	if err := json.Unmarshal(head, &names); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range names {
		headers.Set(name, value)
	}
	webhook, err := webhooks.NewWebhook(os.Getenv("HAUL_WEBHOOK_SECRET"))
	if err != nil {
		panic(err)
	}
	if err := webhook.Verify(body, headers); err != nil {
		panic(err)
	}
	fmt.Println(string(body))
}
