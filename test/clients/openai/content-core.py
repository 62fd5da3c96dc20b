import asyncio
import os

os.environ["CCORE_STT_PROVIDER"] = "openai-compatible"
os.environ["OPENAI_COMPATIBLE_BASE_URL_STT"] = "https://haul.example.com/v1"
os.environ["OPENAI_COMPATIBLE_API_KEY_STT"] = "haul_…"

from content_core import extract_content

print(asyncio.run(extract_content(file_path="talk.mp3")).content)
