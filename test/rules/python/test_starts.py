import pytest

from haul_client import HaulApiError, HaulConnectionError, HaulError
from scripted_service import JOB_ID, completed, cut, data, drop, refused, respond, started, stream

URL = "https://example.com/film"


def starts_with(service, *answers):
    service.on("POST /import", *answers)
    service.on(f"GET /jobs/{JOB_ID}/events", stream([completed]))


def keys(service):
    return [each.headers.get("idempotency-key") for each in service.at("POST /import")]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(drop, id="a lost connection"),
        pytest.param(refused(500, "INTERNAL_ERROR"), id="an internal error"),
        pytest.param(respond(502, b"<html>"), id="a page of a proxy"),
        pytest.param(refused(429, "RATE_LIMITED", {"retryAfter": 0}), id="a rate limit"),
        pytest.param(refused(503, "SERVICE_BUSY", headers={"Retry-After": "0"}), id="a busy service"),
        pytest.param(refused(503, "SERVICE_UNAVAILABLE", headers={"Retry-After": "2"}), id="an interruption"),
        pytest.param(refused(409, "IDEMPOTENCY_IN_PROGRESS"), id="its own lost request, which still runs"),
    ],
)
def test_a_start_is_sent_again_with_the_same_key_after(service, client, answer):
    starts_with(service, answer, answer, started)
    result = client().import_media(URL)
    assert (result.job_id, result.title, result.media_url) == (JOB_ID, "A film", "https://haul/media")
    assert len(keys(service)) == 3
    assert len(set(keys(service))) == 1
    assert keys(service)[0]


def test_two_starts_have_different_keys_and_a_given_one_is_kept(service, client):
    starts_with(service, started)
    haul = client()
    haul.import_media(URL)
    haul.import_media(URL)
    haul.import_media(URL, idempotency_key="mine")
    assert len(set(keys(service))) == 3
    assert keys(service)[2] == "mine"


def test_fields_of_the_request_are_sent_as_the_api_names_them_and_options_of_the_client_are_not(service, client):
    starts_with(service, started)
    client().import_media(
        URL,
        video_quality="720p",
        clip={"start": "1:00"},
        metadata={"my_show": "news"},
        captions=["en"],
        transcribe={"provider": "openai", "provider_options": {"top_k": 1}},
        timeout=50,
        on_progress=print,
        cancel_on_abort=True,
    )
    request = service.received[0]
    assert request.json() == {
        "url": URL,
        "videoQuality": "720p",
        "clip": {"start": "1:00"},
        "metadata": {"my_show": "news"},
        "captions": ["en"],
        "transcribe": {"provider": "openai", "providerOptions": {"top_k": 1}},
    }
    assert request.headers["authorization"] == "Bearer key"


def test_the_result_has_the_files_of_the_job(service, client):
    quote = {"estimatedMinutes": 42, "estimatedCostDollars": 0.84}
    files = [
        {"kind": "media", "status": "completed", "sizeBytes": 5, "costInDollars": 0.01},
        {"kind": "transcript", "status": "failed", "code": "MAX_COST_EXCEEDED", "quote": quote, "costInDollars": 0},
    ]
    service.on("POST /import", started)
    result = {**completed["result"], "complete": False, "files": files}
    service.on(f"GET /jobs/{JOB_ID}/events", stream([{**completed, "result": result}]))
    done = client().import_media(URL)
    assert done.complete is False
    media, transcript = done.files
    assert (media.kind, media.size_bytes, media.language) == ("media", 5, None)
    assert (transcript.code, transcript.quote.estimated_cost_dollars) == ("MAX_COST_EXCEEDED", 0.84)


def test_without_wait_a_start_returns_as_soon_as_the_job_is_queued(service, client):
    service.on("POST /transcribe", started)
    options = {"provider": "openai", "api_key": "sk", "provider_options": {"top_k": 1}}
    job = client().transcribe(import_id="imp_9", wait=False, **options)
    assert (job.job_id, job.status, job.message) == (JOB_ID, "queued", "The import is queued.")
    expected = {"importId": "imp_9", "provider": "openai", "apiKey": "sk", "providerOptions": {"top_k": 1}}
    assert [(each.route, each.json()) for each in service.received] == [("POST /transcribe", expected)]


