"""Keeps a process with yt-dlp, and has each request handled by a fork of it.

Input, one JSON object per line: {"id", "url", "proxySocket", "tokenHost", "userId", "timeoutSeconds"} is a request, and
{"cancel": id} cancels it. With a "limit", the fork lists what is at the URL (listing.py). With "check" instead of a URL, it tries to get
out (walls.py). With "ask", it answers a question about yt-dlp: which "sites" it knows, and whether its "scripts" run.
Output, one line per answer: the id, a space, and JSON: {"info"}, {"list"}, {"error"}, {"missing"}, {"sites"}, {"problem"},
or {"died"} when the fork exited without an answer. This process writes the id and not the fork, so that a fork, which reads
an untrusted page, cannot answer other requests. Id 0 is used once, for {"version"}. The process exits at the end of its
input.

A fork has a copy of the memory that it comes from, and this process has all requests and answers in memory. So forks
come from the template, which is forked before the first request is read. This process never imports yt-dlp.
"""

import base64
import contextlib
import json
import os
import selectors
import socket
import sys
import time

import template

MAX_ANSWER_BYTES = 16 * 1024 * 1024


class Request:
    """The guard of the fork has the other end of the connection. It kills the fork when this end is closed."""

    def __init__(self, fields, template):
        self.id = fields['id']
        self.deadline = time.monotonic() + fields['timeoutSeconds']
        self.received = bytearray()
        with opened(fields.get('proxySocket')) as proxy:
            self.connection, other_end = socket.socketpair()
            with other_end:
                socket.send_fds(template, [b'f'], [other_end.fileno(), *proxy])
        # A guard that has failed closes the connection, which read_answer notices.
        with contextlib.suppress(ConnectionError):
            self.connection.sendall(encode(fields) + b'\n')

    def answer(self):
        """The guard has added a line with the reason why the fork has ended."""
        answer, _, reason = bytes(self.received).rpartition(b'\n')
        if answer and reason == b'done':
            return answer.replace(b'\n', b' ')
        return encode({'died': reason.decode('ascii', 'replace')})


class Server:
    def __init__(self, template):
        self.template = template
        self.selector = selectors.DefaultSelector()
        self.requests = {}
        self.input = bytearray()

    def serve(self):
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self.read_input)
        input_is_open = True
        while input_is_open:
            for key, _ in self.selector.select(self.seconds_left()):
                input_is_open = key.data() is not False and input_is_open
            for request in list(self.requests.values()):
                if request.deadline <= time.monotonic():
                    self.end(request, encode({'died': 'timeout'}))

    def seconds_left(self):
        deadlines = [request.deadline for request in self.requests.values()]
        return max(0, min(deadlines) - time.monotonic()) if deadlines else None

    def read_input(self):
        """Returns False at the end of the input."""
        chunk = os.read(sys.stdin.fileno(), 65536)
        self.input += chunk
        while (end := self.input.find(b'\n')) >= 0:
            fields = json.loads(self.input[:end])
            del self.input[:end + 1]
            self.accept(fields)
        return chunk != b''

    def accept(self, fields):
        if 'cancel' in fields:
            if request := self.requests.get(fields['cancel']):
                self.end(request, encode({'died': 'canceled'}))
            return
        try:
            request = self.requests[fields['id']] = Request(fields, self.template)
        except FileNotFoundError:
            # The step has ended, and its proxy with it.
            send(fields['id'], encode({'died': 'no proxy'}))
            return
        self.selector.register(request.connection, selectors.EVENT_READ, lambda: self.read_answer(request))

    def read_answer(self, request):
        # Ended by an earlier event of the same round.
        if request.id not in self.requests:
            return
        try:
            chunk = request.connection.recv(1024 * 1024)
        except ConnectionError:
            chunk = b''
        request.received += chunk
        if len(request.received) > MAX_ANSWER_BYTES:
            self.end(request, encode({'died': 'answer too long'}))
        elif not chunk:
            self.end(request, request.answer())

    def end(self, request, answer):
        del self.requests[request.id]
        self.selector.unregister(request.connection)
        request.connection.close()
        send(request.id, answer)


def encode(message):
    return json.dumps(message).encode()


def send(request_id, message):
    view = memoryview(b'%d %s\n' % (request_id, message))
    while view:
        view = view[os.write(sys.stdout.fileno(), view):]


@contextlib.contextmanager
def opened(proxy_socket):
    """Forks see no folder with sockets: they get the one of their request."""
    if proxy_socket is None or not hasattr(os, 'O_PATH'):
        yield []
        return
    descriptor = os.open(proxy_socket, os.O_PATH)
    try:
        yield [descriptor]
    finally:
        os.close(descriptor)


def main(settings):
    settings = json.loads(settings)
    for name in ('filter', 'templateFilter'):
        settings[name] = base64.b64decode(settings[name])
    connection, ready = template.start(settings)
    send(0, encode(ready))
    Server(connection).serve()


if __name__ == '__main__':
    main(sys.argv[1])
