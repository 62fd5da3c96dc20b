"""A recording on disk: headerless 16 kHz mono, 16-bit little-endian samples. Only what is asked for is read."""

import os

import numpy

SAMPLE_RATE = 16_000
BYTES_PER_SAMPLE = 2


class Recording:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.samples = os.fstat(self.file.fileno()).st_size // BYTES_PER_SAMPLE
        self.seconds = self.samples / SAMPLE_RATE

    def read(self, start, end):
        """The samples [start, end) from -1 to 1, with silence where there are none."""
        first, last = max(0, start), min(self.samples, end)
        heard = numpy.zeros(end - start, numpy.float32)
        if last > first:
            self.file.seek(first * BYTES_PER_SAMPLE)
            data = self.file.read((last - first) * BYTES_PER_SAMPLE)
            heard[first - start : last - start] = numpy.frombuffer(data, "<i2")
        return heard / 32768
