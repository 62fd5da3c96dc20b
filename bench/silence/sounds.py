"""Sounds in which nobody says anything, made of random numbers. Each function makes so many samples of one kind; how loud
they are does not matter, because clips.py sets it. `chance` is numpy's generator.
"""

import math

import numpy

RATE = 16_000


def seconds(count):
    return numpy.arange(count) / RATE


def silence(count, chance, level):
    """A microphone that is switched off, as four recorders write it: zeros, the last bit at random, an offset, and zeros
    with a single click."""
    made = numpy.zeros(count)
    if level == 1:
        made = chance.integers(-1, 2, count) / 32768
    if level == 2:
        made = made + chance.uniform(0.001, 0.02)
    if level == 3:
        made[chance.integers(count)] = chance.uniform(0.1, 0.9)
    return made


def shaped(count, chance, gain):
    """White noise whose strength at each frequency is `gain`."""
    spectrum = numpy.fft.rfft(chance.normal(size=count))
    frequencies = numpy.fft.rfftfreq(count, 1 / RATE)
    return numpy.fft.irfft(spectrum * gain(numpy.maximum(frequencies, 10)), count)


def ear(frequency):
    """How well people hear a frequency: the A curve of IEC 61672."""
    squared = frequency**2
    near = (squared + 107.7**2) * (squared + 737.9**2)
    return 12194**2 * squared**2 / ((squared + 20.6**2) * numpy.sqrt(near) * (squared + 12194**2))


def white(count, chance):
    return chance.normal(size=count)


def pink(count, chance):
    return shaped(count, chance, lambda frequency: frequency**-0.5)


def brown(count, chance):
    return shaped(count, chance, lambda frequency: 1 / frequency)


def blue(count, chance):
    return shaped(count, chance, lambda frequency: frequency**0.5)


def violet(count, chance):
    return shaped(count, chance, lambda frequency: frequency)


def grey(count, chance):
    return shaped(count, chance, lambda frequency: 1 / numpy.maximum(ear(frequency), 0.01))


def wave(frequency, count, harmonics=(1.0,)):
    """`frequency`: a number, or one for each sample."""
    phase = 2 * math.pi * numpy.cumsum(numpy.broadcast_to(frequency, count)) / RATE
    return sum(strength * numpy.sin(index * phase) for index, strength in enumerate(harmonics, 1))


def tones(count, chance):
    shape = [(1.0,), (1, 0, 1 / 3, 0, 1 / 5), (1, 1 / 2, 1 / 3, 1 / 4)][chance.integers(3)]
    return wave(float(numpy.exp(chance.uniform(math.log(80), math.log(2_000)))), count, shape)


def sweeps(count, chance):
    """Up and down, in turns of a length of its own."""
    low, high = chance.uniform(50, 300), chance.uniform(1_000, 6_000)
    turn = chance.uniform(0.5, 6)
    at = numpy.abs((seconds(count) / turn) % 2 - 1)
    return wave(low * (high / low) ** at, count)


def hum(count, chance):
    """Of the mains: 50 or 60 Hz, its harmonics, and a little noise."""
    harmonics = chance.uniform(0, 1, 12) / numpy.arange(1, 13)
    return wave([50, 60][chance.integers(2)], count, harmonics) + 0.02 * chance.normal(size=count)


def pitch(note):
    """Of a note in half tones above 110 Hz."""
    return 110 * 2 ** (note / 12)


SCALE = [0, 2, 4, 5, 7, 9, 11, 12, 14, 16]
STRING = (1, 0.6, 0.4, 0.25, 0.15, 0.1)


def note(made, start, length, sound):
    """Adds a sound with a soft start and end."""
    first, last = int(start * RATE), min(len(made), int((start + length) * RATE))
    if last > first:
        rise = numpy.minimum(1, numpy.minimum(numpy.arange(last - first), numpy.arange(last - first)[::-1]) / (0.02 * RATE))
        made[first:last] += rise * sound(last - first)


def chords(count, chance):
    made, length = numpy.zeros(count), chance.uniform(0.5, 2)
    for start in numpy.arange(0, count / RATE, length):
        root = chance.integers(12)
        for third in (0, [3, 4][chance.integers(2)], 7, 12):
            note(made, start, length, lambda size, third=third: wave(pitch(root + third), size, STRING))
    return made


def arpeggios(count, chance):
    made, length = numpy.zeros(count), chance.uniform(0.1, 0.3)
    for index, start in enumerate(numpy.arange(0, count / RATE, length)):
        step = [0, 4, 7, 12, 7, 4][index % 6] + 12
        plucked = lambda size: wave(pitch(step), size, STRING) * numpy.exp(-seconds(size) * 8)  # noqa: E731
        note(made, start, 3 * length, plucked)
    return made


def drums(count, chance):
    made, beat = numpy.zeros(count), chance.uniform(0.15, 0.3)

    def bass(size):
        return wave(40 + 100 * numpy.exp(-seconds(size) * 30), size) * numpy.exp(-seconds(size) * 10)

    def snare(size):
        return (chance.normal(size=size) + wave(180, size)) * numpy.exp(-seconds(size) * 20) / 2

    def cymbal(size):
        return violet(size, chance) * numpy.exp(-seconds(size) * 40) / 4

    for index, start in enumerate(numpy.arange(0, count / RATE, beat)):
        note(made, start, 0.4, [bass, cymbal, snare, cymbal][index % 4])
    return made


