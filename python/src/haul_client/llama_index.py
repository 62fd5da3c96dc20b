"""A reader for LlamaIndex: `pip install "haul-client[llama-index]"`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from . import AsyncHaul, Haul, TranscribeOptions
from ._passages import Chunk, Sources, passages, sources_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class HaulReader(BaseReader):
    """Reads transcripts of URLs, or of files.

    ```python
    documents = HaulReader().load_data("https://example.com/talk", mode="auto", max_cost_dollars=1)
    ```

    `chunk` says whether a document is a paragraph, a segment, or the whole transcript. Its metadata has `source`, `title`,
    `start`, `end`, `speaker` and `job_id`; times are in seconds. The other fields are those of `Haul.transcribe`.
    Without a `client` or an `async_client`, the environment variables `HAUL_API_KEY` and `HAUL_URL` are used.
    """

    def __init__(self, client: Haul | None = None, async_client: AsyncHaul | None = None) -> None:
        self._client = client
        self._async_client = async_client

    def lazy_load_data(
        self, urls: Sources, *, chunk: Chunk = "paragraphs", **fields: Unpack[TranscribeOptions]
    ) -> Iterable[Document]:
        with nullcontext(self._client) if self._client else Haul() as haul:
            for source in sources_of(urls):
                for text, metadata in passages(source, haul.transcribe(source, **fields), chunk):
                    yield Document(text=text, metadata=metadata)

    def load_data(
        self, urls: Sources, *, chunk: Chunk = "paragraphs", **fields: Unpack[TranscribeOptions]
    ) -> list[Document]:
        return list(self.lazy_load_data(urls, chunk=chunk, **fields))

    async def aload_data(
        self, urls: Sources, *, chunk: Chunk = "paragraphs", **fields: Unpack[TranscribeOptions]
    ) -> list[Document]:
        documents: list[Document] = []
        async with nullcontext(self._async_client) if self._async_client else AsyncHaul() as haul:
            for source in sources_of(urls):
                result = await haul.transcribe(source, **fields)
                documents += [Document(text=text, metadata=about) for text, about in passages(source, result, chunk)]
        return documents
