from scripted_service import data, drop

CAN = {"words": False, "speakers": False, "vocabulary": False, "translation": False}
MOONSHINE = {"name": "moonshine-base", "engine": "builtin", "isDefault": False, "languages": ["en"], **CAN}


def test_the_models_are_those_of_the_service_and_one_is_asked_for_by_its_name(service, client):
    service.on("GET /models", drop, data({"models": [{**MOONSHINE, "pricePerMinute": 0.01, "speed": None}]}))
    service.on("POST /transcribe", data({"jobId": "trn_1", "status": "queued"}, 202))
    haul = client()
    (model,) = haul.models()
    assert (model.name, model.is_default, model.languages) == ("moonshine-base", False, ["en"])
    assert (model.price_per_minute, model.speed) == (0.01, None)
    haul.transcribe("https://example.com/talk", mode="speech", model=model.name, wait=False)
    sent = service.received[-1].json()
    assert sent == {"url": "https://example.com/talk", "mode": "speech", "model": "moonshine-base"}
