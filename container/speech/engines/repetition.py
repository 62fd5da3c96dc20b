"""Whether a text is one that a network repeats without end."""

import zlib

# Whisper's own threshold.
MAX_COMPRESSION_RATIO = 2.4
# Words in a row that are said again and again, and how often. A word alone may be said a few times.
LONGEST_PHRASE = 8
MOST_TIMES, MOST_TIMES_OF_A_WORD = 2, 4


def repeats_itself(text):
    return compression_ratio(text) > MAX_COMPRESSION_RATIO or has_loop(plain_words(text))


def compression_ratio(text):
    data = text.encode()
    return len(data) / len(zlib.compress(data))


def plain_words(text):
    return ["".join(filter(str.isalnum, word)) for word in text.casefold().split()]


def has_loop(words):
    for length in range(1, LONGEST_PHRASE + 1):
        most = MOST_TIMES if length > 1 else MOST_TIMES_OF_A_WORD
        same = 0
        for at in range(length, len(words)):
            same = same + 1 if words[at] == words[at - length] else 0
            if same >= length * most:
                return True
    return False
