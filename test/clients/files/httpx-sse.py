import os

import httpx
from httpx_sse import connect_sse

url = f"https://haul.example.com/jobs/{os.environ['HAUL_JOB']}/events"
with httpx.Client(headers={"Authorization": "Bearer haul_…"}, timeout=60) as client:
    with connect_sse(client, "GET", url) as source:
        for event in source.iter_sse():
            print(event.event, event.json())
