"""Finds the extractors for a URL, and those for what a page embeds, without asking all 1,750 of yt-dlp's.

Each that is asked costs a fork a copy of the memory that its class is in, because Python counts references in the
objects themselves. That would be most of a fork's CPU time on a small page.
"""

import functools
import itertools
import re

from yt_dlp.extractor import gen_extractor_classes
from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils import variadic

# To compile a pattern takes memory for each of its parts, not all of which is freed.
PARTS_OF_A_PATTERN = 100
FLAGS = re.compile(r'\s*\(\?([aiLmsux]+)\)')
# References to groups by number, and flags that are not at the start, mean something else in a part of a pattern.
NOT_A_PART = re.compile(r'\\[1-9]|\(\?\(\d|\(\?[aiLmsux]+\)')
# Before the names of groups, of references to them, and of conditions.
BEFORE_NAME = re.compile(r'(?<=\(\?P<|\(\?P=)(?=\w)|(?<=\(\?\()(?=\w)')


class Extractors(dict):
    """yt-dlp's extractors by key. `values`, which only its generic extractor uses, has those that pages can embed."""

    def values(self):
        return embeddable()


def key_for(url):
    """The key of the first extractor for a URL, as if each were asked in order, or None. An extractor may leave a URL that its
    pattern matches to another one. No extractor accepts a URL that its pattern does not match."""
    patterns, not_in_patterns = index()
    match = next(filter(None, (pattern.match(url) for pattern in patterns)), None)
    first = int(match.lastgroup.split('_')[1]) if match else len(extractors())
    asked = itertools.chain((each for each in not_in_patterns if each < first), range(first, len(extractors())))
    return next((extractors()[each].ie_key() for each in asked if extractors()[each].suitable(url)), None)


@functools.cache
def extractors():
    return [getattr(each, 'real_class', each) for each in gen_extractor_classes()]


def sites():
    """What the operator's users can ask for. Extractors without a description are parts of others."""
    return [
        {'name': each.IE_NAME, 'isBroken': not each.working()}
        for each in extractors() if each.IE_DESC is not False and each.ie_key() != 'Generic'
    ]


@functools.cache
def embeddable():
    methods = ('extract_from_webpage', '_extract_from_webpage', '_extract_embed_urls')
    return [each for each in extractors() if each._EMBED_REGEX or any(overrides(each, method) for method in methods)]


def overrides(extractor, name):
    def function_of(one):
        return getattr(getattr(one, name), '__func__', getattr(one, name))
    return function_of(extractor) is not function_of(InfoExtractor)


@functools.cache
def index():
    """Patterns in order, each made of those of many extractors, and the positions of the extractors that are in none."""
    parts, others = [], []
    for position, extractor in enumerate(extractors()):
        own = [(FLAGS.match(each), each) for each in variadic(extractor._VALID_URL or ())]
        own = [(flags[1], each[flags.end():]) if flags else ('', each) for flags, each in own]
        if any(NOT_A_PART.search(pattern) for _, pattern in own):
            others.append(position)
        else:
            parts.extend(part(*each, f'g{number}_{position}') for number, each in enumerate(own))
    starts = range(0, len(parts), PARTS_OF_A_PATTERN)
    return [re.compile('|'.join(parts[start:start + PARTS_OF_A_PATTERN])) for start in starts], others


def part(flags, pattern, name):
    """A pattern whose flags and names are its own. The empty group at its end is the last one of a match."""
    # The line end closes a comment of a verbose pattern.
    end = '\n' if 'x' in flags else ''
    return f'(?{flags}:{BEFORE_NAME.sub(f"{name}_", pattern)}{end})(?P<{name}>)'
