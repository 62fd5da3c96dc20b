from litellm import transcription

url, key = "https://haul.example.com/v1", "haul_…"
print(transcription(model="openai/whisper-1", file=open("talk.mp3", "rb"), api_base=url, api_key=key).text)
