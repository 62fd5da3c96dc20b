"""Speakers for tests that are not about them. It answers as container/speech/speakers/main.py does, without a model: two
people read the sentences that scripted-recognizer.py hears, in turns. If there must be more, or fewer, so many do.

While the file `hold` lies in the folder of this file, it pauses after its first report of progress.
"""

import array
import json
import os
import runpy
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
recognizer = runpy.run_path(os.path.join(FOLDER, "scripted-recognizer.py"))
PEOPLE = 2


def turns_in(samples, people):
    for start, end in recognizer["speech_of"](samples):
        while start < end:
            reader = -1
            for sentence_start, sentence_end, sentence in recognizer["READING"]:
                # A sentence of the clips may be in two parts, and the second is in small letters.
                reader += sentence[0].isupper()
                turn_start, turn_end = start + sentence_start, min(end, start + sentence_end)
                if turn_start < turn_end:
                    yield [round(turn_start, 3), round(turn_end, 3), chr(ord("A") + reader % people)]
            start += recognizer["READING_SECONDS"]


def send(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main(_model_folder, _threads, path, options):
    count = json.loads(options)
    people = min(max(PEOPLE, count["min"] or 1), count["max"] or PEOPLE + (count["min"] or 0))
    with open(path, "rb") as file:
        samples = array.array("h", file.read())
    send("progress", seconds=len(samples) / recognizer["SAMPLE_RATE"] / 2)
    while os.path.exists(recognizer["HOLD"]):
        time.sleep(recognizer["HOLD_INTERVAL_SECONDS"])
    send("turns", turns=list(turns_in(samples, people)))


main(*sys.argv[-4:])
