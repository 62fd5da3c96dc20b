import io
from pathlib import Path

import pytest

from haul_client import HaulApiError, HaulConnectionError, HaulTimeoutError
from scripted_service import data, drop, hang, refused, respond

CONTENT = b"0123456789"
COMPLETE = "POST /uploads/upl_1/complete"
READY = {"uploadId": "upl_1", "status": "ready", "filename": "speech.mp3", "sizeBytes": 10}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "speech.mp3"
    file.write_bytes(CONTENT)
    return file


def pending(service, version):
    """Three parts of 4, 4 and 2 bytes. `version` tells the URLs of one response from those of another."""
    parts = [{"number": each, "url": f"{service.url}/part/{each}/{version}", "sizeBytes": 4} for each in (1, 2, 3)]
    return {"uploadId": "upl_1", "status": "pending", "sizeBytes": 10, "partSizeBytes": 4, "parts": parts}


def part(number, version="a"):
    return f"PUT /part/{number}/{version}"


def stored(etag):
    return respond(200, headers={"ETag": etag})


@pytest.fixture
def served(service):
    service.on("POST /uploads", data(pending(service, "a"), 201))
    for number in (1, 2, 3):
        service.on(part(number), stored(f'"e{number}"'))
    service.on("GET /uploads/upl_1", data(pending(service, "b")))
    service.on(COMPLETE, data(READY))
    service.on("DELETE /uploads/upl_1", data({"uploadId": "upl_1", "status": "removed"}))
    return service


def named_object(path):
    return path.open("rb")


@pytest.mark.parametrize("source", [Path, named_object], ids=["a path", "a file object"])
def test_the_parts_of_a_file_are_sent_without_the_key_and_completed_with_their_etags(served, client, path, source):
    percents = []
    file = source(path)
    upload = client().uploads.create(file, on_progress=lambda progress: percents.append(progress.percent))
    assert (upload.upload_id, upload.status) == ("upl_1", "ready")
    assert served.at("POST /uploads")[0].json() == {"filename": "speech.mp3", "sizeBytes": 10}
    assert [served.at(part(number))[0].body for number in (1, 2, 3)] == [b"0123", b"4567", b"89"]
    assert "authorization" not in served.at(part(1))[0].headers
    parts = served.at(COMPLETE)[0].json()["parts"]
    assert sorted(each["number"] for each in parts) == [1, 2, 3]
    assert {"number": 2, "etag": '"e2"'} in parts
    assert (percents[0], percents[-1]) == (0, 100)
    assert served.at("DELETE /uploads/upl_1") == []
    if source is named_object:
        assert not file.closed
        file.close()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(drop, id="its connection is lost"),
        pytest.param(refused(403, "AccessDenied"), id="its URL has expired"),
    ],
)
def test_a_part_is_sent_again_to_a_fresh_url_and_the_others_are_not_if(served, client, path, answer):
    def after_the_others(handler):
        # A part that is sent later would have a fresh URL too.
        served.requested(part(1))
        served.requested(part(3))
        answer(handler)

    served.on(part(2), after_the_others)
    served.on(part(2, "b"), stored('"e2"'))
    client().uploads.create(path)
    assert served.at(part(2, "b"))[0].body == b"4567"
    assert len(served.at(part(1))) == 1
    assert served.at(part(1, "b")) == []


def test_all_parts_are_sent_again_if_the_storage_has_lost_them(served, client, path):
    served.on(COMPLETE, refused(422, "UPLOAD_INCOMPLETE"), data(READY))
    for number in (1, 2, 3):
        served.on(part(number, "b"), stored('"new"'))
    assert client().uploads.create(path).status == "ready"
    assert [served.at(part(number, "b"))[0].body for number in (1, 2, 3)] == [b"0123", b"4567", b"89"]


def test_a_completion_whose_response_is_lost_is_repeated(served, client, path):
    served.on(COMPLETE, drop, data(READY))
    assert client().uploads.create(path).status == "ready"


@pytest.mark.parametrize(
    ("route", "answer", "options", "error"),
    [
        pytest.param(COMPLETE, refused(422, "SOURCE_UNSUPPORTED"), {}, HaulApiError, id="a file that is not media"),
        pytest.param(part(2), hang, {"timeout": 0.3}, HaulTimeoutError, id="a time-out"),
        pytest.param(part(3), drop, {}, HaulConnectionError, id="a storage that cannot be reached"),
    ],
)
def test_no_upload_is_left_behind_by(served, client, path, route, answer, options, error):
    served.on(route, answer)
    served.on(part(3, "b"), drop)
    with pytest.raises(error, match="SOURCE_UNSUPPORTED|within|the storage"):
        client(max_retries=2).uploads.create(path, **options)
    assert len(served.at("DELETE /uploads/upl_1")) == 1


def test_a_file_of_a_transcription_is_uploaded_and_the_transcription_reads_the_upload(served, client):
    served.on("POST /transcribe", data({"jobId": "trn_1", "status": "queued"}, 202))
    client().transcribe(io.BytesIO(CONTENT), provider="builtin", wait=False)
    assert served.at("POST /uploads")[0].json() == {"filename": "file", "sizeBytes": 10}
    assert served.at("POST /transcribe")[0].json() == {"provider": "builtin", "uploadId": "upl_1"}


def test_a_path_that_does_not_exist_is_an_error_of_the_system_and_nothing_is_sent(service, client):
    with pytest.raises(FileNotFoundError):
        client().uploads.create(Path("/no/such/file"))
    assert service.received == []
