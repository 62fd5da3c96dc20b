"""Makes calls with OpenAI's package for Python. Reads them as JSON from stdin, and writes their outcomes to stdout."""

import json
import sys

import openai


def perform(client, call):
    if call["method"] == "listModels":
        return [model.id for model in client.models.list()]
    endpoint = client.audio.translations if call["method"] == "translate" else client.audio.transcriptions
    options = dict(call.get("options", {}))
    extra = {"url": options.pop("url")} if "url" in options else None
    file = open(call["path"], "rb") if "path" in call else openai.omit
    made = endpoint.create(file=file, extra_body=extra, **options)
    if options.get("stream"):
        return [event.model_dump(exclude_unset=True) for event in made]
    return made if isinstance(made, str) else made.model_dump(exclude_unset=True)


def outcome(base_url, call):
    try:
        return {"value": perform(openai.OpenAI(api_key=call["apiKey"], base_url=base_url), call)}
    except openai.APIStatusError as error:
        name = type(error).__name__
        return {"error": {"name": name, "status": error.status_code, "code": error.code, "param": error.param}}


given = json.load(sys.stdin)
json.dump([outcome(given["baseUrl"], call) for call in given["calls"]], sys.stdout)
