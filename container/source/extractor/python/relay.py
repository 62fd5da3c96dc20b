"""Relays a TCP port to the proxy's Unix socket, because yt-dlp supports only proxies on a TCP port."""

import contextlib
import socket
import threading


def start_relay(unix_path):
    """Listens on the loopback interface of this network namespace and returns the port."""
    listener = socket.create_server(('127.0.0.1', 0))
    _in_background(_accept, listener, unix_path)
    return listener.getsockname()[1]


def _in_background(work, *args):
    threading.Thread(target=work, args=args, daemon=True).start()


def _accept(listener, unix_path):
    while True:
        client, _ = listener.accept()
        proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            proxy.connect(unix_path)
        except OSError:
            client.close()
            proxy.close()
            continue
        _in_background(_pump, client, proxy)
        _in_background(_pump, proxy, client)


def _pump(source, target):
    with contextlib.suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
