"""Finds speech in a recording that comes in pieces, and groups it into windows for an engine.

What is found does not depend on where the pieces were cut: the network and the rules below continue where they were, and
speech that has not ended waits for the next piece. So no border of a piece is ever inside a word.

The rules are those of faster_whisper.vad.get_speech_timestamps, which sees a whole recording at once, but for speech
without any pause: it is cut where it most resembles one, and not wherever the longest window ends.
"""

import collections

import numpy
from faster_whisper.vad import get_vad_model

SAMPLE_RATE = 16_000
# What the network judges at once, and how much of the samples before it the network sees as well.
FRAME = 512
CONTEXT = 64
# The network's state after each frame.
STATE_SHAPE = (1, 1, 128)
# How many frames the network judges in one call: its memory grows with them.
FRAMES_AT_ONCE = 10_000

MIN_PROBABILITY = 0.5
# Speech goes on until the probability is lower than this.
MIN_PROBABILITY_WITHIN = 0.35
PAUSE = SAMPLE_RATE * 160 // 1000
# Where speech may be cut that is longer than a window.
SHORT_PAUSE = SAMPLE_RATE * 98 // 1000
# Before and after speech, or half of a shorter pause.
PADDING = SAMPLE_RATE * 400 // 1000
# Speech without a pause is cut in this much before it gets too long.
CUT_FRAMES = SAMPLE_RATE * 5 // FRAME
# What is left begins at a multiple of this: Whisper rounds times to 10 ms.
ROUNDING = SAMPLE_RATE // 100
# The most that waits for the next piece.
LONGEST_REST = SAMPLE_RATE * 240


class SpeechDetector:
    """Silero's network."""

    def __init__(self):
        self.session = get_vad_model().session
        self.state = [numpy.zeros(STATE_SHAPE, "float32")] * 2

    def probabilities(self, samples, start, end):
        """One for each whole frame from `start` to `end`. What is before `start` was seen by the last call."""
        if start == end:
            return
        frames = samples[start:end].reshape(-1, FRAME)
        before = samples[max(0, start - CONTEXT) : start]
        first = numpy.concatenate([numpy.zeros(CONTEXT - len(before), "float32"), before])
        contexts = numpy.concatenate([first[None], frames[:-1, -CONTEXT:]])
        seen = numpy.concatenate([contexts, frames], axis=1)
        for at in range(0, len(seen), FRAMES_AT_ONCE):
            h, c = self.state
            output, *self.state = self.session.run(None, {"input": seen[at : at + FRAMES_AT_ONCE], "h": h, "c": c})
            yield from output.ravel()


class SpeechFinder:
    """Speech as [start, end], in samples from the start of the recording."""

    def __init__(self, longest):
        self.longest = longest
        self.position = 0
        self.ended = []
        # Where speech that has not ended started.
        self.start = None
        self.recent = collections.deque(maxlen=CUT_FRAMES)
        self.forget_pauses()

    def forget_pauses(self):
        # The pause that may be the end of the speech, and the last one that speech can be cut in.
        self.pause_start = None
        self.cut_end = self.cut_start = None

    def add(self, probability):
        at, self.position = self.position, self.position + FRAME
        self.recent.append(probability)
        if probability >= MIN_PROBABILITY:
            if self.start is None:
                self.start = at
                return
            if self.pause_start is not None and self.cut_end is not None and self.cut_start is None:
                self.cut_start = at
            self.pause_start = None
        if self.start is None:
            return
        if at - self.start > self.longest:
            self.cut(at)
        if probability < MIN_PROBABILITY_WITHIN and self.start is not None:
            self.pause(at)

    def pause(self, at):
        if self.pause_start is None:
            self.pause_start = at
        # A later pause replaces an earlier one.
        if at - self.pause_start > SHORT_PAUSE and self.cut_end != self.pause_start:
            self.cut_end, self.cut_start = self.pause_start, None
        if at - self.pause_start >= PAUSE:
            self.end(self.pause_start, None)

    def cut(self, at):
        if self.cut_end is not None:
            self.end(self.cut_end, self.cut_start)
        else:
            least = min(range(len(self.recent)), key=lambda index: self.recent[index])
            cut = at - FRAME * (len(self.recent) - 1 - least)
            self.end(cut, cut)

    def end(self, end, next_start):
        self.ended.append([self.start, end])
        self.start = next_start
        self.forget_pauses()

    def finish(self, length):
        if self.start is not None and self.start < length:
            self.end(length, None)
        self.start = None


