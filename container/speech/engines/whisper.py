"""Whisper of any size in the format of CTranslate2, run by faster-whisper."""

import math

from faster_whisper import BatchedInferencePipeline, WhisperModel
from faster_whisper.transcribe import restore_speech_timestamps

from .heard import SAMPLE_RATE, Heard, batches, joined, length_of
from .second_hearing import for_second_hearing
from .vocabulary import Vocabulary

BATCH_SIZE = 4
BEAM_SIZE = 5
# Windows of speech that the language is detected in, at most, if it is not clear after the first.
DETECTION_WINDOWS = 4
# Whisper's own thresholds. Text with a higher compression ratio repeats itself. A segment is a hallucination if
# its no-speech probability is high and its text repeats itself or has a low log probability.
MAX_COMPRESSION_RATIO = 2.4
MIN_LOG_PROBABILITY = -1.0
MAX_NO_SPEECH_PROBABILITY = 0.6
# How doubtful a text is: its no-speech probability times how unlikely it is. Of what was invented to many voices it was at
# least 0.37, of sentences in loud noise at most 0.2, but of quiet words alone up to 0.53. These are heard again: the mean of
# both was at most 0.43 of words, and at least 0.46 of what is invented.
MAX_DOUBT = 0.25
MAX_MEAN_DOUBT = 0.44
# Of names spoken alone into noise, heard without the vocabulary, it was at most 0.44, and of noise at least 0.6.
MAX_NO_SPEECH_PROBABILITY_OF_NAMES = 0.5


class Engine:
    batch_size = BATCH_SIZE
    # What the network sees at once. A shorter window takes as long.
    window_seconds = 30
    # Silence in a window does no harm, because each word has its own time.
    span_seconds = 120

    def __init__(self, folder, threads):
        self.model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=threads)
        self.pipeline = BatchedInferencePipeline(self.model)

    def hear(self, samples, windows, piece):
        # If the model does not support the language, it is detected.
        language = piece.language if piece.language in self.model.supported_languages else None
        vocabulary = Vocabulary(**piece.vocabulary) if piece.vocabulary else None
        asked = {
            "task": "translate" if piece.translate else "transcribe",
            "language": language,
            **(vocabulary.options(self.model.hf_tokenizer) if vocabulary else {}),
        }
        probability = None
        # Times are rounded from the start of what is transcribed together, and so do not depend on the piece.
        for batch in batches(windows, BATCH_SIZE):
            segments, info = self.transcribe_windows(samples, batch, asked)
            asked["language"] = info.language
            probability = info.language_probability if probability is None else probability
            # `segments` is a generator: the windows are recognized during iteration.
            for segment in segments:
                words = self.checked_words(segment, samples, batch, asked, vocabulary)
                yield Heard(words, float(segment.end), info.language, float(probability))

    def detect(self, samples, windows):
        """The language of the speech and its probability."""
        if not self.model.model.is_multilingual:
            return "en", 1.0
        speech = joined(samples, windows[:DETECTION_WINDOWS])
        language, probability, _ = self.model.detect_language(speech, language_detection_segments=DETECTION_WINDOWS)
        return language, float(probability)

    def transcribe_windows(self, samples, windows, asked):
        """Transcribes the speech without the pauses between it; returned times refer to `samples`."""
        ranges = [speech for window in windows for speech in window]
        clips, at = [], 0
        for window in windows:
            end = at + length_of(window)
            clips.append({"start": at / SAMPLE_RATE, "end": end / SAMPLE_RATE})
            at = end
        segments, info = self.transcribe(
            joined(samples, windows), asked, clip_timestamps=clips, language_detection_segments=DETECTION_WINDOWS
        )
        return restore_speech_timestamps(segments, ranges, SAMPLE_RATE), info

    def transcribe(self, samples, asked, **options):
        return self.pipeline.transcribe(
            samples,
            batch_size=BATCH_SIZE,
            beam_size=BEAM_SIZE,
            word_timestamps=True,
            condition_on_previous_text=False,
            **asked,
            **options,
        )

    def checked_words(self, segment, samples, windows, asked, vocabulary):
        """A segment that repeats itself is transcribed again, with repeated n-grams forbidden. One that has only words of the
        vocabulary is heard again without it, because the model repeats these on noise."""
        part = samples[int(segment.start * SAMPLE_RATE) : int(segment.end * SAMPLE_RATE)]
        if vocabulary and vocabulary.has_all_words_of(segment.text) and self.is_noise(part, asked):
            return []
        if is_hallucination(segment):
            return []
        heard, start = [segment], 0.0
        if is_repetitive(segment):
            retried, _ = self.transcribe(part, asked, no_repeat_ngram_size=4)
            heard = [each for each in retried if not is_repetitive(each) and not is_hallucination(each)]
            start = float(segment.start)
        doubt = max(map(doubt_of, heard), default=0.0)
        if doubt > MAX_DOUBT and not self.is_speech(joined(samples, [window_of(segment, windows)]), asked, doubt):
            return []
        return [word for each in heard for word in words_of(each, start)]

    def is_speech(self, samples, asked, doubt):
        """Hears a whole window again, whose text had so much doubt."""
        again = for_second_hearing(samples)
        whole = [{"start": 0, "end": len(again) / SAMPLE_RATE}]
        segments, _ = self.transcribe(again, without_vocabulary(asked), clip_timestamps=whole)
        return any(not is_repetitive(segment) and (doubt + doubt_of(segment)) / 2 <= MAX_MEAN_DOUBT for segment in segments)

    def is_noise(self, samples, asked):
        segments, _ = self.transcribe(samples, without_vocabulary(asked))
        return all(segment.no_speech_prob > MAX_NO_SPEECH_PROBABILITY_OF_NAMES for segment in segments)


def without_vocabulary(asked):
    return {**asked, "hotwords": None, "initial_prompt": None}


def window_of(segment, windows):
    """The one that the segment is in. Its own times are those of its words, which may be few."""
    return next((each for each in windows if segment.start < each[-1]["end"] / SAMPLE_RATE), windows[-1])


def is_repetitive(segment):
    return segment.compression_ratio > MAX_COMPRESSION_RATIO


def is_hallucination(segment):
    is_unlikely = segment.avg_logprob < MIN_LOG_PROBABILITY
    return segment.no_speech_prob > MAX_NO_SPEECH_PROBABILITY and (is_unlikely or is_repetitive(segment))


def doubt_of(segment):
    return segment.no_speech_prob * -segment.avg_logprob


def words_of(segment, offset):
    return [
        {
            "text": word.word,
            "start": round(float(word.start) + offset, 3),
            "end": round(float(word.end) + offset, 3),
            # NaN, which JSON does not have, if the tokens of the word have no probability.
            "confidence": round(float(word.probability), 3) if math.isfinite(word.probability) else None,
        }
        for word in segment.words or []
    ]
