"""Moonshine of any size as its vendor exports it: two ONNX networks, one for what is heard and one for the text.

It has no window of its own: a short recording takes less time than a long one. It tells no times.
"""

import math
import typing

import numpy
import onnxruntime

from .heard import SAMPLE_RATE, Heard, batches, joined
from .ort_file import unpacked
from .places import spread
from .repetition import repeats_itself
from .second_hearing import for_second_hearing
from .sessions import PROVIDERS, options
from .tokens import file_in, read_tokens

FIRST_TOKEN, LAST_TOKEN = 1, 2
# The vendor's own limits. A text of letters that are not Latin has more tokens.
MAX_TOKENS_PER_SECOND = {"en": 6.5, "es": 6.5}
MAX_TOKENS_PER_SECOND_ELSE = 13
# Tokens that are not repeated in a row when a text is heard again.
NO_REPEAT = 4
# A text is doubtful if the model was not sure that anything is said, and one of its tokens was unlikely. Of what it invented to
# many voices the first was at least 0.008 and the second at most -1.29, and heard again, nothing was left. The second was
# at least -1.52 of words alone, and of sentences both were so only in noise as loud as they are.
MAX_PROBABILITY_OF_NOTHING = 0.003
MIN_LOG_PROBABILITY = -1.2
# Of less, the first network makes nothing.
MIN_SAMPLES = SAMPLE_RATE // 10


class HeardText(typing.NamedTuple):
    text: str
    is_doubtful: bool


NOTHING = HeardText("", False)


class Engine:
    batch_size = 4
    window_seconds = 15
    span_seconds = 20

    def __init__(self, folder, threads):
        self.text_of = read_tokens(folder)
        self.encoder = session(folder, "encoder_model", threads)
        self.decoder = session(folder, "decoder_model_merged", threads)

    def hear(self, samples, windows, piece):
        for batch in batches(windows, self.batch_size):
            texts = self.checked_texts([joined(samples, [window]) for window in batch], piece.language)
            words = [word for text, window in zip(texts, batch) for word in spread(text, window)]
            yield Heard(words, batch[-1][-1]["end"] / SAMPLE_RATE, piece.language, 1.0)

    def checked_texts(self, speeches, language):
        return [
            "" if self.is_invented(text, speech, language) else text.text
            for text, speech in zip(self.without_repetition(speeches, language), speeches)
        ]

    def without_repetition(self, speeches, language):
        """A text that repeats itself is heard again, with repeated tokens forbidden."""
        texts = self.transcribe(speeches, language)
        again = [index for index, each in enumerate(texts) if repeats_itself(each.text)]
        if again:
            for index, each in zip(again, self.transcribe([speeches[index] for index in again], language, NO_REPEAT)):
                texts[index] = NOTHING if repeats_itself(each.text) else each
        return texts

    def is_invented(self, text, speech, language):
        return text.is_doubtful and not self.transcribe([for_second_hearing(speech)], language)[0].text

    def transcribe(self, speeches, language, no_repeat=None):
        longest = max(MIN_SAMPLES, *map(len, speeches))
        padded = numpy.stack([numpy.pad(speech, (0, longest - len(speech))) for speech in speeches])
        (heard,) = self.encoder.run(None, {"input_values": padded})
        per_second = MAX_TOKENS_PER_SECOND.get(language, MAX_TOKENS_PER_SECOND_ELSE)
        most = [int(len(speech) / SAMPLE_RATE * per_second) for speech in speeches]
        return [HeardText(self.text_of(tokens), is_doubtful) for tokens, is_doubtful in self.tokens_of(heard, most, no_repeat)]

    def tokens_of(self, heard, most, no_repeat):
        """Of all windows at once, because the weights of the decoder are read for each token, however many windows. And whether
        they are doubtful."""
        texts, unfinished = [[] for _ in most], set(range(len(most)))
        of_nothing, least = [0.0] * len(most), [0.0] * len(most)
        decoding = Decoding(self.decoder, heard)
        tokens = numpy.full((len(most), 1), FIRST_TOKEN)
        while unfinished:
            scores = log_probabilities(decoding.scores_after(tokens))
            for index in sorted(unfinished):
                if not texts[index]:
                    of_nothing[index] = math.exp(scores[index, LAST_TOKEN])
                if no_repeat:
                    scores[index, list(repeated(texts[index], no_repeat))] = -numpy.inf
                token = tokens[index, 0] = scores[index].argmax()
                least[index] = min(least[index], float(scores[index, token]))
                if token == LAST_TOKEN or len(texts[index]) == most[index]:
                    unfinished.remove(index)
                else:
                    texts[index].append(int(token))
        doubtful = [p > MAX_PROBABILITY_OF_NOTHING and log < MIN_LOG_PROBABILITY for p, log in zip(of_nothing, least)]
        return list(zip(texts, doubtful, strict=True))


class Decoding:
    """The decoder gives back what it has computed of the tokens before, and takes it with the next."""

    def __init__(self, decoder, heard):
        self.decoder, self.heard, self.begun = decoder, heard, False
        shapes = {each.name: each.shape for each in decoder.get_inputs() if each.name.startswith("past_")}
        self.past = {name: numpy.zeros((len(heard), shape[1], 0, shape[3]), "float32") for name, shape in shapes.items()}
        self.outputs = ["logits", *(name.replace("past_key_values", "present") for name in shapes)]

    def scores_after(self, tokens):
        inputs = {"input_ids": tokens, "encoder_hidden_states": self.heard, "use_cache_branch": numpy.array([self.begun])}
        logits, *present = self.decoder.run(self.outputs, {**inputs, **self.past})
        for name, new in zip(self.past, present, strict=True):
            # This part is of what is heard: it is computed once, and then comes back empty.
            if not (self.begun and ".encoder." in name):
                self.past[name] = new
        self.begun = True
        return logits[:, -1]


def log_probabilities(scores):
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - numpy.log(numpy.exp(scores).sum(axis=-1, keepdims=True))


def repeated(tokens, length):
    """The tokens that would repeat so many in a row."""
    last = tokens[len(tokens) - length + 1 :]
    for at in range(len(tokens) - length + 1):
        if tokens[at : at + length - 1] == last:
            yield tokens[at + length - 1]


def session(folder, name, threads):
    packed = file_in(folder, f"{name}.ort")
    model = unpacked(packed) if packed else file_in(folder, f"{name}.onnx")
    return onnxruntime.InferenceSession(model, options(threads), providers=PROVIDERS)
