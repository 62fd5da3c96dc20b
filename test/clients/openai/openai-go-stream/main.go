package main

import (
	"context"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	url, key := os.Getenv("HAUL_URL"), os.Getenv("HAUL_API_KEY")
	client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey(key))
	file, err := os.Open("talk.mp3")
	if err != nil {
		panic(err)
	}
	request := openai.AudioTranscriptionNewParams{Model: openai.AudioModelGPT4oTranscribe, File: file}
	stream := client.Audio.Transcriptions.NewStreaming(context.Background(), request)
	for stream.Next() {
		if event := stream.Current(); event.Type == "transcript.text.done" {
			fmt.Println(event.Text)
		}
	}
	if err := stream.Err(); err != nil {
		panic(err)
	}
}
