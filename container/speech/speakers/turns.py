"""Who speaks when, in five steps:

    segmentation.py   when somebody speaks, and whether one or two do: up to three people in ten seconds
    pieces.py         cuts that into pieces of one voice
    voices.py         what the voice of each piece is like: 192 numbers
    clusters.py       which pieces are one person
    labels.py         the names of the people, and their turns

The recording stays on the disk, and parts of it are read. What is kept of twelve hours takes about 30 MB.
"""

import os

from clusters import find_centres
from labels import label_pieces, turns_of
from pieces import cut_pieces
from recording import Recording
from segmentation import Segmentation
from voices import Encoder

# The segmentation takes this share of the time, and the encoder the rest.
SEGMENTATION_SHARE = 0.35
PROGRESS_SECONDS = 10


class TurnFinder:
    def __init__(self, model_folder, threads):
        self.segmentation = Segmentation(os.path.join(model_folder, "segmentation.onnx"), threads)
        self.encoder = Encoder(os.path.join(model_folder, "encoder.onnx"), threads)

    def find(self, path, options, on_progress):
        """[start, end, name] of each turn, in the order of their starts."""
        report = every(PROGRESS_SECONDS, on_progress)
        with Recording(path) as recording:
            speaking = self.segmentation.speaking(recording, lambda seconds: report(SEGMENTATION_SHARE * seconds))
            pieces = cut_pieces(speaking)
            for piece in pieces:
                self.encoder.hear(recording, piece)
                report(SEGMENTATION_SHARE * recording.seconds + (1 - SEGMENTATION_SHARE) * piece.end)
        centres = find_centres(pieces, options["threshold"], options["min"], options["max"])
        return turns_of(pieces, label_pieces(pieces, centres))


def every(step, report):
    """Passes on a position that grows, whenever it has grown by `step`."""
    next_at = step

    def on_progress(at):
        nonlocal next_at
        if at >= next_at:
            next_at = at + step
            report(round(at, 3))

    return on_progress
