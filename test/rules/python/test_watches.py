import pytest

from haul_client import HaulApiError
from scripted_service import data, drop, refused, respond

URL = "https://example.com/feed.xml"


def test_a_watch_is_started_once_also_when_its_connection_is_lost(service, client):
    service.on("POST /watches", drop, data({"watchId": "wat_1", "status": "starting", "message": "Starting."}, 201))
    watch = client().watches.create(
        url=URL,
        import_={"include_video": False},
        filter={"not_title": ["trailer"], "min_seconds": 120},
        max_cost_dollars_per_month=20,
        metadata={"my_show": "news"},
    )
    assert (watch.watch_id, watch.status) == ("wat_1", "starting")
    assert [each.json() for each in service.received] == 2 * [
        {
            "url": URL,
            "import": {"includeVideo": False},
            "filter": {"notTitle": ["trailer"], "minSeconds": 120},
            "maxCostDollarsPerMonth": 20,
            "metadata": {"my_show": "news"},
        }
    ]
    assert len({each.headers["idempotency-key"] for each in service.received}) == 1


def test_watches_their_items_and_their_batches_are_listed_with_the_filter_on_each_page(service, client):
    service.on("GET /watches", data({"watches": [{"watchId": "wat_1", "filter": {}}], "nextCursor": None}))
    items = [
        data({"items": [{"itemId": name}], "nextCursor": cursor}) for name, cursor in (("wit_2", "c1"), ("wit_1", None))
    ]
    service.on("GET /watches/wat_1/items", *items)
    service.on("GET /batches", data({"batches": [{"batchId": "bat_1", "watchId": "wat_1"}], "nextCursor": None}))
    haul = client()
    assert [each.watch_id for each in haul.watches.list(limit=5)] == ["wat_1"]
    assert [each.item_id for each in haul.watches.items("wat_1", status="failed")] == ["wit_2", "wit_1"]
    assert [each.watch_id for each in haul.batches.list(watch_id="wat_1")] == ["wat_1"]
    assert [each.query for each in service.received] == [
        {"limit": "5"},
        {"limit": "100", "status": "failed"},
        {"limit": "100", "status": "failed", "cursor": "c1"},
        {"limit": "100", "watchId": "wat_1"},
    ]


def test_a_watch_is_changed_paused_resumed_and_polled(service, client):
    watch = {"watchId": "wat_1", "status": "active", "filter": {"notTitle": ["trailer"]}, "import": {"maxBytes": 1}}
    service.on("GET /watches/wat_1", data(watch))
    service.on("PATCH /watches/wat_1", data(watch))
    service.on("POST /watches/wat_1/poll", refused(429, "RATE_LIMITED", {"retryAfter": 0}), data(watch, 202))
    watches = client().watches
    read = watches.get("wat_1")
    assert (read.filter.not_title, read.import_, read.transcribe) == (["trailer"], {"maxBytes": 1}, None)
    assert watches.update("wat_1", max_cost_dollars_per_month=None, waiting="drop") == read
    assert [watches.pause("wat_1"), watches.resume("wat_1"), watches.poll("wat_1")] == [read, read, read]
    assert [each.json() for each in service.at("PATCH /watches/wat_1")] == [
        {"maxCostDollarsPerMonth": None, "waiting": "drop"},
        {"paused": True},
        {"paused": False},
    ]


def test_a_poll_of_a_paused_watch_is_refused(service, client):
    service.on("POST /watches/wat_1/poll", refused(409, "WATCH_PAUSED"))
    with pytest.raises(HaulApiError, match="WATCH_PAUSED"):
        client().watches.poll("wat_1")


def test_a_removal_is_sent_again_after_a_lost_connection(service, client):
    service.on("DELETE /watches/wat_1", drop, respond(204))
    assert client().watches.remove("wat_1") is None
