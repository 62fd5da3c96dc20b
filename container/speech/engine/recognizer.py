"""Speech to words, in a process of its own that Node feeds through a pipe.

Node writes a line of JSON, {"bytes": n, "language": "en" or null, "last": bool}, and then n bytes of 16 kHz
mono samples (16-bit, little-endian). The answers are lines of JSON: `ready` or `broken` once, then for each
piece any number of `progress` and one of `words`, `canceled` or `failed`. SIGUSR1 cancels the piece at hand.

A batch that is not full takes as long as one that is. So of a piece that is not the last only full batches
are heard; `words` says up to which sample, and Node sends the rest again in front of the next piece.

Nothing here opens a file of a stranger's or a socket: the model comes from a folder that Node has compared
with its digests, and the network is gone before we start.
"""

import functools
import json
import os
import signal
import sys

model_dir, threads = sys.argv[1], sys.argv[2]
os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)

SAMPLE_RATE = 16_000
BATCH_SIZE = 4
BEAM_SIZE = 5
WINDOW_SECONDS = 30
# Whisper's own bounds: text that compresses better than this repeats itself; where the model hears no speech,
# text that repeats itself, or that it hardly believes in, was made up.
LOOPING = 2.4
UNSURE = -1.0
SPEECHLESS = 0.6


class Canceled(Exception):
    pass


class Engine:
    def __init__(self):
        from faster_whisper import BatchedInferencePipeline, WhisperModel

        self.model = WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=int(threads))
        self.pipeline = BatchedInferencePipeline(self.model)
        self.canceled = False

    def cancel(self, *_):
        self.canceled = True

    def recognize(self, samples, language, is_last, on_progress):
        self.canceled = False
        windows = self.windows_of(samples)
        left = 0 if is_last or len(windows) < BATCH_SIZE else len(windows) % BATCH_SIZE
        heard = windows[-left][0]["start"] if left else len(samples)
        windows = windows[: len(windows) - left]
        if not windows:
            return {"language": None, "probability": 0.0, "words": [], "heard": heard}
        segments, info = self.hear(samples, windows, self.known(language))
        words = []
        # The work happens while we iterate, a batch of windows at a time.
        for segment in segments:
            if self.canceled:
                raise Canceled
            words += self.believed(segment, samples, info.language)
            on_progress(seconds=float(segment.end))
        return {
            # What was made up has no language.
            "language": info.language if words else None,
            "probability": float(info.language_probability),
            "words": words,
            "heard": heard,
        }

    def windows_of(self, samples):
        """Stretches of speech, as many to a window as fit into the 30 s that Whisper hears at once."""
        from faster_whisper.vad import VadOptions, get_speech_timestamps

        options = VadOptions(max_speech_duration_s=WINDOW_SECONDS, min_silence_duration_ms=160)
        windows, room = [], 0
        for stretch in get_speech_timestamps(samples, options):
            length = stretch["end"] - stretch["start"]
            if length > room:
                windows.append([])
                room = WINDOW_SECONDS * SAMPLE_RATE
            windows[-1].append(stretch)
            room -= length
        return windows

    def hear(self, samples, windows, language):
        """Without what lies between the stretches; times come back as those of the samples."""
        import numpy
        from faster_whisper.transcribe import restore_speech_timestamps

        stretches = [stretch for window in windows for stretch in window]
        speech = numpy.concatenate([samples[stretch["start"] : stretch["end"]] for stretch in stretches])
        clips, at = [], 0
        for window in windows:
            length = sum(stretch["end"] - stretch["start"] for stretch in window)
            clips.append({"start": at / SAMPLE_RATE, "end": (at + length) / SAMPLE_RATE})
            at += length
        segments, info = self.transcribe(speech, language, clip_timestamps=clips, language_detection_segments=4)
        return restore_speech_timestamps(segments, stretches, SAMPLE_RATE), info

    def transcribe(self, samples, language, **options):
        return self.pipeline.transcribe(
            samples,
            language=language,
            batch_size=BATCH_SIZE,
            beam_size=BEAM_SIZE,
            word_timestamps=True,
            condition_on_previous_text=False,
            **options,
        )

    def believed(self, segment, samples, language):
        """A window that loops is heard once more, without the means to repeat itself."""
        if segment.compression_ratio <= LOOPING or is_made_up(segment):
            return words_of(segment)
        window = samples[int(segment.start * SAMPLE_RATE) : int(segment.end * SAMPLE_RATE)]
        again, _ = self.transcribe(window, language, no_repeat_ngram_size=4)
        return [
            {**word, "start": word["start"] + float(segment.start), "end": word["end"] + float(segment.start)}
            for second in again
            if second.compression_ratio <= LOOPING
            for word in words_of(second)
        ]

    def known(self, language):
        """A language that the model was not taught is as good as none: it finds out what it can hear."""
        return language if language in self.model.supported_languages else None


def is_made_up(segment):
    doubtful = segment.avg_logprob < UNSURE or segment.compression_ratio > LOOPING
    return segment.no_speech_prob > SPEECHLESS and doubtful


def words_of(segment):
    if is_made_up(segment):
        return []
    return [
        {"text": word.word, "start": round(float(word.start), 3), "end": round(float(word.end), 3)}
        for word in segment.words or []
    ]


def open_wire():
    """Libraries that print must not garble the answers: their stdout is our stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def pieces(wire):
    import numpy

    while line := wire.readline():
        order = json.loads(line)
        data = wire.read(order["bytes"])
        if len(data) < order["bytes"]:
            return
        yield numpy.frombuffer(data, dtype="<i2").astype(numpy.float32) / 32768, order


def main():
    wire, answers = open_wire()

    def say(event, **facts):
        answers.write(json.dumps({"event": event, **facts}) + "\n")
        answers.flush()

    try:
        engine = Engine()
    except Exception as error:
        say("broken", reason=f"{type(error).__name__}: {error}")
        return
    signal.signal(signal.SIGUSR1, engine.cancel)
    say("ready")
    for samples, order in pieces(wire):
        try:
            tell = functools.partial(say, "progress")
            say("words", **engine.recognize(samples, order["language"], order["last"], tell))
        except Canceled:
            say("canceled")
        except Exception as error:
            say("failed", reason=f"{type(error).__name__}: {error}")


main()