def test_a_refusal_is_raised_at_once_with_what_a_program_can_act_on(service, client):
    problem = {"path": "url", "message": "must be a URL"}
    facts = {"requiredDollars": 0.3, "availableDollars": 0.1, "details": [problem]}
    starts_with(service, refused(402, "INSUFFICIENT_BALANCE", facts))
    with pytest.raises(HaulApiError) as caught:
        client().import_media(URL)
    error = caught.value
    assert (error.status, error.code, error.request_id) == (402, "INSUFFICIENT_BALANCE", "req_1")
    assert (error.required_dollars, error.available_dollars, str(error)) == (
        0.3,
        0.1,
        "The service says INSUFFICIENT_BALANCE.",
    )
    assert error.details[0].path == "url"
    assert isinstance(error, HaulError)
    assert len(keys(service)) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        pytest.param(drop, HaulConnectionError, id="a lost connection"),
        pytest.param(refused(500, "INTERNAL_ERROR"), HaulApiError, id="an internal error"),
    ],
)
def test_the_call_raises_after_five_retries_of(service, client, answer, error):
    starts_with(service, answer)
    with pytest.raises(error, match=f"{service.url}|INTERNAL_ERROR"):
        client().import_media(URL)
    assert len(keys(service)) == 6


def test_retry_after_is_waited_for_and_no_longer_than_max_busy_seconds(service, client):
    starts_with(service, refused(429, "RATE_LIMITED", {"retryAfter": 3000}))
    with pytest.raises(HaulApiError) as caught:
        client().import_media(URL)
    assert (caught.value.status, caught.value.retry_after) == (429, 3000)
    assert len(keys(service)) == 1
    with pytest.raises(HaulApiError):
        client(max_busy_seconds=0).request("POST", "/import", idempotency_key="mine")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        pytest.param(drop, HaulConnectionError, id="a lost connection"),
        pytest.param(cut, HaulConnectionError, id="a response that is cut off"),
        pytest.param(refused(503, "SERVICE_UNAVAILABLE"), HaulApiError, id="an interruption"),
    ],
)
def test_a_post_without_a_key_is_not_repeated_because_it_may_have_had_its_effect_after(service, client, answer, error):
    service.on("POST /keys", answer, data({"keyId": "key_1", "apiKey": "haul_secret"}))
    haul = client()
    with pytest.raises(error):
        haul.keys.create(name="ci", dollars_per_month=5)
    assert len(service.received) == 1
    assert haul.keys.create(name="ci").api_key == "haul_secret"
    assert service.received[0].json() == {"name": "ci", "dollarsPerMonth": 5}


def test_without_a_key_or_an_address_the_error_says_how_to_give_one(service, client, monkeypatch):
    monkeypatch.delenv("HAUL_API_KEY", raising=False)
    monkeypatch.delenv("HAUL_URL", raising=False)
    with pytest.raises(TypeError, match="HAUL_API_KEY"):
        client(api_key=None).account()
    with pytest.raises(TypeError, match="HAUL_URL"):
        client(base_url=None).account()
    with pytest.raises(ValueError, match="https://"):
        client(base_url="haul.example.com").account()


def test_key_and_address_come_from_the_environment(service, client, monkeypatch):
    monkeypatch.setenv("HAUL_API_KEY", "other")
    monkeypatch.setenv("HAUL_URL", f"{service.url}/")
    service.on("GET /account", data({"accountId": "acct_1"}))
    assert client(api_key=None, base_url=None).account().account_id == "acct_1"
    assert service.received[0].headers["authorization"] == "Bearer other"


def test_a_response_that_is_cut_off_is_read_again_and_what_it_lacks_is_none(service, client):
    service.on("GET /account", cut, data({"accountId": "acct_1", "prices": {"captions": 0.01}, "unknown": {}}))
    account = client().account()
    assert (account.account_id, account.prices.captions, account.prices.speech_minimum) == ("acct_1", 0.01, None)
    assert account.limits is None


def test_options_that_are_off_are_left_out_of_the_query(service, client):
    service.on("GET /transcribe/transcript", respond(200, "Hällo.".encode()))
    assert client().transcript("trn_1", "srt", chapters=True, max_line_chars=30) == "Hällo."
    expected = {"id": "trn_1", "format": "srt", "chapters": "1", "maxLineChars": "30"}
    assert service.received[0].query == expected


def test_a_misspelled_option_of_a_transcript_is_an_error(service, client):
    with pytest.raises(TypeError, match="speaker"):
        client().transcript("trn_1", "txt", speaker=True)
    assert service.received == []


def test_an_address_of_something_else_than_haul_is_reported(service, client):
    service.on("GET /account", respond(200, b"<html>Welcome</html>"))
    with pytest.raises(HaulError, match="Check base_url"):
        client().account()


def test_metadata_is_of_a_source_or_of_a_playlist(service, client):
    playlist = {"isPlaylist": True, "title": "A feed", "entries": [{"url": URL}]}
    service.on("GET /metadata", data(playlist), data({"isPlaylist": False, "title": "A film", "formats": []}))
    haul = client()
    assert haul.metadata(URL).entries[0].url == URL
    assert haul.metadata(URL).formats == []


def test_errors_can_be_sent_to_another_process():
    import pickle

    error = pickle.loads(pickle.dumps(HaulApiError(429, {"error": "Slow down.", "code": "RATE_LIMITED"})))
    assert (str(error), error.code) == ("Slow down.", "RATE_LIMITED")
