"""How many people speak, and what the voice of each is like.

Pieces are short, and a short piece says little of a voice. So neighbouring pieces that sound alike are joined to items of up
to six seconds, and only those decide about the number of people. Items are merged to clusters, always the two that are most
alike (average linkage, each item counted by its seconds), until no two are as alike as the threshold. What remains is not
always a person: a cluster may have too little speech, or be a mixture of two voices.
"""

import numpy

ITEM_SECONDS = 6
MIN_ITEM_SECONDS = 2
# Neighbours of a chain: no longer pause, and at least as alike.
MAX_GAP_SECONDS = 0.5
MIN_LIKENESS = 0.5
# Of a person, in all.
MIN_PERSON_SECONDS = 3
# A voice of which so much is the sum of two others is a mixture of them.
MIXTURE = 0.7
# Of those who speak most, so that a recording of thousands of voices takes no hours.
MIXED_OF = 100
# More items than this are clustered in blocks, whose clusters must be more alike.
BLOCK_ITEMS = 1_500
BLOCK_MARGIN = 0.1
# With a stricter threshold there are more clusters.
STRICTER = 0.05
STRICTEST = 0.95


class Cluster:
    """`mean` is the mean of the voices, whose length tells how alike they are; `seconds` what they speak in all."""

    def __init__(self, mean, seconds):
        self.mean, self.seconds = mean, seconds

    def add(self, mean, seconds):
        self.mean = (self.mean * self.seconds + mean * seconds) / (self.seconds + seconds)
        self.seconds += seconds

    @property
    def centre(self):
        return self.mean / numpy.linalg.norm(self.mean)


def find_centres(pieces, threshold, min_people, max_people):
    """A voice for each person, those who speak most first."""
    heard = [piece for piece in pieces if piece.voice is not None]
    items = join_neighbours(heard)
    items = [item for item in items if item.seconds >= MIN_ITEM_SECONDS] or items
    if not items:
        return numpy.zeros((0, 0))
    people = people_in(items, threshold, min_people or 1)
    if max_people and len(people) > max_people:
        people = by_seconds(merge(people, most=max_people))
    return numpy.stack([person.centre for person in people])


def join_neighbours(pieces):
    """Clusters of pieces of one chain that follow each other and sound alike."""
    items, open_items = [], {}
    for piece in pieces:
        item, end = open_items.get(piece.chain, (None, None))
        is_next = (
            item is not None
            and piece.start - end < MAX_GAP_SECONDS
            and item.seconds + piece.seconds <= ITEM_SECONDS
            and item.centre @ piece.voice >= MIN_LIKENESS
        )
        if is_next:
            item.add(piece.voice, piece.seconds)
        else:
            item = Cluster(piece.voice, piece.seconds)
            items.append(item)
        open_items[piece.chain] = (item, piece.end)
    return [Cluster(item.centre, item.seconds) for item in items]


def people_in(items, threshold, min_people):
    """The clusters that are people. If they are fewer than there must be, voices that were taken for one are separated."""
    while True:
        found = by_seconds(cluster(items, threshold))
        people = without_mixtures([each for each in found if each.seconds >= MIN_PERSON_SECONDS] or found[:1])
        if len(people) >= min_people:
            return people
        if threshold + STRICTER > STRICTEST:
            # Then also those who speak little.
            return found[:min_people]
        threshold += STRICTER


def cluster(items, threshold):
    while len(items) > BLOCK_ITEMS:
        blocks = [items[first : first + BLOCK_ITEMS] for first in range(0, len(items), BLOCK_ITEMS)]
        merged = [each for block in blocks for each in merge(block, threshold + BLOCK_MARGIN)]
        # Where hardly two are alike, those who speak least are left out.
        items = merged if len(merged) < len(items) / 2 else by_seconds(merged)[: len(items) // 2]
    return merge(items, threshold)


def merge(clusters, threshold=-2.0, most=1):
    """Merges the two that are most alike, until none are as alike as the threshold and there are at most `most`."""
    means = numpy.stack([each.mean for each in clusters])
    seconds = numpy.array([each.seconds for each in clusters])
    alike = means @ means.T
    numpy.fill_diagonal(alike, -numpy.inf)
    nearest = alike.argmax(axis=1)
    left = len(clusters)
    while left > most:
        best = alike[numpy.arange(len(nearest)), nearest]
        one = int(best.argmax())
        other = int(nearest[one])
        if best[one] < threshold:
            break
        total = seconds[one] + seconds[other]
        means[one] = (means[one] * seconds[one] + means[other] * seconds[other]) / total
        seconds[one], seconds[other] = total, 0
        row = numpy.where(seconds > 0, means @ means[one], -numpy.inf)
        row[one] = -numpy.inf
        alike[one], alike[:, one] = row, row
        alike[other], alike[:, other] = -numpy.inf, -numpy.inf
        # The average of two is never more alike than the nearer of them, so only these rows can have lost their nearest.
        for index in numpy.flatnonzero((nearest == one) | (nearest == other)):
            nearest[index] = alike[index].argmax()
        nearest[one] = alike[one].argmax()
        left -= 1
    return [Cluster(means[index], float(seconds[index])) for index in numpy.flatnonzero(seconds > 0)]


def without_mixtures(people):
    """`people` with those who speak most first. Each is compared with those before it."""
    real = []
    for person in people:
        others = numpy.stack([each.centre for each in real[:MIXED_OF]]) if len(real) > 1 else None
        if others is None or not is_mixture(person.centre, others):
            real.append(person)
    return real


def is_mixture(voice, voices):
    """Whether it is, for the most part, the sum of two of the voices. All have length 1."""
    likeness = voices @ voice
    one, other = numpy.triu_indices(len(voices), 1)
    between = (voices @ voices.T)[one, other]
    # The shares of both with which their sum is nearest, and how much of the voice that is.
    apart = numpy.maximum(1 - between**2, 1e-6)
    share_of_one = (likeness[one] - between * likeness[other]) / apart
    share_of_other = (likeness[other] - between * likeness[one]) / apart
    part = share_of_one * likeness[one] + share_of_other * likeness[other]
    return bool(((share_of_one > 0) & (share_of_other > 0) & (part >= MIXTURE**2)).any())


def by_seconds(clusters):
    return sorted(clusters, key=lambda each: -each.seconds)
