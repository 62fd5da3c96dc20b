import os

import requests
from sseclient import SSEClient

url = f"https://haul.example.com/jobs/{os.environ['HAUL_JOB']}/events"
response = requests.get(url, headers={"Authorization": "Bearer haul_…"}, stream=True)
for event in SSEClient(response).events():
    print(event.event, event.data)
