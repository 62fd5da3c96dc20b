"""LiteLLM's proxy with Haul behind it, and OpenAI's package in front of it."""

import socket
import subprocess
import sys
from pathlib import Path

from openai import OpenAI

Path("config.yaml").write_text("""
model_list:
  - model_name: whisper
    litellm_params:
      model: openai/whisper-1
      api_base: https://haul.example.com/v1
      api_key: haul_…
    model_info:
      mode: audio_transcription
""")

with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    port = str(listening.getsockname()[1])
command = [str(Path(sys.executable).with_name("litellm")), "--config", "config.yaml", "--host", "127.0.0.1", "--port", port]
proxy = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
try:
    for line in proxy.stdout:
        if "Application startup complete" in line:
            break
    # Its log may not fill the pipe.
    client = OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="any")
    print(client.audio.transcriptions.create(model="whisper", file=open("talk.mp3", "rb")).text)
finally:
    proxy.kill()
