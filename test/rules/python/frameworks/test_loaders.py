import asyncio

import pytest
from langchain_core.document_loaders import BaseLoader
from llama_index.core.readers.base import BaseReader

from haul_client import AsyncHaul, Haul
from haul_client.langchain import HaulLoader
from haul_client.llama_index import HaulReader
from scripted_service import data, stream

URL = "https://example.com/talk"
SEGMENTS = [
    {"start": 0, "end": 2, "text": "Good morning,", "speaker": "A"},
    {"start": 2, "end": 3, "text": "all.", "speaker": "A"},
    {"start": 9, "end": 10, "text": "Hello.", "speaker": "B"},
]
FIRST = {"source": URL, "title": "A talk", "job_id": "trn_1", "start": 0, "end": 3, "speaker": "A"}


@pytest.fixture(autouse=True)
def transcription(service, monkeypatch):
    monkeypatch.setenv("HAUL_URL", service.url)
    monkeypatch.setenv("HAUL_API_KEY", "key")
    result = {"text": "Good morning, all. Hello.", "title": "A talk", "data": {"segments": SEGMENTS}}
    job = {"jobId": "trn_1", "type": "transcription", "status": "completed", "result": result}
    service.on("POST /transcribe", data({"jobId": "trn_1", "status": "queued"}, 202))
    service.on("GET /jobs/trn_1/events", stream([job]))


def test_langchain_loads_paragraphs_with_their_metadata(service):
    loader = HaulLoader(URL, mode="auto", max_cost_dollars=1)
    assert isinstance(loader, BaseLoader)
    documents = loader.load()
    assert [each.page_content for each in documents] == ["Good morning, all.", "Hello."]
    assert documents[0].metadata == FIRST
    assert service.at("POST /transcribe")[0].json() == {"url": URL, "mode": "auto", "maxCostDollars": 1}


def test_langchain_transcribes_the_next_source_only_when_it_is_wanted(service):
    with Haul() as haul:
        documents = HaulLoader([URL, f"{URL}/2"], chunk="all", client=haul).lazy_load()
        assert next(documents).page_content == "Good morning, all. Hello."
        assert len(service.at("POST /transcribe")) == 1
        assert next(documents).metadata["source"] == f"{URL}/2"


def test_langchain_loads_the_same_without_blocking():
    async def main():
        async with AsyncHaul() as haul:
            given = [each async for each in HaulLoader(URL, chunk="segments", async_client=haul).alazy_load()]
        return given, await HaulLoader(URL, chunk="segments").aload()

    given, documents = asyncio.run(main())
    assert [each.page_content for each in documents] == ["Good morning,", "all.", "Hello."]
    assert given == documents


def test_llama_index_reads_paragraphs_with_their_metadata(service):
    reader = HaulReader()
    assert isinstance(reader, BaseReader)
    documents = reader.load_data([URL], mode="auto")
    assert [each.text for each in documents] == ["Good morning, all.", "Hello."]
    assert documents[0].metadata == FIRST
    assert service.at("POST /transcribe")[0].json() == {"url": URL, "mode": "auto"}
    assert [each.text for each in asyncio.run(reader.aload_data(URL, chunk="all"))] == ["Good morning, all. Hello."]
