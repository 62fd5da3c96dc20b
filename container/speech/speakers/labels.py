"""Who speaks each piece, and the turns that this makes."""

import bisect

# A shorter piece says too little of a voice: it also goes by what its chain says nearby.
LONG_SECONDS = 0.8
NEARBY_SECONDS = 2
# How much more alike a voice counts if its chain says so.
CHAIN_BONUS = 0.3
# Pieces of one person with a shorter pause are one turn.
TURN_PAUSE_SECONDS = 0.3


def label_pieces(pieces, centres):
    """The index of a centre for each piece; None where there is nothing to go by."""
    if len(centres) < 2:
        return [0] * len(pieces)
    likeness = [None if piece.voice is None else centres @ piece.voice for piece in pieces]
    labels = [
        int(alike.argmax()) if alike is not None and piece.seconds >= LONG_SECONDS else None
        for piece, alike in zip(pieces, likeness)
    ]
    # The long pieces of each chain, with their labels.
    chains = {}
    for piece, label in zip(pieces, labels):
        if label is not None:
            chains.setdefault(piece.chain, []).append((piece.start, piece.end, label))
    return [
        label if label is not None else short_label(alike, label_near(piece, chains.get(piece.chain, [])))
        for piece, alike, label in zip(pieces, likeness, labels)
    ]


def short_label(likeness, label_nearby):
    if likeness is None or label_nearby is None:
        return label_nearby if likeness is None else int(likeness.argmax())
    scores = likeness.copy()
    scores[label_nearby] += CHAIN_BONUS
    return int(scores.argmax())


def label_near(piece, chain):
    at = bisect.bisect(chain, (piece.start,))
    near = [(max(start - piece.end, piece.start - end), label) for start, end, label in chain[max(0, at - 1) : at + 1]]
    distance, label = min(near, default=(NEARBY_SECONDS, None))
    return label if distance < NEARBY_SECONDS else None


def turns_of(pieces, labels):
    """[start, end, name] of each turn, in the order of their starts."""
    turns, last = [], {}
    for piece, label in zip(pieces, labels):
        if label is None:
            continue
        turn = last.get(label)
        if turn is not None and piece.start - turn[1] < TURN_PAUSE_SECONDS:
            turn[1] = max(turn[1], piece.end)
        else:
            last[label] = [piece.start, piece.end, label]
            turns.append(last[label])
    names = {label: name_of(index) for index, label in enumerate(dict.fromkeys(label for *_, label in turns))}
    return [[round(start, 3), round(end, 3), names[label]] for start, end, label in turns]


def name_of(index):
    """A to Z, then AA, AB …"""
    name = ""
    while index >= 0:
        name = chr(ord("A") + index % 26) + name
        index = index // 26 - 1
    return name
