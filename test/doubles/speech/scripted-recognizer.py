"""A speech engine for tests that are not about speech. It answers as container/speech/recognizer.py does (the messages
are described there), without a model: whatever is spoken, it hears the sentences of test/media/clips, from
the first on, for as long as someone speaks. So a recording of these clips in order is recognized without an error, and
the text of any other depends on its length only.

A translation is in capital letters, so that tests can tell it from a transcript. The first keyword of a vocabulary, or
without keywords its prompt, takes the place of "Mr. John Dashwood", so that tests can see that it has come.

Speech is what is loud and changes its loudness. Silence, a tone and noise have no words.

While the file `hold` lies in the folder of this file, recognition pauses after its first report of progress. While the
file `garble` does, a line that cannot be read comes before each answer. Started by scripted-speech.ts.
"""

import array
import functools
import json
import os
import queue
import sys
import threading
import time

SAMPLE_RATE = 16_000
CELL_SECONDS = 0.1
# Of the samples' root mean square, where 32768 is the loudest: pauses between words are below it.
MIN_LOUDNESS = 500
# Between sentences speakers pause for less.
PAUSE_SECONDS = 1.0
SOON_SECONDS = 0.5
# Standard deviation of the loudness, per mean. Speech has about 0.6, noise less than 0.1.
MIN_VARIATION = 0.3
# With a word every so many seconds as in the clips, and each sentence at the time when the clips have it.
READING = [
    (0.0, 6.6, "And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them."),
    (7.0, 9.5, "He was not an ill-disposed young man,"),
    (10.0, 14.9, "unless to be rather cold-hearted and rather selfish is to be ill-disposed."),
    (15.4, 20.6, "Had he married a more amiable woman, he might have been made still more respectable than he was."),
    (21.4, 24.0, "He might even have been made amiable himself."),
]
READING_SECONDS = 25.0
NAME = "Mr. John Dashwood"
LANGUAGE = "en"
HOLD, GARBLE = (os.path.join(os.path.dirname(os.path.abspath(__file__)), name) for name in ("hold", "garble"))
HOLD_INTERVAL_SECONDS = 0.02


class Canceled(Exception):
    pass


class Piece:
    def __init__(self, data, request):
        self.id = request["id"]
        self.samples = array.array("h", data)
        self.detects = request.get("detect", False)
        self.language = request.get("language")
        self.translates = request.get("translate", False)
        self.vocabulary = request.get("vocabulary")
        self.canceled = False


def recognize(piece, on_progress):
    words = []
    for start, end in speech_of(piece.samples):
        if piece.canceled:
            raise Canceled
        on_progress(seconds=end)
        while os.path.exists(HOLD) and not piece.canceled:
            time.sleep(HOLD_INTERVAL_SECONDS)
        if piece.canceled:
            raise Canceled
        words += words_spoken(start, end, name_in(piece.vocabulary))
    if piece.translates:
        words = [{**word, "text": word["text"].upper()} for word in words]
    # As Whisper does, if someone speaks soon.
    if words and words[0]["start"] < SOON_SECONDS:
        words[0]["start"] = 0.0
    return {
        "language": piece.language or LANGUAGE if words else None,
        "probability": 1.0 if words else 0.0,
        "words": words,
        "consumedSamples": len(piece.samples),
    }


def speech_of(samples):
    """The start and end, in seconds, of each stretch of speech."""
    cell = int(SAMPLE_RATE * CELL_SECONDS)
    loudness = [loudness_of(samples[at : at + cell]) for at in range(0, len(samples), cell)]
    loud = [index for index, each in enumerate(loudness) if each >= MIN_LOUDNESS]
    stretches = []
    for index in loud:
        if stretches and (index - stretches[-1][1]) * CELL_SECONDS < PAUSE_SECONDS:
            stretches[-1][1] = index + 1
        else:
            stretches.append([index, index + 1])
    return [
        (round(first * CELL_SECONDS, 1), round(end * CELL_SECONDS, 1))
        for first, end in stretches
        if variation_of(loudness[first:end]) >= MIN_VARIATION
    ]


def loudness_of(samples):
    """Every eighth sample is enough to tell speech from silence."""
    some = samples[::8]
    return (sum(sample * sample for sample in some) / len(some)) ** 0.5


def variation_of(values):
    mean = sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5 / mean


def name_in(vocabulary):
    names = [*vocabulary["keywords"], vocabulary["prompt"]] if vocabulary else []
    return names[0] if names else NAME


def words_spoken(start, end, name):
    words, reading_start = [], start
    while reading_start < end:
        for sentence_start, sentence_end, sentence in READING:
            texts = sentence.replace(NAME, name).split(" ")
            seconds = (sentence_end - sentence_start) / len(texts)
            for index, text in enumerate(texts):
                at = reading_start + sentence_start + index * seconds
                if at < end:
                    # As Whisper does, with the space before the word.
                    words.append(
                        {"text": f" {text}", "start": round(at, 3), "end": round(at + seconds, 3), "confidence": 0.9}
                    )
        reading_start += READING_SECONDS
    return words


def read_pieces(pipe, pieces):
    piece = None
    while line := pipe.readline():
        request = json.loads(line)
        if "cancel" in request:
            piece.canceled = True
            continue
        data = pipe.read(request["bytes"])
        if len(data) < request["bytes"]:
            break
        piece = Piece(data, request)
        pieces.put(piece)
    pieces.put(None)


def send(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main():
    pieces = queue.Queue()
    threading.Thread(target=read_pieces, args=(sys.stdin.buffer, pieces), daemon=True).start()
    send("ready")
    for piece in iter(pieces.get, None):
        answer = functools.partial(send, id=piece.id)
        if piece.detects:
            language = LANGUAGE if speech_of(piece.samples) else None
            answer("language", language=language, probability=1.0 if language else 0.0)
            continue
        try:
            words = recognize(piece, functools.partial(answer, "progress"))
            if os.path.exists(GARBLE):
                print("garbled", flush=True)
            answer("words", **words)
        except Canceled:
            answer("canceled")


if __name__ == "__main__":
    main()
