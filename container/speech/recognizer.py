"""Speech recognition in a separate process, which Node controls through a pipe.

Node writes a line of JSON for a piece (see recognizer-process.ts), and then its 16 kHz mono samples (16-bit, little-endian).
This process writes lines of JSON: first `ready` or `broken`, then for each piece any number of `progress` and one of
`words`, `canceled` or `failed`, all with the id of the piece. The line {"cancel": true} cancels the piece before it. (Not a
signal: it would have to pass through the sandbox.)

If a piece is not the last one, speech that may go on in the next piece is not recognized, nor are windows that fill no
batch. `words` has the number of samples that were consumed. Node sends the rest again, before those of the next piece,
which then `continues` this one.
"""

import ctypes
import functools
import json
import math
import os
import queue
import sys
import threading
import types

model_dir, threads = sys.argv[1], sys.argv[2]
os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
# Python runs isolated and does not look into the folder of this file.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from vocabulary import Vocabulary  # noqa: E402

SAMPLE_RATE = 16_000
BATCH_SIZE = 4
BEAM_SIZE = 5
# Whisper's own thresholds. Text with a higher compression ratio repeats itself. A segment is a hallucination if
# its no-speech probability is high and its text repeats itself or has a low log probability.
MAX_COMPRESSION_RATIO = 2.4
MIN_LOG_PROBABILITY = -1.0
MAX_NO_SPEECH_PROBABILITY = 0.6
# Of names spoken alone into noise, heard without the vocabulary, it was at most 0.44, and of noise at least 0.6.
MAX_NO_SPEECH_PROBABILITY_OF_NAMES = 0.5


class Canceled(Exception):
    pass


class Recognizer:
    def __init__(self):
        from faster_whisper import BatchedInferencePipeline, WhisperModel
        from speech_windows import SpeechWindows

        self.model = WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=int(threads))
        self.pipeline = BatchedInferencePipeline(self.model)
        self.new_windows = functools.partial(SpeechWindows, BATCH_SIZE)
        self.windows = None

    def recognize(self, piece, on_progress):
        import numpy

        samples = numpy.frombuffer(piece.data, dtype="<i2").astype(numpy.float32) / 32768
        # A process that was started in the middle of a recording knows of no pieces before.
        if self.windows is None or not piece.continues:
            self.windows = self.new_windows()
        windows, consumed = self.windows.take(samples, piece.last)
        if not windows:
            return {"language": None, "probability": 0.0, "words": [], "consumedSamples": consumed}
        # If the model does not support the language, it is detected.
        language = piece.language if piece.language in self.model.supported_languages else None
        vocabulary = Vocabulary(**piece.vocabulary) if piece.vocabulary else None
        asked = {
            "task": "translate" if piece.translate else "transcribe",
            "language": language,
            **(vocabulary.options(self.model.hf_tokenizer) if vocabulary else {}),
        }
        probability, words = None, []
        # Times are rounded from the start of what is transcribed together, and so do not depend on the piece.
        for first in range(0, len(windows), BATCH_SIZE):
            batch = windows[first : first + BATCH_SIZE]
            segments, info = self.transcribe_windows(samples, batch, asked)
            asked["language"] = info.language
            probability = info.language_probability if probability is None else probability
            # `segments` is a generator: the windows are recognized during iteration.
            for segment in segments:
                if piece.canceled:
                    raise Canceled
                words += self.checked_words(segment, samples, asked, vocabulary)
                on_progress(seconds=float(segment.end))
        return {
            # Without words, the detected language is that of noise.
            "language": asked["language"] if words else None,
            "probability": float(probability),
            "words": words,
            "consumedSamples": consumed,
        }

    def transcribe_windows(self, samples, windows, asked):
        """Transcribes the speech without the pauses between it; returned times refer to `samples`."""
        import numpy
        from faster_whisper.transcribe import restore_speech_timestamps

        ranges = [speech for window in windows for speech in window]
        speech_samples = numpy.concatenate([samples[speech["start"] : speech["end"]] for speech in ranges])
        clips, at = [], 0
        for window in windows:
            length = sum(speech["end"] - speech["start"] for speech in window)
            clips.append({"start": at / SAMPLE_RATE, "end": (at + length) / SAMPLE_RATE})
            at += length
        segments, info = self.transcribe(speech_samples, asked, clip_timestamps=clips, language_detection_segments=4)
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

    def checked_words(self, segment, samples, asked, vocabulary):
        """A segment that repeats itself is transcribed again, with repeated n-grams forbidden. One that has only words of the
        vocabulary is heard again without it, because the model repeats these on noise."""
        window = samples[int(segment.start * SAMPLE_RATE) : int(segment.end * SAMPLE_RATE)]
        if vocabulary and vocabulary.has_all_words_of(segment.text) and self.is_noise(window, asked):
            return []
        if segment.compression_ratio <= MAX_COMPRESSION_RATIO or is_hallucination(segment):
            return words_of(segment)
        retried, _ = self.transcribe(window, asked, no_repeat_ngram_size=4)
        return [
            {**word, "start": word["start"] + float(segment.start), "end": word["end"] + float(segment.start)}
            for retried_segment in retried
            if retried_segment.compression_ratio <= MAX_COMPRESSION_RATIO
            for word in words_of(retried_segment)
        ]

    def is_noise(self, samples, asked):
        segments, _ = self.transcribe(samples, {**asked, "hotwords": None, "initial_prompt": None})
        return all(segment.no_speech_prob > MAX_NO_SPEECH_PROBABILITY_OF_NAMES for segment in segments)


