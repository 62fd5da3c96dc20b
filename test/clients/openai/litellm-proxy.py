"""LiteLLM's proxy with Haul behind it, and OpenAI's package in front of it."""

import secrets
import socket
import subprocess
import sys
import threading
from pathlib import Path

from openai import OpenAI

master_key = f"sk-{secrets.token_hex(32)}"
Path("config.yaml").write_text(f"""
general_settings:
  master_key: {master_key}
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
    # A full pipe would stop it.
    threading.Thread(target=proxy.stdout.read, daemon=True).start()
    client = OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=master_key)
    print(client.audio.transcriptions.create(model="whisper", file=open("talk.mp3", "rb")).text)
finally:
    proxy.kill()
