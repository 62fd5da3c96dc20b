import base64
import hashlib
import hmac
import json
import time

import pytest

from haul_client import Haul, HaulWebhookError

SECRET = f"whsec_{base64.b64encode(b'a secret of some length').decode()}"
OTHER = f"whsec_{base64.b64encode(b'another secret of some length').decode()}"
EVENT = {"type": "import.completed", "timestamp": "2026-11-22T12:00:00.000Z", "data": {"jobId": "imp_1"}}
BODY = json.dumps({**EVENT, "title": "Ä — 漢"}, ensure_ascii=False)
verify = Haul().webhooks.verify


def signed(*secrets, at=0, body=BODY):
    timestamp = str(int(time.time()) + at)
    content = f"evt_1.{timestamp}.{body}".encode()
    keys = [base64.b64decode(each.removeprefix("whsec_")) for each in secrets]
    signatures = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode() for key in keys]
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
    }


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param(signed(SECRET), id="one signature"),
        pytest.param({name.title(): value for name, value in signed(SECRET).items()}, id="headers in another case"),
        pytest.param(signed(OTHER, SECRET), id="signatures of two secrets"),
        pytest.param({**signed(SECRET), "webhook-signature": f"v2,AA {signed(SECRET)['webhook-signature']}"}, id="v2"),
        pytest.param(signed(SECRET, at=-240), id="a time four minutes ago"),
    ],
)
def test_a_webhook_is_accepted_with(headers):
    assert verify(BODY, headers, SECRET) == verify(BODY.encode(), headers, SECRET)
    event = verify(BODY, headers, SECRET)
    assert (event.id, event.type, event.data.job_id) == ("evt_1", "import.completed", "imp_1")


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        pytest.param(signed(SECRET, body=f"{BODY} "), "signature", id="another body"),
        pytest.param(signed(OTHER), "signature", id="another secret"),
        pytest.param({**signed(SECRET), "webhook-id": "evt_2"}, "signature", id="another id"),
        pytest.param({**signed(SECRET), "webhook-signature": "v1,AAAA"}, "signature", id="a cut signature"),
        pytest.param({**signed(SECRET), "webhook-signature": "v1,ä"}, "signature", id="no base64"),
        pytest.param({**signed(SECRET), "webhook-signature": ""}, "signature", id="no signature"),
        pytest.param({"webhook-id": "a", "webhook-timestamp": "1"}, "webhook-signature is missing", id="no header"),
        pytest.param(signed(SECRET, at=-360), "five minutes", id="a time six minutes ago"),
        pytest.param(signed(SECRET, at=360), "five minutes", id="a time in six minutes"),
        pytest.param({**signed(SECRET), "webhook-timestamp": "now"}, "five minutes", id="no number"),
        pytest.param({**signed(SECRET), "webhook-timestamp": "²"}, "five minutes", id="a digit that is no number"),
    ],
)
def test_a_webhook_is_rejected_with(headers, message):
    with pytest.raises(HaulWebhookError, match=message):
        verify(BODY, headers, SECRET)


def test_a_secret_that_cannot_be_one_is_reported_as_such():
    with pytest.raises(ValueError, match="GET /webhooks/secret"):
        verify(BODY, signed(SECRET), "whsec_?")


def test_an_event_of_a_type_that_this_package_does_not_know_is_reported():
    body = json.dumps({"type": "job.dreamt"})
    with pytest.raises(HaulWebhookError, match="job.dreamt"):
        verify(body, signed(SECRET, body=body), SECRET)
