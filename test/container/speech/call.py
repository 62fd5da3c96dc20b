"""Calls a function of a module in a folder for each line of JSON on stdin, {"call": "clusters.merge", "with": […]}, and writes
what it returns. For those of container/speech/speakers, an object {"piece": {…}} is a Piece, {"cluster": {…}} a Cluster, and
{"array": […]} an array. Any other is what it is.
"""

import json
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, sys.argv[1])

import importlib

import numpy


def made(value):
    if isinstance(value, list):
        return [made(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return numpy.array(value["array"])
    if "cluster" in value:
        from clusters import Cluster

        return Cluster(unit(value["cluster"]["mean"]), value["cluster"]["seconds"])
    return piece_of(value["piece"]) if "piece" in value else value


def piece_of(fields):
    from pieces import Piece

    piece = Piece.__new__(Piece)
    piece.chain, piece.alone = fields.get("chain", 0), []
    piece.start, piece.end = fields["start"], fields["end"]
    piece.voice = None if fields.get("voice") is None else unit(fields["voice"])
    return piece


def unit(numbers):
    numbers = numpy.array(numbers, float)
    return numbers / numpy.linalg.norm(numbers)


def plain(value):
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.generic):
        return value.item()
    if type(value).__name__ == "Cluster":
        return {"mean": value.mean.tolist(), "seconds": value.seconds}
    if type(value).__name__ == "Piece":
        return {"chain": value.chain, "start": value.start, "end": value.end, "alone": value.alone}
    if isinstance(value, (list, tuple, zip)):
        return [plain(each) for each in value]
    return value


for line in sys.stdin:
    request = json.loads(line)
    module, name = request["call"].rsplit(".", 1)
    function = getattr(importlib.import_module(module), name)
    print(json.dumps(plain(function(*made(request["with"])))), flush=True)
