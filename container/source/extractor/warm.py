"""Keeps yt-dlp imported and handles each request in its own fork.

Input, one JSON object per line: {"id", "url", "proxySocket", "timeoutSeconds"} is a request, {"cancel": id} cancels it.
Output, one line per answer: the id, a space, and JSON: {"info"}, {"error"}, or {"died"} when the fork exited without an
answer. This process writes the id and not the fork, so that a fork, which reads an untrusted page, cannot answer other
requests. Id 0 is used once, for {"ready"}. The process exits at the end of its input.
"""

import contextlib
import json
import os
import selectors
import signal
import sys
import time
import traceback

import confine
import relay
import resolve

MAX_ANSWER_BYTES = 16 * 1024 * 1024
CPU_SECONDS = 60
MEMORY_MEBIBYTES = 2048


class Fork:
    def __init__(self, request, pid, pipe):
        self.id = request['id']
        self.pid = pid
        self.pipe = pipe
        self.deadline = time.monotonic() + request['timeoutSeconds']
        self.answer = bytearray()
        self.stopped = None

    def stop(self, reason):
        self.stopped = self.stopped or reason
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def finish(self):
        self.stop('done')
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        if self.answer and self.stopped == 'done':
            send(self.id, bytes(self.answer).replace(b'\n', b' '))
            return
        over_limit = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        send(self.id, encode({'died': 'timeout' if over_limit else self.stopped}))


class Server:
    def __init__(self, resolver):
        self.resolver = resolver
        self.selector = selectors.DefaultSelector()
        self.forks = {}
        self.input = bytearray()

    def serve(self):
        send(0, encode({'ready': True}))
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self.read_requests)
        input_is_open = True
        while input_is_open:
            for key, _ in self.selector.select(self.seconds_left()):
                input_is_open = key.data() is not False and input_is_open
            for fork in self.forks.values():
                if fork.deadline <= time.monotonic():
                    fork.stop('timeout')
        for fork in self.forks.values():
            fork.stop('closed')

    def seconds_left(self):
        deadlines = [fork.deadline for fork in self.forks.values() if not fork.stopped]
        return max(0, min(deadlines) - time.monotonic()) if deadlines else None

    def read_requests(self):
        """Returns False at the end of the input."""
        chunk = os.read(sys.stdin.fileno(), 65536)
        self.input += chunk
        while (end := self.input.find(b'\n')) >= 0:
            request = json.loads(self.input[:end])
            del self.input[:end + 1]
            self.accept(request)
        return chunk != b''

    def accept(self, request):
        if 'cancel' in request:
            if fork := self.forks.get(request['cancel']):
                fork.stop('canceled')
            return
        out, pipe = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(out)
            handle_in_fork(request, self.resolver, pipe)
        os.close(pipe)
        # The fork calls setpgid too. Both do it, so that a cancel never finds the fork in the group of this process.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, pid)
        fork = self.forks[request['id']] = Fork(request, pid, out)
        self.selector.register(out, selectors.EVENT_READ, lambda: self.read_answer(fork))

    def read_answer(self, fork):
        chunk = os.read(fork.pipe, 1024 * 1024)
        fork.answer += chunk
        if len(fork.answer) > MAX_ANSWER_BYTES:
            fork.stop('answer too long')
        if not chunk:
            self.selector.unregister(fork.pipe)
            del self.forks[fork.id]
            fork.finish()


def handle_in_fork(request, resolver, pipe):
    """Never returns."""
    try:
        os.setpgid(0, 0)
        confine.die_with_parent()
        # The fork must not read or write the messages of the warm process.
        with open(os.devnull, 'r+') as null:
            os.dup2(null.fileno(), sys.stdin.fileno())
            os.dup2(null.fileno(), sys.stdout.fileno())
        confine.leave_network()
        port = relay.start_relay(request['proxySocket'])
        confine.drop_privileges()
        confine.limit(CPU_SECONDS, MEMORY_MEBIBYTES)
        os.environ.clear()
        resolver.params['proxy'] = f'http://127.0.0.1:{port}'
        write(pipe, encode(resolve.resolve(request['url'], resolver)))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def encode(message):
    return json.dumps(message).encode()


def send(request_id, message):
    write(sys.stdout.fileno(), b'%d %s\n' % (request_id, message))


def write(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]


if __name__ == '__main__':
    confine.raise_loopback()
    resolve.warm_up()
    Server(resolve.Resolver(node=sys.argv[1])).serve()
