"""Reads the tensors of a file that `torch.save` wrote, without torch.

Such a file is a zip with a pickle, which names the tensors, and the raw numbers of each. A pickle can call any function
by its name. This reader knows the few names that weights need, and whatever else a file names becomes an empty object
or, where weights never have it, an error: nothing of the file is executed.
"""

import collections
import pickle
import zipfile

import numpy

# The storage of a tensor is named by its class.
TYPES = {"FloatStorage": numpy.dtype("<f4"), "LongStorage": numpy.dtype("<i8")}
# Notes of the training beside the weights, which nobody reads.
IGNORED = {"pyannote.audio.core.task", "torch.torch_version"}


class Ignored:
    def __new__(cls, *_values):
        return super().__new__(cls)

    def __setstate__(self, _state):
        pass


def tensor(storage, offset, shape, strides, *_hooks):
    steps = tuple(stride * storage.itemsize for stride in strides)
    return numpy.lib.stride_tricks.as_strided(storage[offset:], shape, steps, writeable=False)


class WeightsUnpickler(pickle.Unpickler):
    def __init__(self, archive, folder):
        super().__init__(archive.open(f"{folder}/data.pkl"))
        self.archive, self.folder = archive, folder

    def find_class(self, module, name):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return tensor
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if module == "torch" and name in TYPES:
            return TYPES[name]
        if module in IGNORED:
            return Ignored
        raise pickle.UnpicklingError(f"{module}.{name} is not expected in a file of weights")

    def persistent_load(self, reference):
        _, dtype, key, _device, count = reference
        numbers = numpy.frombuffer(self.archive.read(f"{self.folder}/data/{key}"), dtype)
        if len(numbers) != count:
            raise pickle.UnpicklingError(f"tensor {key} has {len(numbers)} numbers instead of {count}")
        return numbers


def read_tensors(file):
    """The tensors by name."""
    with zipfile.ZipFile(file) as archive:
        [pickled] = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        content = WeightsUnpickler(archive, pickled.removesuffix("/data.pkl")).load()
    return content.get("state_dict", content)
