"""A network in ONNX Runtime's own format (.ort), as ONNX.

Weights of 8 bits in an .ort file are unpacked each time that the network runs, which for a decoder is at each token, and takes
most of its time. ONNX Runtime unpacks those of an ONNX file once, when it loads it. It can write one of the other, in which
only the branches of a condition lack the name that it asks for when it reads it.

The format is a Protocol Buffer (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

import os
import sys
import tempfile

import onnxruntime

from .sessions import PROVIDERS

# Where messages lie in each other: the number of the field, and what is in it.
NODES = {"model": {7: "graph"}, "graph": {1: "node"}, "node": {5: "attribute"}, "attribute": {6: "branch"}}
NAME_OF_GRAPH = 2
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5


def unpacked(path):
    """The network as ONNX, or the path of the file if there is no room for another. That is slow and works too."""
    try:
        return as_onnx(path)
    except Exception as error:
        print(f"{path} stays packed: {error}", file=sys.stderr)
        return path


def as_onnx(path):
    with tempfile.TemporaryDirectory() as folder:
        saving = onnxruntime.SessionOptions()
        saving.optimized_model_filepath = os.path.join(folder, "model.onnx")
        saving.add_session_config_entry("session.save_model_format", "ONNX")
        # What is optimized for this processor could not be read as ONNX.
        saving.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        onnxruntime.InferenceSession(path, saving, providers=PROVIDERS)
        with open(saving.optimized_model_filepath, "rb") as file:
            return with_names(file.read(), "model")


def with_names(message, kind):
    if kind == "branch":
        named = [field for field in fields(message) if field[0] != NAME_OF_GRAPH]
        return with_names(b"".join([*map(written, named), written((NAME_OF_GRAPH, LENGTH, b"branch"))]), "graph")
    return b"".join(
        written((number, form, with_names(value, NODES[kind][number]) if number in NODES[kind] else value))
        for number, form, value in fields(message)
    )


def fields(message):
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        number, form = key >> 3, key & 7
        if form == VARINT:
            value, at = read_varint(message, at)
        else:
            length = {EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(form)
            if length is None:
                length, at = read_varint(message, at)
            value, at = message[at : at + length], at + length
        yield number, form, value


def read_varint(message, at):
    value = shift = 0
    while True:
        byte, at = message[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def written(field):
    number, form, value = field
    key = varint(number << 3 | form)
    if form == VARINT:
        return key + varint(value)
    return key + (varint(len(value)) if form == LENGTH else b"") + value


def varint(value):
    low = bytearray()
    while value > 127:
        low.append(value & 127 | 128)
        value >>= 7
    return bytes([*low, value])
