"""Transcripts in pieces, as the loaders of frameworks return them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Literal, Union

from ._models import Segment
from ._results import FinishedTranscription

Chunk = Literal["paragraphs", "segments", "all"]
"""A document for each paragraph, for each segment, or one for the whole transcript."""

Sources = Union[str, "os.PathLike[str]", "list[str]", "list[os.PathLike[str]]", "list[str | os.PathLike[str]]"]
"""A URL or the path of a file, or several."""

PARAGRAPH_PAUSE_SECONDS = 2
LONG_PARAGRAPH_CHARACTERS = 600
"""Captions may have no pauses at all. A paragraph of this length ends after its current sentence."""
ENDS_OF_SENTENCES = (".", "!", "?", "…", "。", "！", "？")


def sources_of(sources: Sources) -> list[Any]:
    return sources if isinstance(sources, list) else [sources]


def passages(source: Any, result: FinishedTranscription, chunk: Chunk) -> Iterator[tuple[str, dict[str, Any]]]:
    """Texts and their metadata."""
    about = {"source": os.fspath(source), "title": result.title, "job_id": result.job_id}
    for segments in _grouped(result.segments, chunk):
        speakers = {segment.speaker for segment in segments}
        times = {"start": segments[0].start, "end": segments[-1].end}
        yield _joined(segments), {**about, **times, "speaker": speakers.pop() if len(speakers) == 1 else None}


def _grouped(segments: list[Segment], chunk: Chunk) -> Iterator[list[Segment]]:
    if chunk == "segments":
        yield from ([segment] for segment in segments)
        return
    group: list[Segment] = []
    for segment in segments:
        if group and chunk == "paragraphs" and _starts_paragraph(group, segment):
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _starts_paragraph(group: list[Segment], segment: Segment) -> bool:
    previous = group[-1]
    is_long = sum(len(each.text) for each in group) >= LONG_PARAGRAPH_CHARACTERS
    return (
        previous.speaker != segment.speaker
        or segment.start - previous.end >= PARAGRAPH_PAUSE_SECONDS
        or (is_long and previous.text.endswith(ENDS_OF_SENTENCES))
    )


def _joined(segments: list[Segment]) -> str:
    text = ""
    for segment in segments:
        is_spaced = text and not (_is_unspaced(text[-1]) or _is_unspaced(segment.text[:1]))
        text += f" {segment.text}" if is_spaced else segment.text
    return text


def _is_unspaced(character: str) -> bool:
    """Chinese and Japanese have no spaces between words."""
    return "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uff60"
