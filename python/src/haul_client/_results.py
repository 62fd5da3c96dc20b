"""The results of completed jobs: what such a job always has is not optional."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from ._convert import parse
from ._errors import HaulApiError
from ._models import ImportResult, Segment, TranscriptionResult


@dataclass(frozen=True, kw_only=True)
class FinishedImport(ImportResult):
    job_id: str


@dataclass(frozen=True, kw_only=True)
class FinishedTranscription(TranscriptionResult):
    job_id: str
    text: str
    """The whole transcript."""
    segments: list[Segment]
    """In order, without overlaps."""


Finished = Union[FinishedImport, FinishedTranscription]


def finished(job_id: str, job: dict[str, Any]) -> Finished:
    result = {**(job.get("result") or {}), "jobId": job_id}
    is_transcription = job_id.startswith("trn_")
    if ("text" if is_transcription else "mediaUrl") not in result:
        raise HaulApiError(410, {"error": "The media was removed.", "code": "MEDIA_EXPIRED", "requestId": None})
    if not is_transcription:
        return parse(FinishedImport, result)
    segments = (result.get("data") or {}).get("segments", [])
    return parse(FinishedTranscription, {**result, "segments": segments})
