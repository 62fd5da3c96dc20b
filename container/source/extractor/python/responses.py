"""Bounds what yt-dlp reads of a response. It would read and decompress any number of bytes into memory."""

import http.client
import io
import queue
import types
import urllib.response
import zlib

from yt_dlp.networking import _urllib
from yt_dlp.networking.exceptions import UnsupportedRequest

try:
    from yt_dlp.networking import _curlcffi
except ImportError:
    # A version of yt-dlp that does not support the installed one of curl_cffi never looks like a browser.
    _curlcffi = None

# After decompression. Pages and manifests of real platforms have up to 4 MB.
MAX_BYTES = 10_000_000
# RFC 9110, section 8.4, allows a list of encodings. Servers use one.
MAX_ENCODINGS = 2
CHUNK_BYTES = 65536


class ResponseTooLarge(Exception):
    """Not a network error, which yt-dlp would retry or ignore."""

    def __init__(self):
        super().__init__(f'A response has more than {MAX_BYTES} bytes')


def patch_yt_dlp():
    _urllib.HTTPHandler.http_response = _urllib.HTTPHandler.https_response = _bounded_response
    if _curlcffi:
        _curlcffi.curl_cffi.requests.session.queue = types.SimpleNamespace(Queue=BoundedQueue)
        _curlcffi.CurlCFFIResponseAdapter.read = _read_bounded
        _curlcffi.CurlCFFIRH._validate = _validate_as_browser


def _bounded_response(self, request, response):
    encodings = [each.strip() for each in response.headers.get('Content-Encoding', '').split(',')]
    if len(encodings) > MAX_ENCODINGS:
        raise ResponseTooLarge
    chunks = _received(response)
    for encoding in reversed(encodings):
        if encoding in ('gzip', 'deflate'):
            chunks = _decompressed(chunks)
    # Buffered, because yt-dlp expects as many bytes as it asks for.
    limited = io.BufferedReader(Limited(chunks), CHUNK_BYTES)
    bounded = urllib.response.addinfourl(limited, response.headers, response.url, response.code)
    bounded.msg = response.msg
    return bounded


def _received(response):
    while chunk := response.read(CHUNK_BYTES):
        yield chunk
    if getattr(response, 'length', None):
        raise http.client.IncompleteRead(b'', response.length)


def _decompressed(chunks):
    """What follows the first stream is ignored, as yt-dlp does."""
    decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)  # with the header of gzip or zlib
    is_first = True
    for chunk in chunks:
        while chunk and not decoder.eof:
            try:
                output = decoder.decompress(chunk, CHUNK_BYTES)
            except zlib.error:
                if not is_first:
                    raise
                # Some servers send "deflate" without a header.
                decoder = zlib.decompressobj(-zlib.MAX_WBITS)
                output = decoder.decompress(chunk, CHUNK_BYTES)
            is_first = False
            chunk = decoder.unconsumed_tail
            if output:
                yield output
        if decoder.eof:
            return


class Limited(io.RawIOBase):
    def __init__(self, chunks):
        self.chunks = chunks
        self.rest = b''
        self.size = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.rest:
            self.rest = next(self.chunks, b'')
            self.size += len(self.rest)
            if self.size > MAX_BYTES:
                raise ResponseTooLarge
        part = self.rest[:len(buffer)]
        self.rest = self.rest[len(part):]
        buffer[:len(part)] = part
        return len(part)


class BoundedQueue(queue.Queue):
    """What curl has received and decompressed before yt-dlp reads it."""

    size = 0

    def put_nowait(self, item):
        if isinstance(item, bytes):
            self.size += len(item)
            if self.size > MAX_BYTES:
                # curl calls this and ends the transfer.
                raise ResponseTooLarge
        super().put_nowait(item)


_read_of_curl = _curlcffi and _curlcffi.CurlCFFIResponseAdapter.read
_validate_of_curl = _curlcffi and _curlcffi.CurlCFFIRH._validate


def _read_bounded(self, amt=None):
    chunk = _read_of_curl(self, amt)
    # curl_cffi takes the end of such a transfer for that of the response.
    if self.fp._response.queue.size > MAX_BYTES:
        raise ResponseTooLarge
    return chunk


def _validate_as_browser(self, request):
    """curl gets only what is to look like a browser's. yt-dlp would also give it what urllib has refused to read."""
    _validate_of_curl(self, request)
    if self._get_request_target(request) is None:
        raise UnsupportedRequest('only for requests that look like a browser\'s')
