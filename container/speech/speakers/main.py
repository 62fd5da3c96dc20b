"""Finds out who speaks when, in a process of its own for each recording.

    main.py MODEL_FOLDER THREADS RECORDING {"threshold": 0.5, "min": null, "max": null}

RECORDING is a headerless file of 16 kHz mono samples (16-bit, little-endian). Writes lines of JSON: any number of
{"event": "progress", "seconds": n}, the position in the recording, and at last
{"event": "turns", "turns": [[start, end, "A"], …]}, or {"event": "broken", "reason": "…"} if the models do not load.
"""

import json
import os
import sys

# numpy's products are small here, and its threads would wait for each other most of the time. Read when numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# Python is isolated, and would not look here.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def send(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main(model_folder, threads, path, options):
    try:
        from turns import TurnFinder

        finder = TurnFinder(model_folder, int(threads))
    except Exception as error:
        send("broken", reason=f"{type(error).__name__}: {error}")
        return
    turns = finder.find(path, json.loads(options), lambda seconds: send("progress", seconds=seconds))
    send("turns", turns=turns)


main(*sys.argv[1:])
