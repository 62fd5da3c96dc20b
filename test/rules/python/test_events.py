from itertools import islice

import pytest

from haul_client import HaulApiError, HaulConnectionError
from scripted_service import drop, refused, stream

POSITION = "id: evt_0\nretry: 1000\n\n: heartbeat\n\n"


def event(id, type="import.completed"):
    return {
        "id": id,
        "type": type,
        "timestamp": "2026-11-22T12:00:00.000Z",
        "data": {"type": "import", "jobId": "imp_1"},
    }


def test_events_are_yielded_in_order_and_a_broken_stream_continues_after_the_last_of_them(service, client):
    first = stream([event("evt_1", "job.started"), event("evt_2")], "drop")
    service.on("GET /events", first, drop, stream([event("evt_3")], "hang"))
    seen = list(islice(client().events(), 3))
    assert [(each.id, each.type) for each in seen] == [
        ("evt_1", "job.started"),
        ("evt_2", "import.completed"),
        ("evt_3", "import.completed"),
    ]
    assert seen[0].data.job_id == "imp_1"
    assert [each.headers.get("last-event-id") for each in service.received] == [None, "evt_2", "evt_2"]


def test_a_stream_that_broke_before_its_first_event_continues_where_it_began(service, client):
    service.on("GET /events", stream([POSITION], "drop"), stream([event("evt_1")], "hang"))
    opened = []
    assert next(client().events(on_open=lambda: opened.append(1))).id == "evt_1"
    assert service.received[1].headers["last-event-id"] == "evt_0"
    assert len(opened) == 2


def test_a_stream_can_continue_after_an_event_of_an_earlier_program(service, client):
    service.on("GET /events", stream([event("evt_8")]))
    assert next(client().events(last_event_id="evt_7")).id == "evt_8"
    assert service.received[0].headers["last-event-id"] == "evt_7"


def test_the_events_of_watches_have_their_items_and_the_watches(service, client):
    item = {**event("evt_1", "watch.item"), "data": {"watchId": "wat_1", "itemId": "wit_1"}}
    paused = {**event("evt_2", "watch.paused"), "data": {"watchId": "wat_1", "code": "TOO_MANY_NEW", "filter": {}}}
    service.on("GET /events", stream([item, paused], "hang"))
    first, second = islice(client().events(), 2)
    assert (type(first.data).__name__, first.data.item_id) == ("NewWatchItem", "wit_1")
    assert (type(second.data).__name__, second.data.code) == ("Watch", "TOO_MANY_NEW")


def test_an_event_of_a_type_that_this_package_does_not_know_is_left_out(service, client):
    service.on("GET /events", stream([event("evt_1", "job.dreamt"), event("evt_2")], "hang"))
    assert next(client().events()).id == "evt_2"


def test_a_refused_key_ends_the_iteration_and_so_does_a_service_that_cannot_be_reached_from_the_start(service, client):
    service.on("GET /events", refused(401, "UNAUTHORIZED"))
    with pytest.raises(HaulApiError):
        next(client().events())
    service.on("GET /events", drop)
    with pytest.raises(HaulConnectionError):
        next(client(max_retries=2).events())
