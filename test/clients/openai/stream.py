from openai import OpenAI

client = OpenAI(base_url="https://haul.example.com/v1", api_key="haul_…")
with open("talk.mp3", "rb") as file:
    stream = client.audio.transcriptions.create(model="gpt-4o-transcribe", file=file, stream=True)
    events = list(stream)
deltas = "".join(event.delta for event in events if event.type == "transcript.text.delta")
done = events[-1]
assert done.type == "transcript.text.done", done
assert deltas.split() == done.text.split(), deltas
print(done.text)
