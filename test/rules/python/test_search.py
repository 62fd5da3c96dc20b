import pytest

from haul_client import HaulApiError
from scripted_service import data, drop, refused

FOUND = {
    "jobId": "trn_1",
    "title": "A talk",
    "url": None,
    "link": "https://example.com/talk?t=754",
    "start": 754.2,
    "end": 781,
    "language": "en",
    "snippet": "… the lease expires …",
    "matches": [[6, 5], [12, 7]],
}


def page(cursor, *ids):
    return data({"results": [{**FOUND, "jobId": job_id} for job_id in ids], "nextCursor": cursor})


def test_search_yields_the_passages_of_all_pages_with_the_words_and_the_filter_on_each(service, client):
    service.on("GET /search", page("c1", "trn_1", "trn_2"), drop, page("c2"), page(None, "trn_3"))
    found = list(client().search('"the lease" -draft', metadata={"my_show": "a & b"}, watch_id="wat_1", sort="newest"))
    assert [each.job_id for each in found] == ["trn_1", "trn_2", "trn_3"]
    assert (found[0].start, found[0].speaker, found[0].matches) == (754.2, None, [(6, 5), (12, 7)])
    query = {
        "q": '"the lease" -draft',
        "metadata.my_show": "a & b",
        "watchId": "wat_1",
        "sort": "newest",
        "limit": "50",
    }
    cursors = [{}, {"cursor": "c1"}, {"cursor": "c1"}, {"cursor": "c2"}]
    assert [each.query for each in service.received] == [{**query, **cursor} for cursor in cursors]


def test_limit_is_the_number_of_passages_and_a_page_has_50_at_most(service, client):
    service.on("GET /search", page("c1", *50 * ["trn_1"]), page("c2", *20 * ["trn_2"]))
    assert len(list(client().search("lease", limit=70))) == 70
    assert [each.query["limit"] for each in service.received] == ["50", "20"]


def test_words_that_the_service_refuses_end_the_search(service, client):
    service.on("GET /search", refused(400, "INVALID_REQUEST"))
    with pytest.raises(HaulApiError):
        next(client().search("-draft"))


def test_the_index_is_turned_off_and_on_and_filled_again_also_when_a_connection_is_lost(service, client):
    service.on("PATCH /account", drop, data({"index": False}))
    service.on("POST /search/rebuild", drop, data({"status": "rebuilding"}, 202))
    haul = client()
    haul.update_account(index=False)
    haul.rebuild_search()
    assert [each.json() for each in service.at("PATCH /account")] == 2 * [{"index": False}]
    assert len(service.at("POST /search/rebuild")) == 2
