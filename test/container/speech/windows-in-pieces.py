"""Compares the windows of recordings in pieces with those of the same recordings in one piece, and with what faster-whisper
finds. Prints what differs, or nothing. Usage: windows-in-pieces.py FOLDER SEED RUNS, with the folder of the module.

The recordings have no sound: the first sample of each frame is the probability that someone speaks in it.
"""

import random
import sys

import numpy
from faster_whisper import vad

folder, seed, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.path.append(folder)
import speech_windows  # noqa: E402
from speech_windows import FRAME, LONGEST_REST, SAMPLE_RATE, SpeechWindows  # noqa: E402

PIECE = 35 * SAMPLE_RATE
BATCH, SECONDS, SPAN_SECONDS = 4, 30, 120


# Speech without a pause is cut elsewhere than faster-whisper cuts it.
cut_without_pause = set()
cut = speech_windows.SpeechFinder.cut


def noted_cut(finder, at):
    if finder.cut_end is None:
        cut_without_pause.add(at)
    cut(finder, at)


speech_windows.SpeechFinder.cut = noted_cut


class Told:
    def probabilities(self, samples, start, end):
        return samples[start:end].reshape(-1, FRAME)[:, 0]


def in_pieces(samples, cuts):
    """All windows, in the recording, and the most samples that were left."""
    finder = SpeechWindows(BATCH, SECONDS, SPAN_SECONDS, Told())
    windows, rest, most, offset = [], samples[:0], 0, 0
    for start, end in zip([0, *cuts], [*cuts, len(samples)]):
        piece = numpy.concatenate([rest, samples[start:end]])
        taken, consumed = finder.take(piece, end == len(samples))
        windows += [[(each["start"] + offset, each["end"] + offset) for each in window] for window in taken]
        rest, offset = piece[consumed:], offset + consumed
        most = max(most, len(rest))
    return windows, most


def as_faster_whisper(samples):
    vad.get_vad_model = lambda: lambda padded: padded.reshape(-1, FRAME)[:, 0]
    options = vad.VadOptions(max_speech_duration_s=30, min_silence_duration_ms=160)
    return [(each["start"], each["end"]) for each in vad.get_speech_timestamps(samples, options)]


def recording(chance, seconds, speech, pause):
    """Speech and pauses of about so many frames, and between them what is neither."""
    frames, spoken = [], True
    while len(frames) < seconds * SAMPLE_RATE // FRAME:
        length = 1 + int(chance.expovariate(1 / (speech if spoken else pause)))
        low, high = (0.5, 1) if spoken else (0, 0.5)
        frames += [chance.uniform(low, high) for _ in range(length)]
        spoken = not spoken
    samples = numpy.zeros(len(frames) * FRAME + chance.randrange(FRAME), "float32")
    samples[: len(frames) * FRAME : FRAME] = frames
    return samples


def speech_of(windows):
    return [speech for window in windows for speech in window]


def differences(kind, samples, chance):
    cut_without_pause.clear()
    whole, _ = in_pieces(samples, [])
    if not cut_without_pause and speech_of(whole) != as_faster_whisper(samples):
        yield f"{kind}: not what faster-whisper finds"
    cuts = sorted(chance.sample(range(1, len(samples)), len(samples) // PIECE))
    for each in [cuts, list(range(PIECE, len(samples), PIECE))]:
        windows, left = in_pieces(samples, each)
        if windows != whole:
            yield f"{kind}: other windows in {len(each) + 1} pieces"
        if left > LONGEST_REST + SPAN_SECONDS * SAMPLE_RATE:
            yield f"{kind}: {left / SAMPLE_RATE:.0f} s are left"
    speech = speech_of(whole)
    if any(end > after for (_, end), (after, _) in zip(speech, speech[1:])):
        yield f"{kind}: speech overlaps"
    if any(sum(end - start for start, end in window) > SECONDS * SAMPLE_RATE for window in whole):
        yield f"{kind}: a window is too long"


def network():
    """Probabilities of noise that becomes louder and quieter."""
    chance = numpy.random.default_rng(seed)
    samples = (chance.normal(size=60 * FRAME) * numpy.sin(numpy.arange(60 * FRAME) / 4000) * 0.1).astype("float32")
    whole = vad.get_vad_model()(samples.copy()).ravel()[:-1]
    detector = speech_windows.SpeechDetector()
    cuts = [0, 0, 7 * FRAME, 8 * FRAME, 41 * FRAME, len(samples) - FRAME]
    parts = [p for start, end in zip(cuts, cuts[1:]) for p in detector.probabilities(samples, start, end)]
    if not numpy.allclose(parts, whole, atol=1e-5):
        yield "the network hears something else in pieces"


def main():
    kinds = {
        "fluent": (600, 60, 12),
        "with short pauses": (600, 60, 5),
        "without pauses": (600, 100_000, 5),
        "sparse": (1_200, 30, 1_500),
        "rare": (1_500, 30, 10_000),
        "silent": (300, 0.5, 100_000),
        "short": (20, 30, 10),
    }
    found = list(network())
    for run in range(runs):
        for kind, shape in kinds.items():
            chance = random.Random(f"{kind} {seed} {run}")
            found += differences(kind, recording(chance, *shape), chance)
    print("\n".join(sorted(set(found))), end="")


main()
