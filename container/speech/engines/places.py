"""Words of a text, and where they are said in the speech of a window."""

import re

from .heard import SAMPLE_RATE, length_of

# Of Chinese and Japanese, which have no spaces between words, the characters.
WORD = re.compile(r"[\u3040-\u9fff][^\w\s]*|[^\s\u3040-\u9fff]+")


def words_in(text):
    """Each with its place in the text."""
    for found in WORD.finditer(text):
        is_joined = "\u3040" <= found[0][0] <= "\u9fff" or found.start() > 0 and not text[found.start() - 1].isspace()
        yield found[0] if is_joined else f" {found[0]}", found.start(), found.end()


def spread(text, window):
    """For an engine that tells no times: the text takes the whole speech, and a word as much as it has letters."""
    words = list(words_in(text))
    # A short word takes more time than its letters do.
    weights = [len(word.strip()) + 1 for word, _, _ in words]
    length, total, at = length_of(window), sum(weights), 0
    heard = []
    for (word, _, _), weight in zip(words, weights):
        heard.append(placed(word, at * length / total, (at + weight) * length / total, window))
        at += weight
    return heard


def placed(word, start, end, window, confidence=None):
    """`start` and `end` in samples of the joined speech. A word is never on both sides of a pause."""
    speech, begins = speech_at(window, (start + end) / 2)

    def seconds(position):
        at = speech["start"] + position - begins
        return round(float(min(max(at, speech["start"]), speech["end"])) / SAMPLE_RATE, 3)

    return {"text": word, "start": seconds(start), "end": seconds(end), "confidence": confidence}


def speech_at(window, position):
    """The speech with this position in the joined speech, and where it begins there."""
    begins = 0
    for speech in window:
        length = speech["end"] - speech["start"]
        if position < begins + length or speech is window[-1]:
            return speech, begins
        begins += length
