from openai import OpenAI

client = OpenAI(base_url="https://haul.example.com/v1", api_key="haul_…")
print(client.audio.transcriptions.create(model="whisper-1", file=open("talk.mp3", "rb")).text)
