"""A document loader for LangChain: `pip install "haul-client[langchain]"`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from . import AsyncHaul, Haul, TranscribeOptions
from ._passages import Chunk, Sources, passages, sources_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class HaulLoader(BaseLoader):
    """Loads transcripts of URLs, or of files.

    ```python
    documents = HaulLoader("https://example.com/talk", mode="auto", max_cost_dollars=1).load()
    ```

    `chunk` says whether a document is a paragraph, a segment, or the whole transcript. Its metadata has `source`, `title`,
    `start`, `end`, `speaker` and `job_id`; times are in seconds. The other fields are those of `Haul.transcribe`.
    Without a `client` or an `async_client`, the environment variables `HAUL_API_KEY` and `HAUL_URL` are used.
    """

    def __init__(
        self,
        url: Sources,
        *,
        chunk: Chunk = "paragraphs",
        client: Haul | None = None,
        async_client: AsyncHaul | None = None,
        **fields: Unpack[TranscribeOptions],
    ) -> None:
        self._sources = sources_of(url)
        self._chunk: Chunk = chunk
        self._client = client
        self._async_client = async_client
        self._fields = fields

    def lazy_load(self) -> Iterator[Document]:
        with nullcontext(self._client) if self._client else Haul() as haul:
            for source in self._sources:
                result = haul.transcribe(source, **self._fields)
                for text, metadata in passages(source, result, self._chunk):
                    yield Document(text, metadata=metadata)

    async def alazy_load(self) -> AsyncIterator[Document]:
        async with nullcontext(self._async_client) if self._async_client else AsyncHaul() as haul:
            for source in self._sources:
                result = await haul.transcribe(source, **self._fields)
                for text, metadata in passages(source, result, self._chunk):
                    yield Document(text, metadata=metadata)
