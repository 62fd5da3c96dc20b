"""What programs ask of OpenAI's API besides a transcript: other models, who speaks, silence, and a translation."""

import json

from openai import OpenAI

client = OpenAI(base_url="https://haul.example.com/v1", api_key="haul_…")

MODELS = ["gpt-transcribe", "gpt-4o-mini-transcribe", "whisper-large-v3", "Systran/faster-whisper-small", "openai/whisper-1"]


def transcript(name="talk.mp3", **options):
    with open(name, "rb") as file:
        return client.audio.transcriptions.create(file=file, **options)


def translation():
    with open("talk.mp3", "rb") as file:
        return client.audio.translations.create(model="whisper-1", file=file).text


diarized = transcript(model="gpt-4o-transcribe-diarize", response_format="diarized_json", chunking_strategy="auto")
answers = {
    "models": {model: transcript(model=model).text for model in MODELS},
    "speakers": [[segment.speaker, segment.text] for segment in diarized.segments],
    "silence": transcript("silence.wav", model="whisper-1").text,
    "translation": translation(),
}
print(json.dumps(answers))
