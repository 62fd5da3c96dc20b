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
	request := openai.AudioTranscriptionNewParams{Model: openai.AudioModelWhisper1, File: file}
	transcript, err := client.Audio.Transcriptions.New(context.Background(), request)
	if err != nil {
		panic(err)
	}
	fmt.Println(transcript.Text)
}
