"""pyannote's segmentation-3.0 as ONNX: which of up to three people speak in each frame of ten seconds.

Its first layer is not a table of numbers but band-pass filters, each with a lower frequency and a width that were learned
(SincNet, https://arxiv.org/abs/1808.00158). They are computed here, once. The layers' names are those of
pyannote.audio's class PyanNet.
"""

import numpy

SAMPLE_RATE = 16_000
MIN_LOW_HZ, MIN_BAND_HZ = 50, 50
STRIDE = 10
LSTM_LAYERS, LSTM_UNITS = 4, 128
# In the order of the seven classes: nobody, each alone, and each two of them.
CLASSES = 7


def build(model, tensors):
    x = normalized(model, tensors, "sincnet.wav_norm1d", "samples")
    filters = [sinc_filters(tensors), tensors["sincnet.conv1d.1.weight"], tensors["sincnet.conv1d.2.weight"]]
    for index, weights in enumerate(filters):
        if index == 0:
            x = model.Abs(model.Conv(x, weights, strides=[STRIDE]))
        else:
            x = model.Conv(x, weights, tensors[f"sincnet.conv1d.{index}.bias"])
        x = model.MaxPool(x, kernel_shape=[3], strides=[3])
        x = model.LeakyRelu(normalized(model, tensors, f"sincnet.norm1d.{index}", x))
    # From [batch, channel, frame] to [frame, batch, channel].
    x = model.Transpose(x, perm=[2, 0, 1])
    for layer in range(LSTM_LAYERS):
        x = bidirectional_lstm(model, tensors, layer, x)
    x = model.Transpose(x, perm=[1, 0, 2])
    for name in ["linear.0", "linear.1"]:
        x = model.LeakyRelu(linear(model, tensors, name, x))
    scores = model.LogSoftmax(linear(model, tensors, "classifier", x), axis=2)
    return {"samples": ["batch", 1, "samples"]}, {scores: ["batch", "frames", CLASSES]}


def normalized(model, tensors, name, x):
    return model.InstanceNormalization(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def linear(model, tensors, name, x):
    return model.Add(model.MatMul(x, tensors[f"{name}.weight"].T), tensors[f"{name}.bias"])


def sinc_filters(tensors):
    """40 symmetric filters (cosines) and 40 antisymmetric ones (sines) of the same bands."""
    low_hz, band_hz, window, times = (
        tensors[f"sincnet.conv1d.0.filterbank.{name}_"].astype(numpy.float64)
        for name in ["low_hz", "band_hz", "window", "n"]
    )
    low = MIN_LOW_HZ + abs(low_hz)
    high = numpy.clip(low + MIN_BAND_HZ + abs(band_hz), MIN_LOW_HZ, SAMPLE_RATE / 2)
    cosines = (numpy.sin(high * times) - numpy.sin(low * times)) / (times / 2) * window
    sines = (numpy.cos(low * times) - numpy.cos(high * times)) / (times / 2) * window
    middle = 2 * (high - low)
    filters = [
        numpy.hstack([cosines, middle, cosines[:, ::-1]]),
        numpy.hstack([sines, 0 * middle, -sines[:, ::-1]]),
    ]
    return numpy.vstack([each / middle for each in filters])[:, None, :].astype(numpy.float32)


def bidirectional_lstm(model, tensors, layer, x):
    def both_directions(kind):
        return numpy.stack([gates(tensors[f"lstm.{kind}_l{layer}{direction}"]) for direction in ["", "_reverse"]])

    biases = numpy.hstack([both_directions("bias_ih"), both_directions("bias_hh")])
    weights = [both_directions("weight_ih"), both_directions("weight_hh"), biases]
    # [frame, direction, batch, unit] to [frame, batch, direction and unit].
    both = model.LSTM(x, *weights, hidden_size=LSTM_UNITS, direction="bidirectional")
    both = model.Transpose(both, perm=[0, 2, 1, 3])
    return model.Reshape(both, numpy.array([0, 0, 2 * LSTM_UNITS]))


def gates(weights):
    """torch has the gates in the order input, forget, cell, output, and ONNX input, output, forget, cell."""
    i, f, c, o = numpy.split(weights, 4)
    return numpy.concatenate([i, o, f, c])
