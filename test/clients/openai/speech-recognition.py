import os

os.environ["OPENAI_BASE_URL"] = "https://haul.example.com/v1"
os.environ["OPENAI_API_KEY"] = "haul_…"

import speech_recognition

recognizer = speech_recognition.Recognizer()
with speech_recognition.AudioFile("talk.flac") as source:
    print(recognizer.recognize_openai(recognizer.record(source), model="whisper-1"))
