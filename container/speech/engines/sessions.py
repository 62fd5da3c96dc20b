"""How networks are run by ONNX Runtime."""

import onnxruntime

PROVIDERS = ["CPUExecutionProvider"]


def options(threads):
    made = onnxruntime.SessionOptions()
    made.intra_op_num_threads = threads
    # Threads that wait for work would keep their processor busy, a third of all that is used.
    made.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # What it reserves for intermediate results would stay reserved between recordings: 270 MB of Moonshine base. Getting
    # it anew takes 6 % more time.
    made.enable_cpu_mem_arena = False
    return made
