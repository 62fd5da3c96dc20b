"""Answers requests: each in a fork of the template, which is confined before it reads an untrusted page.

A fork for a request is its guard, which reads the request, enters new namespaces and forks once more. That fork resolves
the URL. The guard waits for its end and adds the reason to the answer, and kills it when the container has closed the
connection, which it does to cancel a request.

A request is one line of JSON: {"url", "proxySocket", "asBrowser", "tokenHost", "userId"}. With a "limit", the fork lists
what is at the URL (listing.py). With "check" instead of a URL, it tries to get out (walls.py). With "ask", it answers a
question about yt-dlp: which "sites" it knows, and whether its "scripts" run. An answer is JSON, {"info"}, {"playlist"},
{"list"}, {"error"}, {"missing"}, {"sites"} or {"problem"}, and a line with the reason why the fork has ended.
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys
import traceback

import confine
import listing
import relay
import resolve
import suitable
import tokens

sys.path.append(os.path.join(os.path.dirname(__file__), '../../../sandbox'))
import walls

# The kernel counts whole ticks for the limit. On a busy machine that is more than the time that it reports.
CPU_TIME_OVER = 0.75 * confine.CPU_SECONDS


def warm_up():
    """Returns the version of yt-dlp."""
    resolve.warm_up()
    return resolve.VERSION


def serve(connection, settings):
    """Each message has the connection of a request and, unless it is a check, the socket of its proxy."""
    resolver = resolve.Resolver(node=settings['node'])
    signal.signal(signal.SIGCHLD, reap_guards)
    while True:
        _, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
        if not descriptors:
            return
        if os.fork() == 0:
            connection.close()
            guard(socket.socket(fileno=descriptors[0]), next(iter(descriptors[1:]), None), resolver, settings)
        for descriptor in descriptors:
            os.close(descriptor)


def reap_guards(*_):
    """Guards that are waited for, instead of ignored, count in this process's CPU time."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def guard(connection, proxy, resolver, settings):
    """Never returns."""
    reason = 'broken'
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        keep_only(sys.stderr.fileno(), connection.fileno(), *([] if proxy is None else [proxy]))
        wall = Walls(settings)
        request = json.loads(read_line(connection))
        wall.up(confine.die_with_parent)
        wall.up(confine.enter_namespaces)
        ended, held = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ended)
            handle(request, proxy, connection, resolver, wall)
        os.close(held)
        if not wait_for_end(ended, connection):
            for kill in (os.kill, os.killpg):
                with contextlib.suppress(ProcessLookupError):
                    kill(pid, signal.SIGKILL)
        reason = reason_of(*os.wait4(pid, 0)[1:])
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            connection.sendall(b'\n' + reason.encode())
        os._exit(0)


def wait_for_end(ended, connection):
    """False if the container has closed the connection first."""
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(connection, 0)
    return any(descriptor == ended for descriptor, _ in poll.poll())


def reason_of(status, usage):
    # The first process of a namespace ignores SIGXCPU, so a later SIGKILL ends it.
    over_limit = usage.ru_utime + usage.ru_stime >= CPU_TIME_OVER
    return 'timeout' if os.WIFSIGNALED(status) and over_limit else 'done'


def handle(request, proxy, connection, resolver, wall):
    """Never returns."""
    try:
        os.setsid()
        # The proxy's socket can then be reached by its descriptor alone.
        wall.up(confine.hide_others, wall.settings['socketFolder'])
        # Before the change of user, which takes the privilege to do it.
        wall.up(confine.drop_bounding_set)
        if request['userId'] is not None:
            wall.up(confine.become, request['userId'])
        wall.up(confine.drop_capabilities)
        # After the change of user, which would cancel it.
        wall.up(confine.die_with_parent)
        confine.limit()
        wall.up(confine.limit_processes)
        wall.up(confine.limit_memory)
        wall.up(confine.filter_system_calls, wall.settings['filter'])
        os.environ.clear()
        if 'check' in request:
            answer = {'missing': walls.missing(request['check'], wall.settings['socketFolder'])}
        else:
            if 'proxySocket' in request:
                port = relay.start_relay(request['proxySocket'] if proxy is None else f'/proc/self/fd/{proxy}')
                resolver.params['proxy'] = f'http://127.0.0.1:{port}'
            if request.get('asBrowser'):
                resolver.params['impersonate'] = resolve.BROWSER
            if request.get('tokenHost'):
                tokens.use_provider(request['tokenHost'])
            confine.silence(sys.stderr.fileno())
            answer = answer_to(request, resolver)
        connection.sendall(json.dumps(answer).encode())
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def answer_to(request, resolver):
    if request.get('ask') == 'sites':
        return {'sites': suitable.sites()}
    if request.get('ask') == 'scripts':
        return {'problem': resolve.script_problem(resolver)}
    if 'limit' in request:
        return listing.list_items(request['url'], resolver, request['limit'])
    return resolve.resolve(request['url'], resolver)


class Walls:
    """Builds up one wall after the other. Without one, no page is read, unless the operator has accepted that."""

    def __init__(self, settings):
        self.settings = settings

    def up(self, build, *args):
        """Returns whether the wall is up."""
        try:
            build(*args)
        except (OSError, ValueError):
            if not self.settings['isWeak']:
                raise
            return False
        return True


def keep_only(*descriptors):
    """Closes everything else, such as the connections of other requests."""
    below = 0
    for descriptor in sorted({0, 1, *descriptors}):
        # An empty range would close everything (a bug of Python 3.11).
        if below < descriptor:
            os.closerange(below, descriptor)
        below = descriptor + 1
    os.closerange(below, 4096)


def read_line(connection):
    line = bytearray()
    while not line.endswith(b'\n'):
        chunk = connection.recv(65536)
        if not chunk:
            raise EOFError('no request')
        line += chunk
    return line
