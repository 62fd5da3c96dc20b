"""Models that onnx-asr reads: of NeMo (Parakeet, Canary), Whisper, Kaldi, GigaAM and T-one, as ONNX.

A transducer, and a network with CTC, tell when each token is heard. The others have a decoder that writes the text, and
tell no times.
"""

import math

import onnx_asr

from .heard import SAMPLE_RATE, Heard, batches, joined
from .places import placed, spread, words_in
from .repetition import repeats_itself
from .sessions import PROVIDERS, options

# Those with a decoder. They also take the language.
WITHOUT_TIMES = {"nemo-conformer-aed", "whisper", "whisper-ort"}
# How long the last token of a word is heard, if no other follows at once.
LAST_TOKEN = SAMPLE_RATE * 300 // 1000


class Engine:
    batch_size = 4

    def __init__(self, folder, threads, model_type):
        self.tells_times = model_type not in WITHOUT_TIMES
        # Most of these models have learned from recordings of up to 24 s. Where times are spread, a window is shorter.
        self.window_seconds, self.span_seconds = (24, 120) if self.tells_times else (15, 20)
        self.model = load(model_type, folder, threads).with_timestamps()

    def hear(self, samples, windows, piece):
        asked = {} if self.tells_times else {"language": piece.language}
        for batch in batches(windows, self.batch_size):
            results = self.model.recognize([joined(samples, [window]) for window in batch], **asked)
            words = [word for result, window in zip(results, batch) for word in self.words_of(result, window)]
            yield Heard(words, batch[-1][-1]["end"] / SAMPLE_RATE, piece.language, 1.0)

    def words_of(self, result, window):
        if self.tells_times:
            return timed(result, window)
        return [] if repeats_itself(result.text) else spread(result.text, window)


def load(model_type, folder, threads):
    """Networks in whole numbers have other names."""
    # With a folder nothing is downloaded.
    how = {"path": folder, "sess_options": options(threads), "providers": PROVIDERS}
    try:
        return onnx_asr.load_model(model_type, **how)
    except FileNotFoundError:
        return onnx_asr.load_model(model_type, quantization="int8", **how)


def timed(result, window):
    """A word is heard from its first token until the next word, or until shortly after its last token."""
    starts = [round(seconds * SAMPLE_RATE) for seconds in result.timestamps]
    # Of each letter.
    token_of = [index for index, token in enumerate(result.tokens) for _ in token]
    words = [(word, token_of[start], token_of[end - 1]) for word, start, end in words_in("".join(result.tokens))]
    heard = []
    for (word, first, last), (_, following, _) in zip(words, [*words[1:], (None, None, None)]):
        end = starts[last] + LAST_TOKEN
        if following is not None:
            end = min(end, starts[following])
        heard.append(placed(word, starts[first], end, window, confidence_of(result.logprobs, first, last)))
    return heard


def confidence_of(logarithms, first, last):
    if not logarithms:
        return None
    mean = sum(logarithms[first : last + 1]) / (last + 1 - first)
    return round(min(1.0, math.exp(mean)), 3) if math.isfinite(mean) else None
