"""wyoming-openai with Haul behind it, and Home Assistant's protocol in front of it."""

import asyncio
import os
import socket
import subprocess
import sys
import wave

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient

MODEL_OPTION = os.environ.get("WYOMING_MODEL_OPTION", "--stt-models=whisper-1")

with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
options = ["--stt-openai-url", "https://haul.example.com/v1", "--stt-openai-key", "haul_…", MODEL_OPTION]
command = [sys.executable, "-m", "wyoming_openai", "--uri", f"tcp://127.0.0.1:{port}", "--languages", "en", *options]


async def connected():
    """The server says nothing when it listens."""
    while True:
        client = AsyncTcpClient("127.0.0.1", port)
        try:
            await client.connect()
            return client
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)


async def hear():
    client = await connected()
    with wave.open("talk.wav") as file:
        form = {"rate": file.getframerate(), "width": file.getsampwidth(), "channels": file.getnchannels()}
        await client.write_event(Transcribe(language="en").event())
        await client.write_event(AudioStart(**form).event())
        await client.write_event(AudioChunk(audio=file.readframes(file.getnframes()), **form).event())
        await client.write_event(AudioStop().event())
    while event := await client.read_event():
        if Transcript.is_type(event.type):
            return Transcript.from_event(event).text


server = subprocess.Popen(command)
try:
    print(asyncio.run(hear()))
finally:
    server.kill()