def is_hallucination(segment):
    is_repetitive = segment.compression_ratio > MAX_COMPRESSION_RATIO
    is_unlikely = segment.avg_logprob < MIN_LOG_PROBABILITY
    return segment.no_speech_prob > MAX_NO_SPEECH_PROBABILITY and (is_unlikely or is_repetitive)


def words_of(segment):
    if is_hallucination(segment):
        return []
    return [
        {
            "text": word.word,
            "start": round(float(word.start), 3),
            "end": round(float(word.end), 3),
            # NaN, which JSON does not have, if the tokens of the word have no probability.
            "confidence": round(float(word.probability), 3) if math.isfinite(word.probability) else None,
        }
        for word in segment.words or []
    ]


def keep_memory():
    """Each batch needs the same large arrays again. If the C library returned them to the system after each use, a sixth of
    the processor's time would go into getting them anew. Returns what gives them back after a recording."""
    m_trim_threshold, m_mmap_threshold, m_arena_max = -1, -3, -8
    libc = ctypes.CDLL(None)
    # A C library that is not glibc has no such settings.
    if not hasattr(libc, "mallopt"):
        return lambda: None
    libc.mallopt(m_mmap_threshold, 1 << 30)
    libc.mallopt(m_trim_threshold, 1 << 30)
    # In one arena memory is shared by all threads, so that less of it is kept.
    libc.mallopt(m_arena_max, 1)
    return functools.partial(libc.malloc_trim, 0)


def read_pieces(pieces):
    """Runs in a thread, so that a cancel is read while its piece is recognized. The last item is None."""
    piece = None
    try:
        while line := sys.stdin.buffer.readline():
            request = json.loads(line)
            if "cancel" in request:
                piece.canceled = True
                continue
            data = sys.stdin.buffer.read(request["bytes"])
            if len(data) < request["bytes"]:
                break
            piece = types.SimpleNamespace(**request, data=data, canceled=False)
            pieces.put(piece)
    finally:
        # Also after a message that cannot be read: nobody would read the next one.
        pieces.put(None)


def main():
    give_back_memory = keep_memory()
    messages = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What libraries print must not corrupt the messages.
    os.dup2(2, 1)

    def send(event, **fields):
        messages.write(json.dumps({"event": event, **fields}) + "\n")
        messages.flush()

    try:
        recognizer = Recognizer()
    except Exception as error:
        send("broken", reason=f"{type(error).__name__}: {error}")
        return
    pieces = queue.Queue()
    threading.Thread(target=read_pieces, args=(pieces,), daemon=True).start()
    send("ready")
    for piece in iter(pieces.get, None):
        answer = functools.partial(send, id=piece.id)
        try:
            answer("words", **recognizer.recognize(piece, functools.partial(answer, "progress")))
        except Canceled:
            answer("canceled")
        except Exception as error:
            answer("failed", reason=f"{type(error).__name__}: {error}")
        if piece.last or piece.canceled:
            give_back_memory()


main()
