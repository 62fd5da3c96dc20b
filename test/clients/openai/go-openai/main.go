package main

import (
	"context"
	"fmt"
	"os"

	"github.com/sashabaranov/go-openai"
)

func main() {
	url, key := os.Getenv("HAUL_URL"), os.Getenv("HAUL_API_KEY")
	config := openai.DefaultConfig(key)
	config.BaseURL = url + "/v1"
	request := openai.AudioRequest{Model: openai.Whisper1, FilePath: "talk.mp3"}
	transcript, err := openai.NewClientWithConfig(config).CreateTranscription(context.Background(), request)
	if err != nil {
		panic(err)
	}
	fmt.Println(transcript.Text)
}
