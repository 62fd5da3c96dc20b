"""What a voice is like: 192 numbers of length 1, whose product with those of another piece tells how alike both are.

The encoder does not hear samples but their spectrum as Kaldi computes it, on 80 mel bands (the options are those of
3D-Speaker: https://github.com/modelscope/3D-Speaker, speakerlab/process/processor.py).
"""

import numpy

from recording import SAMPLE_RATE

BANDS = 80
FRAME, STEP, FFT = 400, 160, 512
LOWEST_HZ = 20
PREEMPHASIS = 0.97
# The smallest difference between two numbers near 1: a band never has less.
FLOOR = numpy.finfo(numpy.float32).eps
# Less of a voice says nothing of it.
MIN_SECONDS = 0.3


class Encoder:
    def __init__(self, model):
        self.model, self.input = model, model.get_inputs()[0].name

    def hear(self, recording, piece):
        """Gives a piece its `voice`, if it speaks alone for long enough."""
        if sum(end - start for start, end in piece.alone) < MIN_SECONDS * SAMPLE_RATE:
            return
        samples = numpy.concatenate([recording.read(start, end) for start, end in piece.alone])
        [[voice]] = self.model.run(None, {self.input: features(samples)[None]})
        piece.voice = voice / numpy.linalg.norm(voice)


def features(samples):
    """A row of 80 numbers for every 10 ms, less what all rows have in common, such as the sound of the room."""
    frames = numpy.lib.stride_tricks.sliding_window_view(samples, FRAME)[::STEP]
    frames = frames - frames.mean(axis=1, keepdims=True)
    before = numpy.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    spectrum = numpy.fft.rfft((frames - PREEMPHASIS * before) * WINDOW, FFT)
    power = numpy.abs(spectrum[:, : FFT // 2]) ** 2
    bands = numpy.log(numpy.maximum(power @ MEL_BANDS, FLOOR))
    return (bands - bands.mean(axis=0)).astype(numpy.float32)


def mel_bands():
    """Triangles on the mel scale. A column for each band."""

    def mel(hz):
        return 1127 * numpy.log(1 + hz / 700)

    edges = numpy.linspace(mel(LOWEST_HZ), mel(SAMPLE_RATE / 2), BANDS + 2)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    at = mel(numpy.arange(FFT // 2) * SAMPLE_RATE / FFT)[:, None]
    rising, falling = (at - left) / (centre - left), (right - at) / (right - centre)
    return numpy.maximum(0, numpy.minimum(rising, falling)).astype(numpy.float32)


# Povey's window.
WINDOW = (numpy.hanning(FRAME) ** 0.85).astype(numpy.float32)
MEL_BANDS = mel_bands()
