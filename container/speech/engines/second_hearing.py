"""What a window is heard as once more if its text is doubtful.

The search for speech takes many voices at once, and some music, for speech, and models write a sentence then that nobody said.
They are surer that nothing is said if the sound begins after a moment of silence and is as loud as other speech, and as sure
of what is said.
"""

import numpy

from .heard import SAMPLE_RATE

SILENCE = numpy.zeros(SAMPLE_RATE // 2, "float32")
# The mean, where 1 is the loudest that can be.
LOUDNESS = 0.05
LEAST = 1e-5


def for_second_hearing(samples):
    loudness = float(numpy.sqrt(numpy.mean(samples**2)))
    louder = numpy.clip(samples * (LOUDNESS / max(LEAST, loudness)), -1, 1)
    return numpy.concatenate([SILENCE, louder])
