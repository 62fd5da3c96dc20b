"""CAM++ of 3D-Speaker as ONNX: from the features of a few seconds of one voice to 192 numbers, which are alike for two
recordings of one person (https://arxiv.org/abs/2303.00332). The layers' names are those of 3D-Speaker's class CAMPPlus.
"""

import numpy

FEATURES, EMBEDDING = 80, 192
# Layers, and the distance of what each convolution looks at.
BLOCKS = [(12, 1), (24, 2), (16, 2)]
SEGMENT_FRAMES = 100
EPSILON = 1e-5


def build(model, tensors):
    layers = Layers(model, tensors)
    x = layers.head(model.Unsqueeze(model.Transpose("features", perm=[0, 2, 1]), numpy.array([1])))
    x = model.Relu(layers.norm("xvector.tdnn.nonlinear.batchnorm", layers.convolution("xvector.tdnn.linear", x, 2, 2)))
    layers.find_segments(x)
    for block, (count, dilation) in enumerate(BLOCKS, start=1):
        for index in range(1, count + 1):
            x = model.Concat(x, layers.dense(f"xvector.block{block}.tdnnd{index}", x, dilation), axis=1)
        name = f"xvector.transit{block}"
        x = layers.convolution(f"{name}.linear", model.Relu(layers.norm(f"{name}.nonlinear.batchnorm", x)))
    x = model.Relu(layers.norm("xvector.out_nonlinear.batchnorm", x))
    x = layers.convolution("xvector.dense.linear", layers.mean_and_deviation(x))
    x = model.Squeeze(layers.norm("xvector.dense.nonlinear.batchnorm", x), numpy.array([2]))
    return {"features": [1, "frames", FEATURES]}, {x: [1, EMBEDDING]}


class Layers:
    def __init__(self, model, tensors):
        self.model, self.tensors = model, tensors

    def head(self, x):
        x = self.convolution_2d("head.conv1", "head.bn1", x)
        for layer in ["head.layer1", "head.layer2"]:
            x = self.residual(f"{layer}.0", x, step=2)
            x = self.residual(f"{layer}.1", x, step=1)
        x = self.convolution_2d("head.conv2", "head.bn2", x, step=2)
        channels = 32 * FEATURES // 8
        return self.model.Reshape(x, numpy.array([0, channels, -1]))

    def residual(self, name, x, step):
        y = self.convolution_2d(f"{name}.conv1", f"{name}.bn1", x, step=step)
        y = self.convolution_2d(f"{name}.conv2", f"{name}.bn2", y, active=False)
        if step > 1:
            x = self.convolution_2d(f"{name}.shortcut.0", f"{name}.shortcut.1", x, step=step, active=False)
        return self.model.Relu(self.model.Add(x, y))

    def convolution_2d(self, name, norm, x, step=1, active=True):
        weight = self.tensors[f"{name}.weight"]
        around = weight.shape[2] // 2
        x = self.norm(norm, self.model.Conv(x, weight, strides=[step, 1], pads=[around] * 4))
        return self.model.Relu(x) if active else x

    def convolution(self, name, x, step=1, around=0, dilation=1):
        weights = [self.tensors[f"{name}.{kind}"] for kind in ["weight", "bias"] if f"{name}.{kind}" in self.tensors]
        return self.model.Conv(x, *weights, strides=[step], pads=[around] * 2, dilations=[dilation])

    def norm(self, name, x):
        mean, variance = (self.tensors[f"{name}.running_{kind}"] for kind in ["mean", "var"])
        scale = self.tensors.get(f"{name}.weight", numpy.ones_like(mean))
        bias = self.tensors.get(f"{name}.bias", numpy.zeros_like(mean))
        return self.model.BatchNormalization(x, scale, bias, mean, variance, epsilon=EPSILON)

    def find_segments(self, x):
        """The segment of each frame. All blocks have the same frames."""
        model = self.model
        self.frames = model.Gather(model.Shape(x), numpy.array(2))
        self.segments = model.Div(model.Range(numpy.array(0), self.frames, numpy.array(1)), numpy.array(SEGMENT_FRAMES))

    def dense(self, name, x, dilation):
        x = self.convolution(f"{name}.linear1", self.model.Relu(self.norm(f"{name}.nonlinear1.batchnorm", x)))
        x = self.model.Relu(self.norm(f"{name}.nonlinear2.batchnorm", x))
        y = self.convolution(f"{name}.cam_layer.linear_local", x, around=dilation, dilation=dilation)
        return self.model.Mul(y, self.mask(f"{name}.cam_layer", x))

    def mask(self, name, x):
        """How much each channel counts, by the mean of the whole and of the segment: the same for all frames of a segment."""
        model = self.model
        options = {"kernel_shape": [SEGMENT_FRAMES], "strides": [SEGMENT_FRAMES], "ceil_mode": 1}
        means = model.Add(model.AveragePool(x, **options), model.ReduceMean(x, axes=[2]))
        hidden = model.Relu(self.convolution(f"{name}.linear1", means))
        of_segments = model.Sigmoid(self.convolution(f"{name}.linear2", hidden))
        return model.Gather(of_segments, self.segments, axis=2)

    def mean_and_deviation(self, x):
        model = self.model
        mean = model.ReduceMean(x, axes=[2])
        apart = model.Sub(x, mean)
        others = model.Cast(model.Sub(self.frames, numpy.array(1)), to=1)
        variance = model.Div(model.ReduceSum(model.Mul(apart, apart), numpy.array([2])), others)
        return model.Concat(mean, model.Sqrt(variance), axis=1)
