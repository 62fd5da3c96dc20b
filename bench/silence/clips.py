"""Writes clips without speech and clips with speech as 16 kHz mono PCM, and a list of them as lines of JSON.

    clips.py FOLDER SEED

Clips are the same for the same seed.
"""

import functools
import json
import sys
from pathlib import Path

import numpy
import recordings
import sounds
from sounds import RATE

folder, seed = Path(sys.argv[1]), int(sys.argv[2])

LENGTHS = [1, 2, 4, 8, 15, 30, 60]
LONG = 300
LEVELS = [-12, -24, -40, -60]

found = recordings.clips()
voices, rooms = recordings.voices_of(found), recordings.rooms_of(found)
NOISES = ["white", "pink", "brown", "blue", "violet", "grey"]
KINDS = {
    **{f"{name} noise": getattr(sounds, name) for name in NOISES},
    "tone": sounds.tones,
    "sweep": sounds.sweeps,
    "mains hum": sounds.hum,
    "chords": sounds.chords,
    "arpeggios": sounds.arpeggios,
    "drums": sounds.drums,
    "melody": sounds.melody,
    "crowd, backwards": functools.partial(sounds.crowd, voices=voices),
    "breaths": sounds.breaths,
    "keys": sounds.keys,
    "rain": sounds.rain,
    "applause": sounds.applause,
    "engine": sounds.engine,
    "telephone beeps": sounds.beeps,
    "end of a recording": functools.partial(sounds.ends, rooms=rooms),
}


def at_level(samples, level):
    """`level`: of the mean, in dB of the loudest that can be written. What is louder is cut off, as by a microphone."""
    mean = recordings.loudness(samples)
    return samples * (10 ** (level / 20) / mean) if mean else samples


def write(name, samples, **about):
    pcm = (numpy.clip(samples, -1, 1) * 32767).round().astype("<i2")
    (folder / f"{name}.pcm").write_bytes(pcm.tobytes())
    print(json.dumps({"file": f"{name}.pcm", "seconds": round(len(pcm) / RATE, 2), **about}))


def without_speech():
    for kind, made in enumerate(["silence", *KINDS]):
        cases = [(length, level) for length in LENGTHS for level in range(len(LEVELS))]
        for length, level in [*cases, (LONG, kind % len(LEVELS))]:
            chance = numpy.random.default_rng([seed, kind, length, level])
            count = length * RATE
            samples = (
                sounds.silence(count, chance, level)
                if made == "silence"
                else at_level(KINDS[made](count, chance), LEVELS[level])
            )
            write(f"silence-{kind}-{length}-{level}", samples, set="silence", kind=made, level=LEVELS[level])


def padded(samples, before, after):
    return numpy.concatenate([numpy.zeros(int(before * RATE)), samples, numpy.zeros(int(after * RATE))])


def over(samples, sound, ratio):
    """The speech over a sound that is so many dB quieter."""
    quieter = sound * (recordings.loudness(samples) / recordings.loudness(sound) / 10 ** (ratio / 20))
    mixed = samples + quieter
    return mixed / max(1, numpy.max(numpy.abs(mixed)))


def manners(samples, chance):
    """What is done to a clip with speech, by name."""
    count = len(samples)
    yield "as recorded", samples
    for level in (-30, -45, -55):
        yield f"at {level} dB", at_level(samples, level)
    for ratio in (20, 10, 5):
        yield f"{ratio} dB over pink noise", over(samples, sounds.pink(count, chance), ratio)
    for ratio in (15, 8):
        yield f"{ratio} dB over music", over(samples, sounds.chords(count, chance) + sounds.drums(count, chance), ratio)
    yield "10 dB over a crowd", over(samples, sounds.crowd(count, chance, voices), 10)
    yield "after a minute of silence", padded(samples, 60, 0)
    room = at_level(sounds.pink(count + 70 * RATE, chance), -55)
    yield "after a minute of noise", room + padded(samples, 60, 10)


def with_speech():
    for index, clip in enumerate(each for each in found if "text" in each):
        chance = numpy.random.default_rng([seed, 1_000, index])
        for number, (manner, samples) in enumerate(manners(clip["samples"], chance)):
            write(f"speech-{index}-{number}", samples, set="speech", kind=manner, text=clip["text"])
    for index, (text, samples) in enumerate(recordings.single_words()):
        chance = numpy.random.default_rng([seed, 2_000, index])
        alone = padded(samples, 0.5, 1)
        quiet = [("one word", alone), ("one word, at -45 dB", at_level(alone, -45))]
        for number, (manner, made) in enumerate(
            [*quiet, ("one word, 15 dB over pink noise", over(alone, sounds.pink(len(alone), chance), 15))]
        ):
            write(f"word-{index}-{number}", made, set="speech", kind=manner, text=text)


with_speech()
without_speech()
