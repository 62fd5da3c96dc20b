from itertools import islice

import pytest

from haul_client import HaulApiError
from scripted_service import data, drop, refused, respond, stream


def page(start, end, cursor):
    return data({"jobs": [{"jobId": f"imp_{index}"} for index in range(start, end)], "nextCursor": cursor})


def test_a_list_yields_the_entries_of_all_pages_also_after_an_empty_one(service, client):
    service.on("GET /jobs", page(0, 2, "c1"), drop, page(2, 4, "c2"), page(4, 4, "c3"), page(4, 5, None))
    jobs = client().jobs.list(status="failed")
    seen = [each.job_id for each in islice(jobs, 2)]
    assert len(service.received) == 1
    seen += [each.job_id for each in jobs]
    assert seen == ["imp_0", "imp_1", "imp_2", "imp_3", "imp_4"]
    assert [each.query.get("cursor") for each in service.received] == [None, "c1", "c1", "c2", "c3"]
    assert service.received[0].query == {"status": "failed", "limit": "100"}


def test_limit_is_the_number_of_entries_whatever_the_size_of_a_page(service, client):
    service.on("GET /jobs", page(0, 100, "c1"), page(100, 130, "c2"))
    assert len(list(client().jobs.list(limit=130))) == 130
    assert [each.query["limit"] for each in service.received] == ["100", "30"]


def test_filters_are_parameters_of_every_page_and_each_key_of_metadata_is_one(service, client):
    service.on("GET /jobs", page(0, 1, "c1"), page(1, 2, None))
    metadata = {"show.name": "a & b", "episode_id": ""}
    list(client().jobs.list(metadata=metadata, q="talk", after="2026-11-21T09:00:00Z", type="import"))
    filters = {"metadata.show.name": "a & b", "metadata.episode_id": "", "q": "talk", "type": "import"}
    query = {**filters, "after": "2026-11-21T09:00:00Z", "limit": "100"}
    assert [each.query for each in service.received] == [query, {**query, "cursor": "c1"}]


def test_a_refusal_ends_the_list(service, client):
    service.on("GET /batches/bat_1/items", refused(404, "NOT_FOUND"))
    with pytest.raises(HaulApiError):
        next(client().batches.items("bat_1"))


def test_an_id_is_one_part_of_the_path_whatever_characters_it_has(service, client):
    service.on("GET /jobs/..%2Faccount", refused(404, "JOB_NOT_FOUND"))
    with pytest.raises(HaulApiError, match="JOB_NOT_FOUND"):
        client().jobs.get("../account")


def test_a_job_is_an_import_or_a_transcription(service, client):
    service.on("GET /jobs/imp_1", data({"type": "import", "jobId": "imp_1"}), data({"type": "transcription"}))
    haul = client()
    assert [type(haul.jobs.get("imp_1")).__name__ for _ in range(2)] == ["ImportJob", "TranscriptionJob"]


@pytest.mark.parametrize("has_stream", [True, False])
def test_a_batch_is_started_once_and_followed(service, client, monkeypatch, has_stream):
    for kind in ("async", "sync"):
        monkeypatch.setattr(f"haul_client._{kind}.batches.POLL_SECONDS", 0)
    counts = {"total": 2, "completed": 1, "failed": 0, "skipped": 0}
    service.on("POST /batches", drop, data({"batchId": "bat_1", "status": "queued", "total": 2}, 202))
    ended = {"batchId": "bat_1", "status": "completed", "counts": {**counts, "completed": 2}}
    running = {"batchId": "bat_1", "status": "running", "counts": counts}
    service.on("GET /batches/bat_1/events", stream([running, ended]) if has_stream else refused(404, "NOT_FOUND"))
    service.on("GET /batches/bat_1", data(running), data(ended))
    haul = client()
    fields = {"video_quality": "720p", "max_cost_dollars": 1}
    batch = haul.batches.create(urls=["https://example.com/a"], import_=fields, max_cost_dollars=5)
    sent = service.at("POST /batches")
    assert sent[1].json() == {
        "urls": ["https://example.com/a"],
        "import": {"videoQuality": "720p", "maxCostDollars": 1},
        "maxCostDollars": 5,
    }
    assert len({each.headers["idempotency-key"] for each in sent}) == 1
    reported = []
    on_progress = lambda progress: reported.append((progress.stage, progress.percent))
    told = []
    ended_batch = haul.batches.wait(batch.batch_id, on_progress=on_progress, on_change=told.append)
    assert ([each.counts.completed for each in told], told[-1]) == ([1, 2], ended_batch)
    assert reported == [("running", 50), ("completed", 100)]
    assert len(service.at("GET /batches/bat_1")) == (0 if has_stream else 2)


def test_keys_are_listed_changed_and_removed(service, client):
    service.on("GET /keys", data({"keys": [{"keyId": "key_1"}, {"keyId": "key_2"}]}))
    service.on("PATCH /keys/key_1", drop, data({"keyId": "key_1", "dollarsPerMonth": None}))
    service.on("DELETE /keys/key_1", respond(204))
    haul = client()
    assert [each.key_id for each in haul.keys.list()] == ["key_1", "key_2"]
    assert haul.keys.update("key_1", dollars_per_month=None, expires_at=None).dollars_per_month is None
    assert service.at("PATCH /keys/key_1")[1].json() == {"dollarsPerMonth": None, "expiresAt": None}
    assert haul.keys.remove("key_1") is None
