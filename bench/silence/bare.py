"""The baseline: faster-whisper as in its README, batched and with its search for speech, on each clip of a list.

    bare.py FOLDER MODEL_FOLDER THREADS < names, one a line

Prints a line of JSON with the text of each.
"""

import json
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy  # noqa: E402
from faster_whisper import BatchedInferencePipeline, WhisperModel  # noqa: E402

folder, model_dir, threads = sys.argv[1:4]
pipeline = BatchedInferencePipeline(WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=int(threads)))
for name in sys.stdin:
    pcm = (Path(folder) / name.strip()).read_bytes()
    samples = numpy.frombuffer(pcm, "<i2").astype(numpy.float32) / 32768
    segments, _ = pipeline.transcribe(samples, batch_size=4)
    print(json.dumps("".join(segment.text for segment in segments).strip()), flush=True)
