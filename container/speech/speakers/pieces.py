"""Cuts what is spoken into pieces of at most 2.5 s, each of one voice as far as the segmentation can tell.

Short pieces, because a chain is not always one person. The voice of a piece is heard where it speaks alone.
"""

import numpy

from recording import SAMPLE_RATE
from segmentation import FRAME_SAMPLES, sample_of

FRAME_SECONDS = FRAME_SAMPLES / SAMPLE_RATE
# A shorter pause is part of speaking.
PAUSE_SECONDS = 0.2
PIECE_SECONDS = 2.5


class Piece:
    """Frames [first, end) of a chain. `alone` has the ranges of samples in which nobody else speaks."""

    def __init__(self, chain, first, last, alone):
        self.chain, self.alone = chain, alone
        self.start, self.end = sample_of(first) / SAMPLE_RATE, sample_of(last) / SAMPLE_RATE
        self.voice = None

    @property
    def seconds(self):
        return self.end - self.start


def cut_pieces(speaking):
    """The pieces of all chains, in the order of their starts. `speaking` has a row for each frame, and a column for each chain."""
    alone = speaking & (speaking.sum(axis=1) == 1)[:, None]
    pieces = [
        Piece(chain, first, last, [(sample_of(a), sample_of(b)) for a, b in stretches(alone[first:last, chain], first)])
        for chain in range(speaking.shape[1])
        for run_start, run_end in runs_of(speaking, chain)
        for first, last in evenly(run_start, run_end, PIECE_SECONDS / FRAME_SECONDS)
    ]
    return sorted(pieces, key=lambda piece: piece.start)


def runs_of(speaking, chain):
    """Stretches of a chain, joined over short pauses in which nobody else speaks."""
    runs = []
    for start, end in stretches(speaking[:, chain]):
        is_short = runs and (start - runs[-1][1]) * FRAME_SECONDS <= PAUSE_SECONDS
        if is_short and not speaking[runs[-1][1] : start].any():
            runs[-1][1] = end
        else:
            runs.append([start, end])
    return runs


def stretches(active, offset=0):
    """[first, end) of each stretch of frames that are true."""
    edges = numpy.flatnonzero(numpy.diff(active.astype(numpy.int8), prepend=0, append=0)) + offset
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


def evenly(start, end, longest):
    """Equal parts, none longer than `longest`."""
    count = max(1, int(numpy.ceil((end - start) / longest)))
    bounds = [start + round((end - start) * index / count) for index in range(count + 1)]
    return zip(bounds, bounds[1:])
