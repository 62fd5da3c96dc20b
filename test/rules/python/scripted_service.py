"""
A service on loopback that responds as a test says, for what the real one cannot be made to do: lose connections, be busy,
forget parts. Each route gives its answers in turn, and the last one again and again.
"""

import json
import socket
import threading
from collections import defaultdict
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Received:
    route: str
    query: dict
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


class ScriptedService:
    def __init__(self):
        self.received = []
        self.released = threading.Event()
        self._script = defaultdict(list)
        self._arrived = threading.Condition()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True

            def answer(self):
                address = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received = Received(
                    f"{self.command} {address.path}", dict(parse_qsl(address.query, True)), headers, body
                )
                service.answer_to(received)(self)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self):
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def on(self, route, *answers):
        self._script[route] = list(answers)

    def at(self, route):
        return [each for each in self.received if each.route == route]

    def answer_to(self, received):
        with self._arrived:
            self.received.append(received)
            self._arrived.notify_all()
            answers = self._script[received.route] or [refused(404, "NOT_FOUND")]
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def requested(self, route, count=1):
        """Waits until the route has had so many requests."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.at(route)) >= count, 60)


def respond(status, content=b"", headers=None):
    def answer(handler):
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def data(value, status=200):
    return respond(status, json.dumps({"success": True, "data": value}).encode(), {"Content-Type": "application/json"})


def refused(status, code, facts=None, headers=None):
    body = {"success": False, "error": f"The service says {code}.", "code": code, "requestId": "req_1", **(facts or {})}
    return respond(status, json.dumps(body).encode(), {"X-Request-Id": "req_1", **(headers or {})})


def close(handler):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


drop = close
"""The request was read, and no response is sent."""


def cut(handler):
    """The response is broken off."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"success":true,')
    close(handler)


def stream(events, then="end"):
    """Sends events, then ends the stream, breaks it, or leaves it open. An event that is a string is sent as it is."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for index, event in enumerate(events):
            id = event.get("id", index) if isinstance(event, dict) else None
            text = event if id is None else f"event: job\nid: {id}\ndata: {json.dumps(event)}\n\n"
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(text.encode()), text.encode()))
            handler.wfile.flush()
        if then == "end":
            handler.wfile.write(b"0\r\n\r\n")
        elif then == "hang":
            hang(handler)
        else:
            close(handler)

    return answer


services = []


def hang(handler):
    services[-1].released.wait()
    handler.close_connection = True


JOB_ID = "imp_1"
_job = {"jobId": JOB_ID, "type": "import", "url": "https://example.com/film", "createdAt": "2026-11-22T12:00:00.000Z"}
queued = {**_job, "status": "queued", "startedAt": None, "completedAt": None}
completed = {**_job, "status": "completed", "result": {"title": "A film", "mediaUrl": "https://haul/media", "new": 1}}
failed = {**_job, "status": "failed", "code": "NO_AUDIO", "message": "No sound.", "retryable": False}
started = data({"jobId": JOB_ID, "status": "queued", "message": "The import is queued."}, 202)


def running(percent):
    rates = {"bytesPerSecond": 100, "etaSeconds": 3}
    progress = {
        "stage": "downloading",
        "percent": percent,
        "downloadedBytes": 10 * percent,
        "totalBytes": 1000,
        **rates,
    }
    return {**_job, "status": "running", "startedAt": "2026-11-22T12:00:01.000Z", "progress": progress}
