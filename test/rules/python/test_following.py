import asyncio
import os
import signal
import threading

import pytest

from haul_client import AsyncHaul, Haul, HaulApiError, HaulJobError, HaulTimeoutError, Progress
from haul_client._async import follow as following_async
from haul_client._sync import follow as following_sync
from scripted_service import JOB_ID, completed, data, failed, hang, queued, refused, running, started, stream

EVENTS = f"GET /jobs/{JOB_ID}/events"
DELETE = f"DELETE /jobs/{JOB_ID}"
STATUS = "GET /import/status"
URL = "https://example.com/film"


@pytest.fixture
def importing(service, client):
    service.on("POST /import", started)
    haul = client()
    return lambda **options: haul.import_media(URL, **options)


def test_progress_is_reported_when_it_changes(service, importing):
    service.on(EVENTS, stream([queued, running(10), running(10), running(60), completed]))
    reported = []
    importing(on_progress=reported.append)
    assert reported == [
        Progress("queued"),
        Progress("downloading", 10, 100, 3),
        Progress("downloading", 60, 100, 3),
    ]


def test_a_failed_job_is_raised_with_its_code_and_what_a_transcription_would_cost(service, importing):
    service.on(EVENTS, stream([{**failed, "quote": {"estimatedMinutes": 5, "estimatedCostDollars": 0.03}}]))
    with pytest.raises(HaulJobError, match="No sound.") as caught:
        importing()
    error = caught.value
    assert (error.job_id, error.code, error.retryable) == (JOB_ID, "NO_AUDIO", False)
    assert error.quote.estimated_cost_dollars == 0.03


LIMITED = refused(429, "RATE_LIMITED", {"retryAfter": 0})


@pytest.mark.parametrize(
    ("streams", "polls", "opened"),
    [
        pytest.param([stream([running(10)]), stream([running(60), completed])], [], 2, id="after a stream has ended"),
        pytest.param([stream([running(10)], "drop"), stream([running(60), completed])], [], 2, id="after one broke"),
        pytest.param([stream([running(10)], "drop")], [data(completed)], 4, id="by long polls after all broke"),
        pytest.param([LIMITED], [LIMITED, data(completed)], 1, id="by long polls after a rate limit"),
    ],
)
def test_a_job_is_followed_to_its_end(service, importing, streams, polls, opened):
    service.on(EVENTS, *streams)
    service.on(STATUS, *polls)
    percents = []
    options = {} if polls else {"on_progress": lambda progress: percents.append(progress.percent)}
    assert importing(**options).title == "A film"
    assert percents == ([] if polls else [10, 60])
    assert (len(service.at(EVENTS)), len(service.at(STATUS))) == (opened, len(polls))
    assert all(each.query == {"id": JOB_ID, "wait": "30"} for each in service.at(STATUS))


@pytest.mark.parametrize(
    "streams", [[hang], [stream([running(10)], "hang"), stream([completed])]], ids=["held", "silent"]
)
def test_a_stream_that_says_nothing_is_left(service, importing, monkeypatch, streams):
    for module in (following_async, following_sync):
        monkeypatch.setattr(module, "SILENCE_SECONDS", 0.05)
    service.on(EVENTS, *streams)
    service.on(STATUS, data(completed))
    assert importing().title == "A film"
    assert len(service.at(EVENTS)) >= len(streams)


def test_a_job_that_the_service_does_not_know_is_raised_as_a_refusal(service, client):
    service.on(EVENTS, refused(404, "JOB_NOT_FOUND"))
    service.on(STATUS, refused(404, "JOB_NOT_FOUND"))
    with pytest.raises(HaulApiError, match="JOB_NOT_FOUND"):
        client().jobs.wait(JOB_ID)


def test_words_are_read_with_the_result_because_the_stream_leaves_them_out(service, client):
    result = {"text": "Hello.", "wordsAvailable": True, "data": {"segments": [{"text": "Hello."}]}}
    job = {**completed, "jobId": "trn_1", "type": "transcription", "result": result}
    words = {"segments": [{"start": 0, "end": 1, "text": "Hello.", "words": [{"start": 0, "text": "Hello."}]}]}
    service.on("POST /transcribe", data({"jobId": "trn_1", "status": "queued"}, 202))
    service.on("GET /jobs/trn_1/events", stream([job]))
    service.on("GET /transcribe/status", data({**job, "result": {**result, "data": words}}))
    haul = client()
    assert haul.transcribe(URL, words=True).segments[0].words[0].text == "Hello."
    assert [each.query for each in service.at("GET /transcribe/status")] == [{"id": "trn_1", "words": "1"}]
    assert haul.transcribe(URL).segments[0].words is None


