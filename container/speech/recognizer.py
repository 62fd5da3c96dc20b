"""Speech recognition in a separate process, which Node controls through a pipe.

    recognizer.py KIND MODEL_FOLDER THREADS [TYPE]

KIND is the name of a module in engines/, whose class Engine runs the model. Some kinds have types.

Node writes a line of JSON for a piece (see recognizer-process.ts), and then its 16 kHz mono samples (16-bit, little-endian).
This process writes lines of JSON: first `ready` or `broken`, then for each piece any number of `progress` and one of
`words`, `canceled` or `failed`, all with the id of the piece. The line {"cancel": true} cancels the piece before it. (Not a
signal: it would have to pass through the sandbox.)

If a piece is not the last one, speech that may go on in the next piece is not recognized, nor are windows that fill no
batch. `words` has the number of samples that were consumed. Node sends the rest again, before those of the next piece,
which then `continues` this one.

A piece with `detect` is answered by `language`: that of its speech, or null without speech. It is part of no recording.
"""

import ctypes
import functools
import importlib
import json
import os
import queue
import sys
import threading
import types

kind, model_folder, threads, *model_type = sys.argv[1:]
os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
# Python runs isolated and does not look into the folder of this file.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))


class Canceled(Exception):
    pass


class Recognizer:
    def __init__(self):
        from speech_windows import SpeechWindows

        self.engine = importlib.import_module(f"engines.{kind}").Engine(model_folder, int(threads), *model_type)
        self.new_windows = functools.partial(
            SpeechWindows, self.engine.batch_size, self.engine.window_seconds, self.engine.span_seconds
        )
        self.windows = None

    def recognize(self, piece, on_progress):
        samples = samples_of(piece)
        # A process that was started in the middle of a recording knows of no pieces before.
        if self.windows is None or not piece.continues:
            self.windows = self.new_windows()
        windows, consumed = self.windows.take(samples, piece.last)
        language, probability, words = None, 0.0, []
        for heard in self.engine.hear(samples, windows, piece) if windows else []:
            if piece.canceled:
                raise Canceled
            words += heard.words
            # Without words, the detected language is that of noise.
            if words:
                language, probability = heard.language, heard.probability
            on_progress(seconds=heard.seconds)
        return {"language": language, "probability": probability, "words": words, "consumedSamples": consumed}

    def detect(self, piece):
        samples = samples_of(piece)
        windows, _ = self.new_windows().take(samples, True)
        language, probability = self.engine.detect(samples, windows) if windows else (None, 0.0)
        return {"language": language, "probability": probability}


def samples_of(piece):
    import numpy

    return numpy.frombuffer(piece.data, dtype="<i2").astype(numpy.float32) / 32768


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
            piece = types.SimpleNamespace(**{"detect": False, "last": True, **request}, data=data, canceled=False)
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
    # Loading needs more of it than the model does.
    give_back_memory()
    pieces = queue.Queue()
    threading.Thread(target=read_pieces, args=(pieces,), daemon=True).start()
    send("ready")
    for piece in iter(pieces.get, None):
        answer = functools.partial(send, id=piece.id)
        try:
            if piece.detect:
                answer("language", **recognizer.detect(piece))
            else:
                answer("words", **recognizer.recognize(piece, functools.partial(answer, "progress")))
        except Canceled:
            answer("canceled")
        except Exception as error:
            answer("failed", reason=f"{type(error).__name__}: {error}")
        if piece.last or piece.canceled:
            give_back_memory()


main()
