"""The process with yt-dlp, which forks for each request and handles none itself.

A version of yt-dlp that was published after this container was built is code that nobody here has read. It runs from the
moment of its import, in this process and in all of its forks, so this process is confined before: it has namespaces of
its own for processes, files, network, IPC and host name, sees neither the warm process nor the sockets of proxies, and has
no privileges except in a user namespace of its own. It needs those to confine its forks from each other (forks.py).

Two processes are started: namespaces of processes begin with the next fork, so the keeper creates them, and its fork
becomes the template. The keeper ends with it.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import traceback

import confine

MAX_MESSAGE_BYTES = 4096


class CannotConfine(Exception):
    pass


def start(settings):
    """Returns the connection to the template, and what it says of itself when it is ready.

    Each message to it has the descriptors of a request. Some systems allow no user namespaces to root. There, only the
    version that this container was built with may start without its walls: its forks have theirs.
    """
    connection = launch(settings, is_confined=True)
    if read_message(connection) is None:
        connection.close()
        if settings['packages'] and not settings['isWeak']:
            raise SystemExit('versions that this container was not built with need user namespaces')
        connection = launch(settings, is_confined=False)
        read_message(connection)
    ready = read_message(connection)
    if ready is None:
        # It has written why.
        raise SystemExit(1)
    return connection, ready


def launch(settings, is_confined):
    connection, templates_end = socket.socketpair()
    created, maps_written = socket.socketpair()
    keeper = os.fork()
    if keeper == 0:
        connection.close()
        created.close()
        run_keeper(templates_end, maps_written, settings, is_confined)
    templates_end.close()
    maps_written.close()
    with created, contextlib.suppress(OSError):
        if created.recv(1):
            confine.map_users(keeper, settings['userIds'])
            created.sendall(b'm')
    return connection


def run_keeper(connection, maps_written, settings, is_confined):
    """Never returns."""
    try:
        with contextlib.suppress(OSError):  # not supported on macOS
            confine.die_with_parent()
        # Nothing from here on may read or write the messages of the warm process.
        confine.silence(sys.stdin.fileno(), sys.stdout.fileno())
        if is_confined:
            enter_user_namespace(maps_written, settings['userIds'])
            confine.call('unshare', confine.NAMESPACES)
        maps_written.close()
        template = os.fork()
        if template == 0:
            run_template(connection, settings, is_confined)
        connection.close()
        os.waitpid(template, 0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def enter_user_namespace(maps_written, user_ids):
    if not user_ids:
        confine.enter_user_namespace()
        return
    confine.show_all_of_proc()
    confine.call('unshare', confine.CLONE_NEWUSER)
    # The warm process, which is root, gives the namespace its users: the forks have one each.
    maps_written.sendall(b'c')
    if not maps_written.recv(1):
        raise CannotConfine('the user namespace has no users')
    confine.become(0)


def run_template(connection, settings, is_confined):
    """Never returns."""
    try:
        if is_confined:
            confine.hide_others(settings['socketFolder'])
            confine.write_no_files()
            confine.filter_system_calls(settings['templateFilter'])
        with contextlib.suppress(OSError):
            confine.die_with_parent()
        send_message(connection, {'confined': is_confined})
        if settings['certificates']:
            # For OpenSSL, and for curl_cffi, which reads it when it is imported.
            os.environ['SSL_CERT_FILE'] = settings['certificates']
        forks = load(settings['packages'])
        send_message(connection, {'version': forks.warm_up()})
        forks.serve(connection, settings)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def load(packages):
    """Imports yt-dlp: the version in this folder, else that of the venv."""
    if packages:
        sys.path.insert(0, packages)
    import forks
    return forks


def send_message(connection, message):
    connection.sendall(json.dumps(message).encode() + b'\n')


def read_message(connection):
    """None at its end."""
    line = bytearray()
    while not line.endswith(b'\n'):
        # One byte at a time: what follows is not ours to read.
        byte = connection.recv(1)
        if not byte or len(line) > MAX_MESSAGE_BYTES:
            return None
        line += byte
    return json.loads(line)
