"""When somebody speaks: pyannote's segmentation-3.0, which hears ten seconds at once and tells up to three people apart.

Windows of ten seconds begin every five, and only the middle half of each is used, where the model knows what comes before
and after. In each window the model numbers people anew. So the numbers of a window are put in the order in which they agree
best with the window before it, as far as both hear the same: the three rows that this makes are called chains. A chain is
one voice for a while, but not always: pieces.py and clusters.py do not rely on it.
"""

import itertools

import numpy

from recording import SAMPLE_RATE

WINDOW_SAMPLES = 10 * SAMPLE_RATE
# What the model answers: a frame every 270 samples, 589 in a window. The first one is about the samples from 360 on.
FRAME_SAMPLES = 270
FIRST_FRAME_SAMPLES = 360
WINDOW_FRAMES = 589
STEP_FRAMES = 296
# The used part of a window.
FIRST_USED = (WINDOW_FRAMES - STEP_FRAMES) // 2
WINDOWS_AT_ONCE = 4
# Which of three people speak, for each of the model's seven answers.
SPEAKING = numpy.array(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]],
    dtype=bool,
)
CHAINS = SPEAKING.shape[1]


class Segmentation:
    def __init__(self, model):
        self.model, self.input = model, model.get_inputs()[0].name

    def speaking(self, recording, on_progress):
        """For each frame of the recording, which of the chains speak."""
        step = STEP_FRAMES * FRAME_SAMPLES
        starts = range(0, max(1, recording.samples - WINDOW_SAMPLES + step), step)
        used, before = [], None
        for first in range(0, len(starts), WINDOWS_AT_ONCE):
            batch = starts[first : first + WINDOWS_AT_ONCE]
            samples = numpy.stack([recording.read(start, start + WINDOW_SAMPLES) for start in batch])
            [scores] = self.model.run(None, {self.input: samples[:, None, :]})
            for window in SPEAKING[scores.argmax(axis=2)]:
                if before is not None:
                    window = window[:, best_order(before[STEP_FRAMES:], window[:-STEP_FRAMES])]
                used.append(window[0 if before is None else FIRST_USED : FIRST_USED + STEP_FRAMES])
                before = window
            on_progress(min(recording.seconds, (batch[-1] + WINDOW_SAMPLES) / SAMPLE_RATE))
        # Nothing comes after the last window.
        return numpy.concatenate([*used, before[FIRST_USED + STEP_FRAMES :]])


def best_order(before, after):
    """The order of the columns of `after` in which most frames are as in `before`."""
    orders = list(itertools.permutations(range(CHAINS)))
    agreements = [numpy.count_nonzero(before & after[:, order]) for order in orders]
    return list(orders[int(numpy.argmax(agreements))])


def sample_of(frame):
    """Where a frame starts."""
    return frame * FRAME_SAMPLES + FIRST_FRAME_SAMPLES
