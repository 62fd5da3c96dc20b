"""Keeps yt-dlp imported and answers each question in a fork of its own.

In, a line of JSON each: {"id", "url", "proxySocket", "timeoutSeconds"} asks and {"cancel": id} stops. Out, a line
each: an id, a space, and JSON: {"info"} or {"error"}, or {"died"} when the fork ended without an answer. The id is
said by this process: a fork, which read a stranger's page, answers for nobody but itself. 0 is for {"ready"}, said
once. The end of the input ends everything.
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
    def __init__(self, question, pid, pipe):
        self.id = question['id']
        self.pid = pid
        self.pipe = pipe
        self.deadline = time.monotonic() + question['timeoutSeconds']
        self.answer = bytearray()
        self.stopped = None

    def stop(self, why):
        self.stopped = self.stopped or why
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def finish(self):
        self.stop('done')
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        if self.answer and self.stopped == 'done':
            say(self.id, bytes(self.answer).replace(b'\n', b' '))
            return
        over_limit = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        say(self.id, plain({'died': 'timeout' if over_limit else self.stopped}))


class Server:
    def __init__(self, resolver):
        self.resolver = resolver
        self.selector = selectors.DefaultSelector()
        self.forks = {}
        self.input = bytearray()

    def serve(self):
        say(0, plain({'ready': True}))
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self.read_questions)
        open_input = True
        while open_input:
            for key, _ in self.selector.select(self.seconds_left()):
                open_input = key.data() is not False and open_input
            for fork in self.forks.values():
                if fork.deadline <= time.monotonic():
                    fork.stop('timeout')
        for fork in self.forks.values():
            fork.stop('closed')

    def seconds_left(self):
        deadlines = [fork.deadline for fork in self.forks.values() if not fork.stopped]
        return max(0, min(deadlines) - time.monotonic()) if deadlines else None

    def read_questions(self):
        chunk = os.read(sys.stdin.fileno(), 65536)
        self.input += chunk
        while (end := self.input.find(b'\n')) >= 0:
            question = json.loads(self.input[:end])
            del self.input[:end + 1]
            self.take(question)
        return chunk != b''

    def take(self, question):
        if 'cancel' in question:
            if fork := self.forks.get(question['cancel']):
                fork.stop('canceled')
            return
        out, pipe = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(out)
            answer(question, self.resolver, pipe)
        os.close(pipe)
        # Both do it, whoever comes first: a cancel must never find the fork still in our own group.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, pid)
        fork = self.forks[question['id']] = Fork(question, pid, out)
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


def answer(question, resolver, pipe):
    """In the fork. Never returns."""
    try:
        os.setpgid(0, 0)
        confine.die_with_parent()
        # The questions and answers of the warm process are not ours to read or write.
        with open(os.devnull, 'r+') as nothing:
            os.dup2(nothing.fileno(), sys.stdin.fileno())
            os.dup2(nothing.fileno(), sys.stdout.fileno())
        confine.leave_network()
        port = relay.start_relay(question['proxySocket'])
        confine.drop_privileges()
        confine.limit(CPU_SECONDS, MEMORY_MEBIBYTES)
        os.environ.clear()
        resolver.params['proxy'] = f'http://127.0.0.1:{port}'
        outcome = resolve.resolve(question['url'], resolver)
        write(pipe, plain(outcome))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def plain(message):
    return json.dumps(message).encode()


def say(question_id, message):
    write(sys.stdout.fileno(), b'%d %s\n' % (question_id, message))


def write(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]


if __name__ == '__main__':
    confine.raise_loopback()
    resolve.warm_up()
    Server(resolve.Resolver(node=sys.argv[1])).serve()
