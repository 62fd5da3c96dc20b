"""The speech of test/media: what is said, by whom, and the rooms in which nobody speaks."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy

RATE = 16_000
MEDIA = Path(__file__).resolve().parents[2] / "test" / "media"


def decoded(*source, ffmpeg="ffmpeg"):
    command = [ffmpeg, "-v", "error", *source, "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"]
    pcm = subprocess.run(command, capture_output=True, check=True).stdout
    return numpy.frombuffer(pcm, "<i2") / 32768


# Said alone. Some of them are what models invent, so a filter that goes by the words would lose them.
WORDS = ["yes", "no", "hello", "stop", "okay", "you", "bye", "help", "seven", "thank you", "good morning", "never mind"]
SPEAKERS = ["slt", "rms", "awb"]


def single_words():
    """(text, samples) by Flite, where the system's ffmpeg has it."""
    ffmpeg = shutil.which("ffmpeg", path="/usr/bin:/usr/local/bin")
    filters = ffmpeg and subprocess.run([ffmpeg, "-v", "error", "-filters"], capture_output=True, check=True).stdout
    if not filters or b"flite" not in filters:
        return
    for text in WORDS:
        for speaker in SPEAKERS:
            yield text, decoded("-f", "lavfi", "-i", f"flite=text='{text}':voice={speaker}", ffmpeg=ffmpeg)


def loudness(samples):
    return float(numpy.sqrt(numpy.mean(samples**2)))


def clips():
    """Each with `person`, `samples`, where somebody speaks in them, and `text` where that is known."""
    voices = json.loads((MEDIA / "voices" / "voices.json").read_text())
    return [
        {**clip, "person": person, "samples": decoded("-i", MEDIA / "voices" / clip["file"])}
        for person, of_person in voices.items()
        for clip in of_person
    ]


def voices_of(found):
    """All as loud as each other, by person."""
    voices = {}
    for clip in found:
        voices.setdefault(clip["person"], []).append(clip["samples"] / loudness(clip["samples"]))
    return voices


FRAME = RATE // 50
# A frame in a pause is of the room if it is so much quieter than the clip, and not the start of a word.
QUIETER = 10 ** (-24 / 20)


def rooms_of(found):
    """The longest time in each clip in which nobody speaks, if it is long enough to tell something."""
    rooms = []
    for clip in found:
        edges = [0, *(int(at * RATE) for spoken in clip["speech"] for at in spoken), len(clip["samples"])]
        longest = max(
            (run for start, end in zip(edges[::2], edges[1::2]) for run in quiet_runs(clip["samples"], start, end)),
            key=len,
            default=[],
        )
        if len(longest) >= RATE // 8 and loudness(longest) > 1e-4:
            rooms.append(longest)
    return rooms


def quiet_runs(samples, start, end):
    loudest = loudness(samples) * QUIETER
    first = start
    for at in range(start, end, FRAME):
        if loudness(samples[at : at + FRAME]) > loudest:
            yield samples[first:at]
            first = at + FRAME
    yield samples[first:end]
