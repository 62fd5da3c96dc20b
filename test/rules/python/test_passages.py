from pathlib import Path

import pytest

from haul_client import FinishedTranscription
from haul_client._convert import parse
from haul_client._passages import passages, sources_of


def pieces(segments, chunk):
    result = {"jobId": "trn_1", "title": "A talk", "segments": segments, "text": ""}
    return list(passages("https://example.com/talk", parse(FinishedTranscription, result), chunk))


def segment(start, text, speaker=None):
    return {"start": start, "end": start + 1, "text": text, "speaker": speaker}


SEGMENTS = [segment(0, "Good morning,"), segment(1, "all."), segment(4, "After a pause."), segment(5, "Yes?", "A")]


@pytest.mark.parametrize(
    ("chunk", "texts"),
    [
        ("segments", ["Good morning,", "all.", "After a pause.", "Yes?"]),
        ("paragraphs", ["Good morning, all.", "After a pause.", "Yes?"]),
        ("all", ["Good morning, all. After a pause. Yes?"]),
    ],
)
def test_a_transcript_is_cut_into(chunk, texts):
    assert [text for text, _ in pieces(SEGMENTS, chunk)] == texts


def test_a_passage_has_its_times_and_a_speaker_if_there_is_only_one():
    first, _, last = [about for _, about in pieces(SEGMENTS, "paragraphs")]
    shared = {"source": "https://example.com/talk", "title": "A talk", "job_id": "trn_1"}
    assert first == {**shared, "start": 0, "end": 2, "speaker": None}
    assert last == {**shared, "start": 5, "end": 6, "speaker": "A"}
    assert pieces(SEGMENTS, "all")[0][1]["speaker"] is None


def test_a_long_paragraph_without_pauses_ends_with_a_sentence():
    segments = [segment(each, "word " * 29 + ("end." if each % 2 else "and")) for each in range(12)]
    assert all(text.endswith("end.") for text, _ in pieces(segments, "paragraphs"))
    assert len(pieces(segments, "paragraphs")) == 2


def test_chinese_and_japanese_are_joined_without_spaces():
    assert pieces([segment(0, "你好，"), segment(1, "世界。")], "all")[0][0] == "你好，世界。"


def test_a_source_or_a_list_of_them_is_taken():
    assert sources_of("https://example.com") == ["https://example.com"]
    assert sources_of([Path("a.mp3")]) == [Path("a.mp3")]


def test_a_transcript_without_words_is_no_document():
    assert pieces([], "all") == []
