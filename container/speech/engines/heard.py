"""What an engine makes of some windows, and the samples of these."""

import typing

import numpy

SAMPLE_RATE = 16_000


class Heard(typing.NamedTuple):
    # Each {text, start, end, confidence}, in seconds of the samples. A word has the space before it.
    words: list
    # How far the samples are heard.
    seconds: float
    # None: the engine does not know.
    language: str | None
    probability: float


def joined(samples, windows):
    """The speech of all windows without the pauses between it."""
    return numpy.concatenate([samples[speech["start"] : speech["end"]] for window in windows for speech in window])


def length_of(window):
    return sum(speech["end"] - speech["start"] for speech in window)


def batches(windows, size):
    return [windows[first : first + size] for first in range(0, len(windows), size)]
