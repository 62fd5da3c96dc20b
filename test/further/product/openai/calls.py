"""Makes calls with OpenAI's package for Python. Reads them as JSON from stdin, and writes their outcomes to stdout."""

import json
import sys

import openai


def transcribe(client, call):
    options = dict(call.get("options", {}))
    extra = {name: options.pop(name) for name in ("url", "max_cost_dollars") if name in options}
    if "path" not in call:
        return client.audio.transcriptions.create(file=openai.omit, extra_body=extra, **options)
    endpoint = client.audio.translations if call["method"] == "translate" else client.audio.transcriptions
    with open(call["path"], "rb") as file:
        return endpoint.create(file=file, extra_body=extra or None, **options)


def perform(client, call):
    if call["method"] == "listModels":
        return [model.id for model in client.models.list()]
    if call["method"] == "getModel":
        return client.models.retrieve(call["model"]).model_dump(exclude_unset=True)
    made = transcribe(client, call)
    if call.get("options", {}).get("stream"):
        return [event.model_dump(exclude_unset=True) for event in made]
    return made if isinstance(made, str) else made.model_dump(exclude_unset=True)


def outcome(base_url, call):
    client = openai.OpenAI(api_key=call["apiKey"], base_url=base_url, max_retries=call.get("maxRetries", 20))
    try:
        return {"value": perform(client, call)}
    except openai.APIStatusError as error:
        job_id = error.response.headers.get("x-haul-job-id")
        names = [kind.__name__ for kind in type(error).__mro__]
        return {"error": {"names": names, "status": error.status_code, "code": error.code, "param": error.param, "jobId": job_id}}


given = json.load(sys.stdin)
json.dump([outcome(given["baseUrl"], call) for call in given["calls"]], sys.stdout)
