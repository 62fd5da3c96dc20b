"""Starts child processes for the container's own process, which is large.

A process that forks has its page tables copied, and each page that it writes to afterwards takes a page fault. With some
hundred megabytes, that is a third of what a short child costs, and nothing else runs in the meantime. This process has a
few megabytes, of which posix_spawn copies nothing.

Input, one JSON object per line: {"id", "argv", "env", "limits", "inputs"} starts a child, {"id", "signal"} signals its
process group. `limits` has the values of setrlimit by the names of the resources. Standard input, output and error of a
child are connections to the socket in the arguments, made in this order, one child after the other. Its descriptors
from 3 on read the `inputs`, which are in Base64. Output, one line per event: {"id", "pid"}, {"id", "error"}, or {"id",
"code", "signal"} after its end. Ends with its input, and all children with it.
"""

import base64
import contextlib
import errno
import json
import os
import resource
import select
import signal
import socket
import sys

# Those of limits.ts.
PATH, NICENESS, OOM_SCORE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
FIRST_FREE_DESCRIPTOR = 5
# Python ignores these, and a child would inherit that.
IGNORED = [signal.SIGPIPE, signal.SIGXFSZ]

children = {}


def start(id, argv, env, limits, inputs):
    ends = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for end in ends:
        end.connect(SOCKET)
    pipes = [os.pipe() for _ in inputs]
    sources = [*(end.fileno() for end in ends), *(reading for reading, _ in pipes)]
    actions = [(os.POSIX_SPAWN_DUP2, source, number) for number, source in enumerate(sources)]
    try:
        pid = os.posix_spawnp(argv[0], argv, env, file_actions=actions, setsid=True, setsigdef=IGNORED)
        children[pid] = id
        send({'id': id, 'pid': pid})
        prepare(pid, limits, [(writing, base64.b64decode(text)) for (_, writing), text in zip(pipes, inputs)])
    except OSError as error:
        send({'id': id, 'error': f'spawn {argv[0]} {errno.errorcode.get(error.errno)}'})
    finally:
        for end in ends:
            end.close()
        for descriptor in (each for pipe in pipes for each in pipe):
            os.close(descriptor)


def prepare(pid, limits, inputs):
    """bwrap starts nothing before it has read its options, so all of its processes inherit this."""
    try:
        os.setpriority(os.PRIO_PROCESS, pid, NICENESS)
        with open(f'/proc/{pid}/oom_score_adj', 'w') as file:
            file.write(OOM_SCORE)
        for name, most in limits.items():
            resource.prlimit(pid, getattr(resource, f'RLIMIT_{name}'), (most, most))
        for writing, data in inputs:
            # A pipe holds 64 KB.
            os.write(writing, data)
    except OSError:
        os.kill(pid, signal.SIGKILL)


def signal_group(id, number):
    for pid in [pid for pid, other in children.items() if other == id]:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, number)


def reap():
    while children and (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
        # What it has started must not outlive it. Until it has been waited for, no other process gets its id.
        signal_group(children.get(ended.si_pid), signal.SIGKILL)
        _, status = os.waitpid(ended.si_pid, 0)
        killed_by = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else None
        code = None if killed_by else os.WEXITSTATUS(status)
        send({'id': children.pop(ended.si_pid), 'code': code, 'signal': killed_by})


def send(message):
    # The container's process may have been killed. Then the input has ended too.
    with contextlib.suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), json.dumps(message).encode() + b'\n')


def serve():
    text = b''
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([sys.stdin.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            reap()
        if sys.stdin.fileno() in ready:
            chunk = os.read(sys.stdin.fileno(), 65536)
            if not chunk:
                return
            *lines, text = (text + chunk).split(b'\n')
            for message in map(json.loads, lines):
                if 'argv' in message:
                    start(**message)
                else:
                    signal_group(message['id'], message['signal'])


# No action may replace the source of a later one.
while os.open(os.devnull, os.O_RDWR) < FIRST_FREE_DESCRIPTOR - 1:
    pass
# Nobody else can connect, and no file remains, however this process ends.
SOCKET = f'/proc/self/fd/{os.open(PATH, os.O_PATH)}'
os.unlink(PATH)
os.rmdir(os.path.dirname(PATH))
serve()
