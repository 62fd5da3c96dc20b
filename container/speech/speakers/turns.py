"""Who speaks when, in five steps:

    segmentation.py   when somebody speaks, and whether one or two do: up to three people in ten seconds
    pieces.py         cuts that into pieces of one voice
    voices.py         what the voice of each piece is like: 192 numbers
    clusters.py       which pieces are one person
    labels.py         the names of the people, and their turns

The recording stays on the disk, and parts of it are read. What is kept of twelve hours takes about 30 MB.
"""

import os

import onnxruntime
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
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Threads that wait for work must not take the cores from the engine's other processes.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")

        def load(name):
            path = os.path.join(model_folder, name)
            return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

        self.segmentation, self.encoder = Segmentation(load("segmentation.onnx")), Encoder(load("encoder.onnx"))

    def find(self, path, options, on_progress):
        """[start, end, name] of each turn, in the order of their starts."""
        report = every(PROGRESS_SECONDS, on_progress)
        recording = Recording(path)
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
