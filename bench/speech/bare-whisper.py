"""The baseline: faster-whisper as in its README, batched, on one file. Prints JSON."""

import json
import os
import resource
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"

from faster_whisper import BatchedInferencePipeline, WhisperModel  # noqa: E402

audio, model_dir, threads = sys.argv[1:4]

began = time.monotonic()
model = WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=int(threads))
loaded = time.monotonic()
segments, info = BatchedInferencePipeline(model).transcribe(audio, batch_size=4)
text = "".join(segment.text for segment in segments)
print(
    json.dumps(
        {
            "seconds": time.monotonic() - began,
            "loadSeconds": loaded - began,
            "audioSeconds": float(info.duration),
            "peakMegabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "text": text.strip(),
        }
    )
)
