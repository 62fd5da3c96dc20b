"""Requests URLs as a browser does: with its TLS handshake, its HTTP/2 settings and its headers.

Some sites refuse every client whose TLS handshake is not that of a browser, which Node's cannot be. This process is an
HTTP proxy for one egress: it connects to the socket that it is given, several times, and answers the requests that come
over these connections one after the other. Each has the URL instead of a path. What it requests goes through the
guarded proxy of the egress, which is its only network. If there is no response, it closes the connection.
"""

import contextlib
import http.server
import os
import socket
import sys
import threading

# curl_cffi reads it when it is imported.
if certificates := sys.argv[4]:
    os.environ['SSL_CERT_FILE'] = certificates

from curl_cffi import Curl, CurlError, CurlOpt
from curl_cffi.requests.impersonate import DEFAULT_CHROME

sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'extractor', 'python'))
import relay

# A browser's own, which are not replaced by those of another client.
HEADERS_OF_BROWSER = {'user-agent', 'accept', 'accept-language', 'accept-encoding', 'sec-fetch-mode'}
# RFC 9110, section 7.6.1: these apply to one connection only.
HOP_BY_HOP = {
    'connection', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'keep-alive', 'te', 'trailer',
    'transfer-encoding', 'upgrade',
}
ABORTED = 0
FIRST_FINAL_STATUS = 200
# Whoever has sent the request waits for less time, and has then closed the connection.
CONNECT_SECONDS = 30
IDLE_SECONDS = 60
WITHOUT_BODY = (204, 304)


class Requests(http.server.BaseHTTPRequestHandler):
    """The requests of one connection."""

    protocol_version = 'HTTP/1.1'

    def __init__(self, connection, curl, proxy):
        self.curl = curl
        self.proxy = proxy
        super().__init__(connection, None, None)

    def do_GET(self):
        self.forward()

    def do_HEAD(self):
        self.forward()

    def forward(self):
        response = Response(self.wfile, self.command)
        try:
            self.prepare(response)
            self.curl.perform()
            response.end()
        except (CurlError, OSError):
            self.close_connection = True

    def prepare(self, response):
        curl = self.curl
        curl.reset()
        curl.impersonate(DEFAULT_CHROME)
        curl.setopt(CurlOpt.URL, self.path.encode())
        curl.setopt(CurlOpt.NOBODY, self.command == 'HEAD')
        curl.setopt(CurlOpt.FOLLOWLOCATION, 0)
        curl.setopt(CurlOpt.CONNECTTIMEOUT, CONNECT_SECONDS)
        curl.setopt(CurlOpt.LOW_SPEED_LIMIT, 1)
        curl.setopt(CurlOpt.LOW_SPEED_TIME, IDLE_SECONDS)
        curl.setopt(CurlOpt.PROXY, self.proxy)
        # The proxy's failures are then errors, and not responses.
        curl.setopt(CurlOpt.HTTPPROXYTUNNEL, 1)
        curl.setopt(CurlOpt.SUPPRESS_CONNECT_HEADERS, 1)
        # Whoever has sent the request decodes the response.
        curl.setopt(CurlOpt.HTTP_CONTENT_DECODING, 0)
        headers = [('Accept-Encoding', 'identity'), *self.kept_headers()]
        curl.setopt(CurlOpt.HTTPHEADER, [f'{name}: {value}'.encode('latin-1') for name, value in headers])
        curl.setopt(CurlOpt.HEADERFUNCTION, response.header)
        curl.setopt(CurlOpt.WRITEFUNCTION, response.body)

    def kept_headers(self):
        removed = HEADERS_OF_BROWSER | HOP_BY_HOP | {'host'}
        return [(name, value) for name, value in self.headers.items() if name.lower() not in removed]

    def log_message(self, *args):
        pass


class Response:
    """Writes a response as it arrives. Writing waits until it is read, and curl waits meanwhile."""

    def __init__(self, file, method):
        self.file = file
        self.method = method
        self.headers = []
        self.is_chunked = False
        self.has_begun = False

    def header(self, line):
        try:
            if line.startswith(b'HTTP/'):
                self.status = int(line.split(b' ')[1])
                self.headers = []
            elif line.strip():
                self.headers.append(line)
            elif self.status >= FIRST_FINAL_STATUS and not self.has_begun:
                self.begin()
        except (OSError, ValueError):
            return ABORTED
        return len(line)

    def begin(self):
        self.has_begun = True
        named = [(line.split(b':', 1)[0].strip().lower().decode('latin-1'), line) for line in self.headers]
        names = [name for name, _ in named]
        # RFC 9112, section 6.3: beside chunks, a length does not count. One that is wrong would move where responses begin.
        has_length = names.count('content-length') == 1 and 'transfer-encoding' not in names
        removed = HOP_BY_HOP if has_length else HOP_BY_HOP | {'content-length'}
        kept = [line for name, line in named if name not in removed]
        has_body = self.method != 'HEAD' and self.status not in WITHOUT_BODY
        self.is_chunked = has_body and not has_length
        if self.is_chunked:
            kept.append(b'transfer-encoding: chunked\r\n')
        self.file.write(b'HTTP/1.1 %d \r\n%s\r\n' % (self.status, b''.join(kept)))

    def body(self, chunk):
        # A chunk of no bytes would be the last one.
        if not chunk:
            return 0
        try:
            self.file.write(b'%x\r\n%s\r\n' % (len(chunk), chunk) if self.is_chunked else chunk)
        except OSError:
            return ABORTED
        return len(chunk)

    def end(self):
        if self.is_chunked:
            self.file.write(b'0\r\n\r\n')


def answer_requests(socket_path, proxy):
    """Ends when the egress has closed."""
    curl = Curl()
    with contextlib.suppress(OSError):
        while True:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.connect(socket_path)
                Requests(connection, curl, proxy)


def main(socket_path, proxy_socket, connections):
    proxy = f'http://127.0.0.1:{relay.start_relay(proxy_socket)}'.encode()
    threads = [threading.Thread(target=answer_requests, args=(socket_path, proxy)) for _ in range(int(connections))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == '__main__':
    main(*sys.argv[1:4])
