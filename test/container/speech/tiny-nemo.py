"""Writes a model as NeMo exports it, which hears words in whistles: a tone of 5,000 Hz is one, and so on.

    tiny-nemo.py CONVERT_FOLDER TYPE FOLDER

CONVERT_FOLDER is scripts/speech/convert, whose module writes ONNX.
"""

import json
import os
import sys

import numpy

convert, model_type, folder = sys.argv[1:]
sys.path.append(convert)

from onnx_file import Model, node  # noqa: E402

# Of Slaney's scale, as NeMo has it: 80 bands up to 8 kHz. A band is as wide as these tones are apart, or narrower.
BANDS, FRAMES = 80, 8
WHISTLES = {"\u2581once": 5_000, "\u2581upon": 5_600, "\u2581a": 6_300, "\u2581ti": 7_000, "me.": 7_600}
TOKENS = [*WHISTLES, "<blk>"]
# Bands are normalized: a whistle has 3 and more, if it is short and nothing else is in its band.
LOUD = 2.0
DURATIONS = [0, 1, 2, 3, 4]


def band_of(hertz):
    """The band whose middle is nearest."""

    def mel(each):
        return each / (200 / 3) if each < 1_000 else 15 + numpy.log(each / 1_000) / (numpy.log(6.4) / 27)

    return round(mel(hertz) / mel(8_000) * (BANDS + 1)) - 1


def scores(model, constants):
    """For each 8 frames how much each whistle is heard in them, and then `constants`, as [batch, score, frames]."""
    weights = numpy.zeros((len(TOKENS) - 1 + len(constants), BANDS, FRAMES), "float32")
    for token, hertz in enumerate(WHISTLES.values()):
        weights[token, band_of(hertz)] = 1 / FRAMES
    bias = numpy.array([0] * len(WHISTLES) + constants, "float32")
    return model.Conv("audio_signal", weights, bias, strides=[FRAMES], pads=[0, FRAMES - 1])


def named(model, name, value):
    model.nodes.append(node("Identity", [value], name, {}))


def save(model, name, inputs, outputs, integers=()):
    model.save(os.path.join(folder, name), inputs, outputs, integers)


heard = {"audio_signal": ["batch", BANDS, "time"], "length": ["batch"]}


def ctc():
    model = Model()
    log = model.LogSoftmax(model.Transpose(scores(model, [LOUD]), perm=[0, 2, 1]), axis=2)
    named(model, "logprobs", log)
    save(model, "model.onnx", heard, {"logprobs": ["batch", "frames", len(TOKENS)]}, ["length"])


def transducer():
    """Of a token and duration: a whistle is passed over, and silence goes frame by frame."""
    encoder = Model()
    # Two scores of durations are those of one frame and of four.
    constants = [LOUD] + [LOUD if duration == 1 else -9.0 for duration in DURATIONS[:-1]]
    each = scores(encoder, constants)
    loudest = encoder.ReduceMax(encoder.Slice(each, ints(0), ints(len(WHISTLES)), ints(1)), axes=[1])
    named(encoder, "outputs", encoder.Concat(each, loudest, axis=1))
    frames = encoder.Div(encoder.Add("length", ints(FRAMES - 1)), ints(FRAMES))
    named(encoder, "encoded_lengths", frames)
    count = len(TOKENS) + len(DURATIONS)
    outputs = {"outputs": ["batch", count, "frames"], "encoded_lengths": ["batch"]}
    save(encoder, "encoder-model.onnx", heard, outputs, ["length", "encoded_lengths"])

    joint = Model()
    named(joint, "outputs", joint.Transpose("encoder_outputs", perm=[0, 2, 1]))
    states = {}
    for index in ["1", "2"]:
        named(joint, f"output_states_{index}", f"input_states_{index}")
        states[f"states_{index}"] = [1, "batch", 4]
    inputs = {
        "encoder_outputs": ["batch", count, "frames"],
        "targets": ["batch", "tokens"],
        "target_length": ["batch"],
        **{f"input_{name}": shape for name, shape in states.items()},
    }
    outputs = {"outputs": ["batch", "frames", count], **{f"output_{name}": shape for name, shape in states.items()}}
    save(joint, "decoder_joint-model.onnx", inputs, outputs, ["targets", "target_length"])


def ints(value):
    return numpy.array([value], "int64")


{"nemo-conformer-ctc": ctc, "nemo-conformer-tdt": transducer}[model_type]()
with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
    file.writelines(f"{token} {index}\n" for index, token in enumerate(TOKENS))
with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
    json.dump({"model_type": model_type, "features_size": BANDS, "subsampling_factor": FRAMES}, file)
