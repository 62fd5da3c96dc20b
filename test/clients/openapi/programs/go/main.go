package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"usage/haul"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx, url, wait := context.Background(), os.Getenv("MEDIA_URL"), 30
	withKey := haul.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("HAUL_API_KEY"))
		return nil
	})
	client := must(haul.NewClientWithResponses(os.Getenv("HAUL_URL"), withKey))

	account := must(client.GetAccountWithResponse(ctx))
	metadata := must(client.GetMetadataWithResponse(ctx, &haul.GetMetadataParams{Url: url}))
	source := must(metadata.JSON200.Data.AsSourceMetadata())
	note := map[string]string{"episode": "42"}
	started := must(client.StartImportWithResponse(ctx, nil, haul.ImportRequest{Url: url, Metadata: &note}))
	id := started.JSON202.Data.JobId
	done := must(client.GetImportWithResponse(ctx, &haul.GetImportParams{Id: id, Wait: &wait}))
	refused := must(client.StartTranscriptionWithResponse(ctx, nil, haul.TranscribeRequest{}))
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"balance":  account.JSON200.Data.BalanceDollars,
		"platform": source.Platform,
		"status":   done.JSON200.Data.Status,
		"episode":  done.JSON200.Data.Metadata["episode"],
		"bytes":    done.JSON200.Data.Result.FileSizeBytes,
		"refused":  refused.JSON400.Code,
	})
}