def test_a_job_whose_media_was_removed_has_no_result(service, importing):
    service.on(EVENTS, stream([{**completed, "result": None}]))
    with pytest.raises(HaulApiError) as caught:
        importing()
    assert (caught.value.status, caught.value.code) == (410, "MEDIA_EXPIRED")


class EnoughError(Exception):
    pass


def give_up(progress):
    raise EnoughError(progress.stage)


@pytest.mark.parametrize("cancel_on_abort", [False, True])
def test_what_on_progress_raises_ends_the_wait_and_the_job_goes_on_unless_it_is_to_be_canceled(
    service, importing, cancel_on_abort
):
    service.on(EVENTS, stream([running(10)], "hang"))
    service.on(DELETE, data(failed))
    with pytest.raises(EnoughError):
        importing(on_progress=give_up, cancel_on_abort=cancel_on_abort)
    assert [each.query for each in service.at(DELETE)] == [{"cancelOnly": "1"}] * cancel_on_abort


@pytest.mark.parametrize("cancel_on_abort", [False, True])
def test_a_keyboard_interrupt_leaves_the_job_running_unless_it_is_to_be_canceled(service, cancel_on_abort):
    service.on("POST /import", started)
    service.on(EVENTS, stream([running(10)], "hang"))
    service.on(DELETE, data(failed))
    interrupt = threading.Thread(target=lambda: (service.requested(EVENTS), os.kill(os.getpid(), signal.SIGINT)))
    interrupt.start()
    with Haul("key", service.url) as haul, pytest.raises(KeyboardInterrupt):
        haul.import_media(URL, cancel_on_abort=cancel_on_abort)
    interrupt.join()
    assert len(service.at(DELETE)) == int(cancel_on_abort)


@pytest.mark.parametrize("cancel_on_abort", [False, True])
def test_a_cancelled_task_leaves_the_job_running_unless_it_is_to_be_canceled(service, cancel_on_abort):
    service.on("POST /import", started)
    service.on(EVENTS, stream([running(10)], "hang"))
    service.on(DELETE, data(failed))

    async def main():
        async with AsyncHaul("key", service.url) as haul:
            task = asyncio.ensure_future(haul.import_media(URL, cancel_on_abort=cancel_on_abort))
            await asyncio.to_thread(service.requested, EVENTS)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert len(service.at(DELETE)) == int(cancel_on_abort)


def test_with_cancel_on_abort_a_job_whose_start_has_no_response_yet_is_found_by_its_key_and_canceled(service):
    service.on("POST /import", hang, started)
    service.on(DELETE, data(failed))

    async def main():
        async with AsyncHaul("key", service.url) as haul:
            task = asyncio.ensure_future(haul.import_media(URL, cancel_on_abort=True))
            await asyncio.to_thread(service.requested, "POST /import")
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert len({each.headers["idempotency-key"] for each in service.at("POST /import")}) == 1
    assert len(service.at(DELETE)) == 1


def test_a_time_out_is_raised_with_the_id_of_the_job_which_goes_on(service, importing, monkeypatch):
    service.on(EVENTS, stream([running(10)], "hang"))
    service.on(STATUS, hang)
    with pytest.raises(HaulTimeoutError, match=r"within 0\.2 s") as caught:
        importing(timeout=0.2, cancel_on_abort=True)
    assert caught.value.job_id == JOB_ID
    assert service.at(DELETE) == []


def test_a_stream_is_left_for_polls_which_end_in_time_when_little_time_is_left(service, importing):
    service.on(EVENTS, stream([running(10)], "hang"))
    service.on(STATUS, data(completed))
    assert importing(timeout=15).title == "A film"
    assert len(service.at(STATUS)) == 1


def test_a_time_out_before_a_job_was_started_has_no_job_id(service, client):
    service.on("POST /import", hang)
    with pytest.raises(HaulTimeoutError) as caught:
        client().import_media(URL, timeout=0.05)
    assert caught.value.job_id is None


def test_a_time_out_ends_the_pause_before_a_retry(service, client):
    service.on("POST /import", refused(429, "RATE_LIMITED", {"retryAfter": 60}))
    with pytest.raises(HaulTimeoutError):
        client().import_media(URL, timeout=0.05)
