import os

import httpx
from httpx_sse import connect_sse

with httpx.Client(base_url="https://haul.example.com", headers={"Authorization": "Bearer haul_…"}, timeout=60) as client:
    with connect_sse(client, "GET", "/events") as source:
        for event in source.iter_sse():
            print(event.event, event.json())
            if event.event == "ready":
                client.post("/import", json={"url": os.environ["MEDIA_URL"]}).raise_for_status()
            if event.event == "import.completed":
                break
