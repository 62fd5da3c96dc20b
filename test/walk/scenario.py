"""
A program of a user of the package, run with each of both clients. Reads what it needs as JSON from the environment, and
prints what the test compares.
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "rules/python"))

from blocking import blocking
from haul_client import AsyncHaul, Haul, HaulApiError, HaulJobError


class EnoughError(Exception):
    pass


def raised(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001
        return error
    return None


def stop_when_downloading(progress):
    if progress.stage == "downloading":
        raise EnoughError


def until_found(search):
    """Words are found within a minute after the end of their job."""
    while not (found := list(search())):
        time.sleep(0.2)
    return found


def matched_text(found):
    text = found.snippet.encode("utf-16-le")
    return ",".join(text[2 * at : 2 * (at + length)].decode("utf-16-le") for at, length in found.matches)


def run_scenario(haul, given):
    media, slow, path = given["media"], given["slow"], Path(given["path"])
    webhook = given["webhook"]
    events = haul.events(last_event_id=given["lastEventId"])

    imported = haul.import_media(media, include_video=False, metadata={"my_id": "42"})
    first = next(events)
    transcribed = haul.transcribe(given["subtitled"], language="en")
    percents = []
    upload = haul.uploads.create(path, on_progress=lambda progress: percents.append(progress.percent))
    upload_failure = raised(lambda: haul.transcribe(upload_id=upload.upload_id))
    with path.open("rb") as file:
        file_failure = raised(lambda: haul.transcribe(file))

    batch = haul.batches.create(urls=[media, f"{media}.missing"], import_={"include_video": False})
    ended = haul.batches.wait(batch.batch_id)
    items = list(haul.batches.items(batch.batch_id))

    watch = haul.watches.create(url=media)
    paused = haul.watches.pause(watch.watch_id)
    watches = [each.watch_id == watch.watch_id for each in haul.watches.list()]
    haul.watches.remove(watch.watch_id)
    removed = raised(lambda: haul.watches.get(watch.watch_id))

    started = haul.import_media(slow, wait=False, idempotency_key="slow")
    repeated = haul.import_media(slow, wait=False, idempotency_key="slow")
    timed_out = raised(lambda: haul.jobs.wait(started.job_id, timeout=0.05))
    canceled = haul.jobs.cancel(started.job_id)
    wait_failure = raised(lambda: haul.jobs.wait(started.job_id))

    aborted = raised(lambda: haul.import_media(slow, on_progress=stop_when_downloading, cancel_on_abort=True))
    last = next(haul.jobs.list(limit=1))

    heard = until_found(lambda: haul.search('"last tone" ton*', job_id=transcribed.job_id))
    haul.update_account(index=True)
    haul.rebuild_search()
    wordless = raised(lambda: next(haul.search("-tone")))

    refused = raised(lambda: haul.import_media(media, video_quality="sharp"))
    unknown = raised(lambda: haul.jobs.get("imp_unknown"))
    secret = haul.webhooks.secret().secret
    event = haul.webhooks.verify(webhook["body"], webhook["headers"], secret)
    forged = raised(lambda: haul.webhooks.verify(webhook["body"] + " ", webhook["headers"], secret))
    key = haul.keys.create(name="ci", scopes=["read"])
    haul.keys.remove(key.key_id)

    return {
        "imported": [imported.content_type, imported.job_id.startswith("imp_"), imported.width],
        "found": [job.metadata["my_id"] for job in haul.jobs.list(metadata={"my_id": "42"})],
        "isPlaylist": haul.metadata(media).is_playlist,
        "transcribed": [transcribed.source, haul.transcript(transcribed.job_id, "txt"), len(transcribed.segments)],
        "segments": haul.transcript(transcribed.job_id).segments == transcribed.segments,
        "uploaded": [upload.status, percents[0], percents[-1]],
        "uploadFailure": [isinstance(upload_failure, HaulJobError), upload_failure.code, bool(upload_failure.quote)],
        "fileFailure": file_failure.code,
        "batch": [batch.total, ended.status, ended.counts.failed, [item.status for item in items]],
        "batches": next(haul.batches.list()).batch_id == batch.batch_id,
        "watch": [watch.status, paused.status, watches, removed.status],
        "search": [
            [matched_text(each) for each in heard],
            heard[0].start,
            haul.account().index,
            wordless.details[0].path,
        ],
        "canceled": [canceled.status, wait_failure.code, wait_failure.job_id == started.job_id],
        "aborted": [type(aborted).__name__, last.code],
        "isRepeated": repeated.job_id == started.job_id,
        "timedOut": [type(timed_out).__name__, timed_out.job_id == started.job_id],
        "refused": [isinstance(refused, HaulApiError), refused.status, refused.code, refused.details[0].path],
        "unknown": [unknown.status, unknown.code, unknown.request_id.startswith("req_")],
        "event": [event.type, event.data.status, event.id.startswith("evt_")],
        "firstEvent": [first.type, first.data.job_id == imported.job_id],
        "forged": type(forged).__name__,
        "keys": [key.scopes, key.key_id in [each.key_id for each in haul.keys.list()]],
        "heldDollars": haul.account().held_dollars,
        "request": haul.request("GET", "/account")["heldDollars"],
    }


given = json.loads(os.environ["SCENARIO"])
if sys.argv[1] == "Haul":
    with Haul() as haul:
        print(json.dumps(run_scenario(haul, given)))
else:
    haul, close = blocking(AsyncHaul)
    try:
        print(json.dumps(run_scenario(haul, given)))
    finally:
        close()