def melody(count, chance):
    """One instrument in the range of voices, with vibrato and slides, breathing between phrases."""
    made, start = numpy.zeros(count), 0.0
    while start < count / RATE:
        for _ in range(chance.integers(3, 9)):
            length = chance.uniform(0.15, 0.9)
            base, rate = pitch(SCALE[chance.integers(len(SCALE))] + 3), chance.uniform(4.5, 6.5)

            def sung(size, base=base, rate=rate):
                at = seconds(size)
                slide = 1 - 0.06 * numpy.exp(-at * 25)
                return wave(base * slide * (1 + 0.015 * numpy.sin(2 * math.pi * rate * at)), size, STRING)

            note(made, start, length, sung)
            start += length
        start += chance.uniform(0.2, 0.8)
    return made


VOICES_OF_CROWD = 8


def crowd(count, chance, voices):
    """Eight voices at once, each backwards, and each of another person: of fewer, single sounds can be taken for words."""
    made = numpy.zeros(count)
    people = chance.permutation(sorted(voices))
    for index in range(VOICES_OF_CROWD):
        clips = voices[people[index % len(people)]]
        at = -int(chance.integers(RATE * 3))
        while at < count:
            clip = clips[chance.integers(len(clips))][::-1] * chance.uniform(0.6, 1)
            first, last = max(0, at), min(count, at + len(clip))
            if last > first:
                made[first:last] += clip[first - at : last - at]
            at += len(clip)
    return made


def breaths(count, chance):
    """Air: noise in a band that moves a little, swelling and fading, in and out."""
    made, start = numpy.zeros(count), chance.uniform(0, 0.3)
    while start < count / RATE:
        for low, high in ((600, 3_000), (300, 1_800)):
            length = chance.uniform(0.4, 1.4)
            centre = chance.uniform(low, high)

            def air(size, centre=centre):
                gain = lambda frequency: numpy.exp(-((numpy.log(frequency / centre) / 0.6) ** 2))  # noqa: E731
                return shaped(size, chance, gain) * numpy.sin(math.pi * numpy.arange(size) / size) ** 2

            note(made, start, length, air)
            start += length + chance.uniform(0.05, 0.4)
        start += chance.uniform(0.2, 1.5)
    return made + 0.002 * chance.normal(size=count)


def bursts(count, chance, rate, ring):
    """Short sounds at random times, so many a second, each of noise and a resonance."""
    made = numpy.zeros(count)
    for start in numpy.sort(chance.uniform(0, count / RATE, max(1, chance.poisson(rate * count / RATE)))):
        low, high = ring
        resonance, fall, strength = chance.uniform(low, high), chance.uniform(60, 200), chance.uniform(0.3, 1)
        first = int(start * RATE)
        size = min(int(0.1 * RATE), count - first)
        sound = chance.normal(size=size) + wave(resonance, size)
        made[first : first + size] += strength * sound * numpy.exp(-seconds(size) * fall)
    return made


def keys(count, chance):
    return bursts(count, chance, chance.uniform(3, 9), (1_000, 4_000)) + 0.003 * chance.normal(size=count)


def rain(count, chance):
    return bursts(count, chance, 60, (1_500, 6_000)) + 0.3 * pink(count, chance) / 0.02


def applause(count, chance):
    """Up to thirty people who clap, each at a pace of his own, rising and falling."""
    made = numpy.zeros(count)
    for _ in range(chance.integers(10, 30)):
        pace, start = chance.uniform(0.18, 0.35), chance.uniform(0, 0.3)
        for at in numpy.arange(start, count / RATE, pace):
            first = int((at + chance.uniform(0, 0.04)) * RATE)
            size = min(int(0.05 * RATE), count - first)
            if size > 0:
                clap = chance.normal(size=size) * numpy.exp(-seconds(size) * chance.uniform(80, 200))
                made[first : first + size] += clap * chance.uniform(0.3, 1)
    return made * (0.6 + 0.4 * numpy.sin(seconds(count) * chance.uniform(0.3, 1.5)))


def engine(count, chance):
    """A motor whose speed wanders, or a fan: harmonics of its turns, and air."""
    speed = chance.uniform(15, 60) * (1 + 0.1 * numpy.sin(seconds(count) * chance.uniform(0.2, 2)))
    return wave(speed, count, chance.uniform(0.1, 1, 20) / numpy.arange(1, 21) ** 0.5) + 30 * brown(count, chance)


KEYPAD = [(low, high) for low in (697, 770, 852, 941) for high in (1209, 1336, 1477)]


def beeps(count, chance):
    """Of telephones: keys, ringing, or busy."""
    made, kind = numpy.zeros(count), chance.integers(3)
    start = 0.1
    while start < count / RATE:
        low, high = KEYPAD[chance.integers(len(KEYPAD))] if kind == 0 else [(440, 480), (480, 620)][kind - 1]
        length, pause = [(0.12, 0.1), (2, 4), (0.5, 0.5)][kind]
        note(made, start, length, lambda size, low=low, high=high: wave(low, size) + wave(high, size))
        start += length + pause
    return made


def ends(count, chance, rooms):
    """What follows the last word of a recording: its room, perhaps faded out, and the click of a switch."""
    room = rooms[chance.integers(len(rooms))]
    # Short pieces at random, laid over each other, so that no period is heard.
    size = min(RATE // 5, len(room)) // 2 * 2
    made, window = numpy.zeros(count + 2 * size), numpy.hanning(size)
    for at in range(0, count + size, size // 2):
        first = chance.integers(len(room) - size + 1)
        made[at : at + size] += window * room[first : first + size]
    made = made[size : size + count]
    if chance.random() < 0.5:
        made = made * numpy.linspace(1, 0, count) ** 2
    if chance.random() < 0.7:
        click = lambda size: 6 * numpy.max(numpy.abs(room)) * bursts(size, chance, 10, (500, 2_000))  # noqa: E731
        note(made, chance.uniform(0, count / RATE - 0.2), 0.1, click)
    return made
