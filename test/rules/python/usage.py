"""Programs of users, which must pass the strictest checks of types. Nothing runs them."""

import io
from pathlib import Path
from typing import assert_never

import httpx

from haul_client import (
    AsyncHaul,
    FinishedImport,
    FinishedTranscription,
    Haul,
    HaulApiError,
    HaulJobError,
    PlaylistMetadata,
    Progress,
    StartedJob,
    TranscribeOptions,
)


def show(progress: Progress) -> None:
    print(progress.stage, progress.percent or 0.0, progress.bytes_per_second, progress.eta_seconds)


def everything() -> None:
    with Haul(api_key="key", base_url="https://haul.example.com", http_client=httpx.Client()) as haul:
        film: FinishedImport = haul.import_media(
            "https://example.com/film", video_quality="720p", clip={"start": "1:00", "end": 90}, on_progress=show
        )
        started: StartedJob = haul.import_media("https://example.com/film", wait=False)
        talks = haul.import_media(
            "https://example.com/talk",
            captions=["en", "de"],
            transcribe={"mode": "auto"},
            files=["info", "chapters"],
            formats=["vtt", "txt"],
        )
        for file in talks.files or []:
            print(file.kind, file.language, file.url, file.quote and file.quote.estimated_cost_dollars)
        options: TranscribeOptions = {"speakers": {"max": 2}, "timeout": 60}
        talk: FinishedTranscription = haul.transcribe(io.BytesIO(b"\x00"), **options)
        url: str = film.media_url
        text: str = talk.text
        start: float = talk.segments[0].start
        haul.transcribe(import_id=started.job_id, provider="builtin", max_cost_dollars=1, words=True)
        upload = haul.uploads.create(Path("film.mp4"))
        haul.transcribe(upload_id=upload.upload_id)
        words = haul.transcript(talk.job_id).segments[0].words
        markdown: str = haul.transcript(talk.job_id, "md", chapters=True)
        print(url, text, start, markdown, words[0].confidence if words else None)

        batch = haul.batches.create(playlist_url="https://example.com/feed.xml", transcribe={"mode": "auto"})
        haul.batches.create(urls=["https://example.com/film"], import_={"video_quality": "720p"})
        for item in haul.batches.items(batch.batch_id, status="failed"):
            print(item.url, item.code)
        for job in haul.jobs.list(type="import", limit=5):
            print(job.job_id, job.metadata)
        for found in haul.search('"lease expires"', after="2026-11-21T00:00:00Z", sort="newest", limit=5):
            for offset, length in found.matches:
                print(found.title, found.start, found.speaker, offset + length)
        haul.update_account(index=haul.account().index)
        haul.rebuild_search()
        for model in haul.models():
            print(model.name, model.languages, model.words, model.price_per_minute)
        watch = haul.watches.create(
            url="https://example.com/feed.xml", transcribe={"mode": "auto"}, filter={"title": ["talk"]}
        )
        haul.watches.update(watch.watch_id, filter=None, transcribe=None, waiting="drop")
        for entry in haul.watches.items(watch.watch_id, status="failed"):
            print(entry.published_at, entry.code, haul.watches.get(watch.watch_id).filter.min_seconds)
        haul.watches.remove(haul.watches.pause(watch.watch_id).watch_id)
        haul.keys.update(haul.keys.create(name="ci", scopes=["read"]).key_id, dollars_per_month=None)

        metadata = haul.metadata("https://example.com/list")
        if isinstance(metadata, PlaylistMetadata):
            print(metadata.entries[0].url)
        else:
            print(metadata.estimate.transcription.builtin)
        if metadata.is_playlist:
            print(metadata.count)

        event = haul.webhooks.verify(b"{}", httpx.Headers(), "whsec_")
        if event.type == "import.completed" or event.type == "import.failed":
            print(event.data.result and event.data.result.media_url)
        elif event.type == "batch.completed":
            print(event.data.counts.total)
        try:
            haul.jobs.wait("imp_1", cancel_on_abort=True)
        except HaulJobError as error:
            print(error.code, error.quote and error.quote.estimated_cost_dollars)
        except HaulApiError as error:
            print(error.details[0].path, error.retry_after)

        haul.import_media("https://example.com/film", video_quality="sharp")  # type: ignore[call-overload]
        haul.import_media("https://example.com/film", storeage_path="films")  # type: ignore[call-overload]
        haul.import_media("https://example.com/film", files=["poster"])  # type: ignore[list-item]
        haul.keys.create(name="ci", scopes=["write"])  # type: ignore[list-item]
        haul.watches.update("wat_1", waiting="take")  # type: ignore[arg-type]
        haul.keys.create(scopes=["read"])  # type: ignore[call-arg]
        haul.search("lease", sort="oldest")  # type: ignore[arg-type]


async def the_same_without_blocking() -> None:
    async with AsyncHaul() as haul:
        text: str = (await haul.transcribe("https://example.com/talk", mode="auto")).text
        async for job in haul.jobs.list(status="failed"):
            print(job.job_id, text)
        async for found in haul.search("lease"):
            print(found.snippet)
        async for event in haul.events():
            match event.type:
                case "job.started":
                    print(event.data.created_at)
                case "import.completed" | "import.failed":
                    print(event.data.job_id)
                case "transcription.completed" | "transcription.failed":
                    print(event.data.result)
                case "batch.completed" | "batch.failed" | "batch.canceled":
                    print(event.data.batch_id)
                case "watch.item":
                    print(event.data.item_id)
                case "watch.failing" | "watch.paused" | "watch.resumed":
                    print(event.data.code)
                case "webhook.test":
                    print(event.data.message)
                case _:
                    assert_never(event)
