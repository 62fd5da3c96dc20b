"""The names and the context that a caller gives for a recording, as Whisper takes them: text that precedes what it hears.

The model has room for 223 tokens of such text, and faster-whisper fails with more. Keywords come first and whole, in the
caller's order, then the end of the prompt, which is nearest to what is heard.
"""

import re

# One token fewer than the model takes, for each of three seams where the tokens of a joined text may be others.
MAX_TOKENS = 220


class Vocabulary:
    def __init__(self, prompt, keywords):
        self.prompt = plain(prompt or "")
        self.keywords = [keyword for keyword in map(plain, keywords) if keyword]
        self.words = {word for text in [self.prompt, *self.keywords] for word in words_in(text)}

    def options(self, tokenizer):
        """For faster-whisper's `transcribe`, which puts `hotwords` before `initial_prompt`."""
        prompt = tokens_of(tokenizer, f" {self.prompt}") if self.prompt else []
        # Where both are long, each has half.
        keywords = self.keywords_within(tokenizer, MAX_TOKENS - min(len(prompt), MAX_TOKENS // 2))
        left = MAX_TOKENS - len(tokens_of(tokenizer, keywords))
        # A character may have several tokens, of which the cut has left some.
        end_of_prompt = tokenizer.decode(prompt[-left:]).lstrip("\ufffd")
        return {"hotwords": keywords or None, "initial_prompt": end_of_prompt or None}

    def keywords_within(self, tokenizer, tokens):
        text = ""
        for keyword in self.keywords:
            longer = f"{text}, {keyword}" if text else f" {keyword}"
            if len(tokens_of(tokenizer, longer)) >= tokens:
                break
            text = longer
        return f"{text}." if text else ""

    def has_all_words_of(self, text):
        return all(word in self.words for word in words_in(text))


def plain(text):
    """Without what the tokenizer would take for a special token, such as <|endoftext|>."""
    return " ".join(text.replace("<|", "< |").split())


def tokens_of(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False).ids


def words_in(text):
    """Of Chinese and Japanese, which have no spaces between words, the characters."""
    return re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+", text.casefold())
