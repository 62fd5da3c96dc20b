"""Keeps a process with yt-dlp, and has each request handled by a fork of it (forks.py).

A version of yt-dlp that was published after this container was built is code that nobody here has read. It runs from the
moment of its import, in the process that imports it and in all of its forks. So there are three processes:

- This one reaches the sockets of all proxies. It never imports yt-dlp, and sees neither requests nor answers.
- The keeper creates the namespaces for the template, because namespaces of processes begin with the next fork.
- The template imports yt-dlp, forks for each request, and handles none itself: a fork has a copy of its memory. It is
  confined before: it has namespaces of its own for processes, files, network, IPC and host name, sees neither this
  process nor the sockets of proxies, and has no privileges except in a user namespace of its own. It needs those to
  confine its forks from each other.

Output: one line, the version of yt-dlp, when requests can be made. Input: a line for each request, the path of its
proxy's socket, or nothing. For each line this process connects to the socket in the settings, in their order, and gives
the connection to a fork, which reads the request and writes the answer (forks.py). It ends with its input.
"""

import base64
import contextlib
import json
import os
import pathlib
import socket
import sys
import zipimport

import confine

MAX_LINE_CHARACTERS = 4096


def main(settings):
    settings = json.loads(settings)
    for name in ('filter', 'templateFilter'):
        settings[name] = base64.b64decode(settings[name])
    template, version = start(settings)
    print(version, end='', flush=True)
    for proxy_socket in map(str.strip, sys.stdin):
        # The step may have ended, and its proxy with it. The connection is then closed without an answer.
        with socket.socket(socket.AF_UNIX) as connection, contextlib.suppress(FileNotFoundError):
            connection.connect(settings['requests'])
            # Forks see no folder with sockets. They get the socket of their request.
            proxy = [os.open(proxy_socket, os.O_PATH)] if proxy_socket and hasattr(os, 'O_PATH') else []
            socket.send_fds(template, [b'f'], [connection.fileno(), *proxy])
            for descriptor in proxy:
                os.close(descriptor)


def start(settings):
    """Returns the connection to the template, and the line that it writes when it is ready.

    Some systems allow no user namespaces to root. There, only the version that this container was built with may start
    without its walls: its forks have theirs.
    """
    connection = launch(settings, is_confined=True)
    lines = connection.makefile()
    if lines.readline(MAX_LINE_CHARACTERS) == '':
        if settings['packages'] and not settings['isWeak']:
            raise SystemExit('versions that this container was not built with need user namespaces')
        connection = launch(settings, is_confined=False)
        lines = connection.makefile()
        lines.readline(MAX_LINE_CHARACTERS)
    version = lines.readline(MAX_LINE_CHARACTERS)
    if not version.endswith('\n'):
        # It has written why.
        raise SystemExit(1)
    return connection, version


def launch(settings, is_confined):
    connection, templates_end = socket.socketpair()
    created, maps_written = socket.socketpair()
    keeper = confine.fork(keep, [connection, created], templates_end, maps_written, settings, is_confined)
    templates_end.close()
    maps_written.close()
    with created, contextlib.suppress(OSError):
        if created.recv(1):
            confine.map_users(keeper, settings['userIds'])
            created.sendall(b'm')
    return connection


def keep(others, connection, maps_written, settings, is_confined):
    for other in others:
        other.close()
    with contextlib.suppress(OSError):  # not supported on macOS
        confine.die_with_parent()
    # Nothing from here on may read or write the messages of the warm process.
    confine.silence(sys.stdin.fileno(), sys.stdout.fileno())
    if is_confined:
        enter_user_namespace(maps_written, settings['userIds'])
        confine.call('unshare', confine.NAMESPACES)
    maps_written.close()
    template = confine.fork(run_template, connection, settings, is_confined)
    connection.close()
    os.waitpid(template, 0)


def enter_user_namespace(maps_written, user_ids):
    if not user_ids:
        confine.enter_user_namespace()
        return
    confine.show_all_of_proc()
    confine.call('unshare', confine.CLONE_NEWUSER)
    # The warm process, which is root, gives the namespace its users: the forks have one each.
    maps_written.sendall(b'c')
    if not maps_written.recv(1):
        raise OSError('the user namespace has no users')
    confine.become(0)


def run_template(connection, settings, is_confined):
    if is_confined:
        confine.hide_others(settings['socketFolder'])
        confine.limit_to('FSIZE', 0)
        confine.filter_system_calls(settings['templateFilter'])
    with contextlib.suppress(OSError):
        confine.die_with_parent()
    connection.sendall(b'started\n')
    if settings['certificates']:
        # For OpenSSL, and for curl_cffi, which reads it when it is imported.
        os.environ['SSL_CERT_FILE'] = settings['certificates']
    load(settings['packages']).serve(connection, settings)


def load(packages):
    """Imports yt-dlp, from the wheels in this folder or from the venv."""
    for wheel in pathlib.Path(packages).glob('*.whl') if packages else ():
        sys.meta_path.insert(0, PackageOfWheel(wheel))
    import forks
    return forks


class PackageOfWheel:
    """Finds the package that a wheel is named for. What else the wheel brings is never imported."""

    def __init__(self, wheel):
        self.package = wheel.stem
        self.importer = zipimport.zipimporter(str(wheel))

    def find_spec(self, name, path=None, target=None):
        return self.importer.find_spec(name) if name == self.package else None


if __name__ == '__main__':
    main(sys.argv[1])
