import requests

haul = requests.Session()
haul.headers["Authorization"] = "Bearer haul_…"
data = open("talk.mp3", "rb").read()
request = {"filename": "talk.mp3", "sizeBytes": len(data)}
upload = haul.post("https://haul.example.com/uploads", json=request).json()["data"]
parts = []
for part in upload["parts"]:
    start = (part["number"] - 1) * upload["partSizeBytes"]
    sent = requests.put(part["url"], data=data[start : start + part["sizeBytes"]])
    parts.append({"number": part["number"], "etag": sent.headers["ETag"]})
completed = haul.post(f"https://haul.example.com/uploads/{upload['uploadId']}/complete", json={"parts": parts})
print(completed.json()["data"])