class SpeechWindows:
    """Windows of at most so many seconds of speech, without the pauses between it. With them, from the start of a window to
    its end, it may be `span_seconds`."""

    def __init__(self, batch_size, seconds, span_seconds, detector=None):
        self.batch_size = batch_size
        self.longest, self.longest_span = seconds * SAMPLE_RATE, span_seconds * SAMPLE_RATE
        self.detector = detector or SpeechDetector()
        self.finder = SpeechFinder(self.longest - FRAME - 2 * PADDING)
        # Of the next samples, and of the speech that was taken last, in the recording.
        self.offset = 0
        self.taken_until = None

    def take(self, samples, is_last):
        """The windows that can be transcribed, each a list of {start, end} in `samples`, and the number of samples that are
        not needed any more. `samples` begin with those that the last call still needed."""
        self.listen(samples, is_last)
        speech = self.settled(is_last)
        windows = self.grouped(speech)
        count = len(windows)
        if not is_last:
            count -= self.is_open(windows, len(speech))
            full = count - count % self.batch_size
            # A partial batch takes as long as a full one, so windows wait for others, but not for ever.
            if full == count or self.finder.position - windows[full][0]["start"] <= LONGEST_REST:
                count = full
        taken, left = windows[:count], windows[count:]
        needed_from = len(samples) if is_last else self.needed_from(left, len(speech)) // ROUNDING * ROUNDING - self.offset
        taken = [[{edge: at - self.offset for edge, at in each.items()} for each in window] for window in taken]
        if forgotten := sum(map(len, taken)):
            self.taken_until = self.finder.ended[forgotten - 1][1]
            del self.finder.ended[:forgotten]
        self.offset += needed_from
        return taken, needed_from

    def listen(self, samples, is_last):
        start = self.finder.position - self.offset
        end = start + (len(samples) - start) // FRAME * FRAME
        if is_last:
            length = len(samples)
            samples = numpy.concatenate([samples, numpy.zeros(FRAME, "float32")])
            end += FRAME
        for probability in self.detector.probabilities(samples, start, end):
            self.finder.add(probability)
        if is_last:
            self.length = self.offset + length
            self.finder.finish(self.length)

    def settled(self, is_last):
        """Speech whose end, with its padding, does not change any more."""
        ended, start = self.finder.ended, self.finder.start
        waits = not is_last and start is None and ended and self.finder.position - ended[-1][1] < 2 * PADDING
        settled = ended[:-1] if waits else ended
        ends = [self.taken_until, *(end for _, end in ended)]
        starts = [*(each for each, _ in ended), start]
        speech = []
        for index, (start, end) in enumerate(settled):
            after = starts[index + 1]
            end += PADDING if after is None else padding(after - end)
            if is_last:
                end = min(end, self.length)
            speech.append({"start": padded_start(start, ends[index]), "end": end})
        return speech

    def is_open(self, windows, settled):
        """Whether the speech that follows may belong to the last window."""
        return bool(windows) and self.next_start(settled) - windows[-1][0]["start"] <= self.longest_span

    def next_start(self, settled):
        """Where speech that is not settled starts, at the earliest."""
        if settled < len(self.finder.ended):
            return self.finder.ended[settled][0]
        return self.finder.position if self.finder.start is None else self.finder.start

    def needed_from(self, left, settled):
        if left:
            return left[0][0]["start"]
        last_end = self.finder.ended[settled - 1][1] if settled else self.taken_until
        return max(self.offset, padded_start(self.next_start(settled), last_end))

    def grouped(self, speech):
        windows, left = [], 0
        for each in speech:
            length = each["end"] - each["start"]
            if length > left or each["end"] - windows[-1][0]["start"] > self.longest_span:
                windows.append([])
                left = self.longest
            windows[-1].append(each)
            left -= length
        return windows


def padding(pause):
    return min(PADDING, pause // 2)


def padded_start(start, last_end):
    return max(0, start - PADDING) if last_end is None else start - padding(start - last_end)
