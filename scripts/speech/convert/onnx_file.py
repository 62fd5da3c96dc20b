"""Writes an ONNX file: operators, the weights that they use, and the shapes of what goes in and comes out.

The format is a Protocol Buffer (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). The few messages that these
models need are written here, so that no package is installed for a conversion that is done once. The numbers below are
the fields' own. The same operators and weights always make the same bytes.
"""

import struct

import numpy

IR_VERSION = 8
OPSET = 17
TYPES = {numpy.dtype("float32"): 1, numpy.dtype("int64"): 7}
VARINT, BYTES = 0, 2


class Model:
    """Each operator is a method: `model.Relu(x)` adds one and returns the name of its output."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def __getattr__(self, operator):
        def add(*inputs, **attributes):
            names = [each if isinstance(each, str) else self.weight(each) for each in inputs]
            output = self.new_name()
            self.nodes.append(node(operator, names, output, attributes))
            return output

        return add

    def weight(self, array):
        name = self.new_name()
        array = numpy.ascontiguousarray(array)
        dimensions = b"".join(integer(1, size) for size in numpy.shape(array))
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        self.weights.append(dimensions + integer(2, TYPES[array.dtype]) + text(8, name) + message(9, raw))
        return name

    def new_name(self):
        self.count += 1
        return f"t{self.count}"

    def save(self, path, inputs, outputs, integers=()):
        """`inputs` and `outputs`: name to shape, in which a string is a dimension of any size. All are float32, but for the
        names in `integers`, which are int64."""

        def shape(name, size):
            return shape_of(name, size, "int64" if name in integers else "float32")

        graph = b"".join(
            [
                *(message(1, each) for each in self.nodes),
                text(2, "model"),
                *(message(5, each) for each in self.weights),
                *(message(11, shape(*each)) for each in inputs.items()),
                *(message(12, shape(*each)) for each in outputs.items()),
            ]
        )
        with open(path, "wb") as file:
            file.write(integer(1, IR_VERSION) + message(7, graph) + message(8, integer(2, OPSET)))


def node(operator, inputs, output, attributes):
    fields = [text(1, each) for each in inputs] + [text(2, output), text(4, operator)]
    return b"".join(fields + [message(5, attribute(*each)) for each in attributes.items()])


def attribute(name, value):
    if isinstance(value, float):
        return text(1, name) + tag(2, 5) + struct.pack("<f", value) + integer(20, 1)
    if isinstance(value, int):
        return text(1, name) + integer(3, value) + integer(20, 2)
    if isinstance(value, str):
        return text(1, name) + text(4, value) + integer(20, 3)
    return text(1, name) + b"".join(integer(8, each) for each in value) + integer(20, 7)


def shape_of(name, shape, number):
    sizes = [text(2, size) if isinstance(size, str) else integer(1, size) for size in shape]
    dimensions = b"".join(message(1, size) for size in sizes)
    tensor = integer(1, TYPES[numpy.dtype(number)]) + message(2, dimensions)
    return text(1, name) + message(2, message(1, tensor))


def message(field, content):
    return tag(field, BYTES) + varint(len(content)) + content


def text(field, content):
    return message(field, content.encode())


def integer(field, value):
    return tag(field, VARINT) + varint(value)


def tag(field, wire_type):
    return varint(field << 3 | wire_type)


def varint(value):
    # A negative number is written as 64 bits.
    value &= (1 << 64) - 1
    digits = []
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])
