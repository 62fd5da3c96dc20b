"""The tokens of a model whose text SentencePiece cut: which bytes each stands for."""

import pathlib

SPACE = "\u2581"


def read_tokens(folder):
    """What makes a text of tokens."""
    path = file_in(folder, "tokenizer.bin")
    if path:
        with open(path, "rb") as file:
            tokens = list(entries(file.read()))
        return lambda ids: text_of(tokens, ids)
    from tokenizers import Tokenizer

    return Tokenizer.from_file(file_in(folder, "tokenizer.json")).decode


def file_in(folder, name):
    """Its path, also from a folder in the folder. None: it is not there."""
    return next(map(str, sorted(pathlib.Path(folder).rglob(name))), None)


def entries(data):
    """Each is its length and its bytes. A length from 128 takes two bytes."""
    at = 0
    while at < len(data):
        length, at = data[at], at + 1
        if length >= 128:
            length, at = length - 128 + data[at] * 128, at + 1
        yield data[at : at + length]
        at += length


def text_of(tokens, ids):
    # A model has more outputs than tokens, and the tokens in angle brackets are not text.
    spoken = (tokens[each] for each in ids if each < len(tokens) and not is_special(tokens[each]))
    return b"".join(spoken).decode("utf-8", errors="ignore").replace(SPACE, " ").strip()


def is_special(token):
    return len(token) > 2 and token.startswith(b"<") and token.endswith(b">")
