"""Answers requests: each in a fork of the template, which is confined before it reads an untrusted page.

The template waits for the end of a fork and adds the reason to its answer. It kills a fork when the container has closed the
connection, which it does to cancel a request. It reads neither requests nor answers.

A request is one line of JSON (ForkRequest in warm-process.ts). With a "limit", the fork lists what is at the URL
(listing.py). With "check", it tries to get out (walls.py). With "ask", it answers a question about yt-dlp. An answer is
JSON, and a line with the reason why the fork has ended.
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


def serve(connection, settings):
    """Writes the version of yt-dlp. Each message then has the connection of a request, and the socket of its proxy, if any."""
    resolve.warm_up()
    connection.sendall(f'{resolve.VERSION}\n'.encode())
    Template(connection, resolve.Resolver(node=settings['node']), settings).serve()


class Template:
    def __init__(self, connection, resolver, settings):
        self.connection, self.resolver, self.settings = connection, resolver, settings
        # By the descriptors of their connections, which are kept until the reason is written.
        self.forks, self.reasons = {}, {}
        self.woken, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.poll = select.poll()
        for descriptor in connection.fileno(), self.woken:
            self.poll.register(descriptor, select.POLLIN)

    def serve(self):
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor == self.connection.fileno():
                    _, descriptors, _, _ = socket.recv_fds(self.connection, 1, 2)
                    if not descriptors:
                        return
                    self.start(*descriptors)
                elif descriptor == self.woken:
                    os.read(self.woken, 4096)
                    self.reap()
                elif descriptor in self.reasons:
                    self.tell(descriptor)
                elif descriptor in self.forks:
                    # The container has closed the connection.
                    self.poll.unregister(descriptor)
                    kill(self.forks[descriptor])

    def start(self, connection, proxy=None):
        # Without events, only the end of the connection is reported.
        self.poll.register(connection, 0)
        try:
            put_up(self.settings, confine.unshare_processes)
            self.forks[connection] = confine.fork(handle, connection, proxy, self.resolver, self.settings)
        except OSError:
            traceback.print_exc()
            self.end(connection, 'broken')
        # If this fails, the next request is refused.
        with contextlib.suppress(OSError):
            confine.share_processes()
        if proxy is not None:
            os.close(proxy)

    def reap(self):
        for connection, pid in list(self.forks.items()):
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                del self.forks[connection]
                # The first process of a namespace ignores SIGXCPU, so a later SIGKILL ends it.
                over_limit = usage.ru_utime + usage.ru_stime >= CPU_TIME_OVER
                self.end(connection, 'timeout' if os.WIFSIGNALED(status) and over_limit else 'done')

    def end(self, connection, reason):
        self.reasons[connection] = socket.socket(fileno=connection), b'\n' + reason.encode()
        self.tell(connection)

    def tell(self, descriptor):
        connection, reason = self.reasons[descriptor]
        try:
            connection.send(reason, socket.MSG_DONTWAIT)
        except BlockingIOError:
            # A long answer has not been read yet.
            self.poll.register(descriptor, select.POLLOUT)
            return
        except OSError:
            pass
        with contextlib.suppress(KeyError):
            self.poll.unregister(descriptor)
        del self.reasons[descriptor]
        connection.close()


def kill(pid):
    for each in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            each(pid, signal.SIGKILL)


def put_up(settings, wall, *args):
    """Without a wall, no page is read, unless the operator has accepted that."""
    accepted = (OSError, ValueError) if settings['isWeak'] else ()
    with contextlib.suppress(*accepted):
        wall(*args)


def handle(connection, proxy, resolver, settings):
    descriptors = [connection] if proxy is None else [connection, proxy]
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    keep_only(sys.stderr.fileno(), *descriptors)
    connection = socket.socket(fileno=connection)
    request = json.loads(connection.makefile('rb').readline())
    os.setsid()
    put_up(settings, confine.die_with_parent)
    put_up(settings, confine.enter_namespaces)
    # The proxy's socket can then be reached by its descriptor alone.
    put_up(settings, confine.hide_others, settings['socketFolder'])
    # Before the change of user, which takes the privilege to do it.
    put_up(settings, confine.drop_bounding_set)
    if request['userId'] is not None:
        put_up(settings, confine.become, request['userId'])
    put_up(settings, confine.drop_capabilities)
    # After the change of user, which would cancel it.
    put_up(settings, confine.die_with_parent)
    confine.limit()
    # Without namespaces this counts everything else that the user runs.
    put_up(settings, confine.limit_to, 'NPROC', confine.PROCESSES)
    # Not supported on macOS.
    put_up(settings, confine.limit_to, 'AS', confine.MEMORY_BYTES)
    put_up(settings, confine.filter_system_calls, settings['filter'])
    os.environ.clear()
    answer = answer_to(request, proxy, resolver, settings)
    connection.sendall(json.dumps(answer).encode())


def answer_to(request, proxy, resolver, settings):
    if 'check' in request:
        return {'missing': walls.missing(request['check'], settings['socketFolder'])}
    if 'proxySocket' in request:
        connect(request, proxy, resolver)
    # What fails before is a fault of ours, and is logged.
    confine.silence(sys.stderr.fileno())
    if 'ask' in request:
        return {'sites': suitable.sites()} if request['ask'] == 'sites' else {'problem': resolve.script_problem(resolver)}
    if 'limit' in request:
        return listing.list_items(request['url'], resolver, request['limit'])
    return resolve.resolve(request['url'], resolver)


def connect(request, proxy, resolver):
    # Systems other than Linux cannot pass the proxy's socket on.
    port = relay.start_relay(request['proxySocket'] if proxy is None else f'/proc/self/fd/{proxy}')
    resolver.params['proxy'] = f'http://127.0.0.1:{port}'
    if request['asBrowser']:
        resolver.params['impersonate'] = resolve.BROWSER
    if request['tokenHost']:
        tokens.use_provider(request['tokenHost'])


def keep_only(*descriptors):
    """Closes everything else, such as the connections of other requests."""
    below = 0
    for descriptor in sorted({0, 1, *descriptors}):
        # An empty range would close everything (a bug of Python 3.11).
        if below < descriptor:
            os.closerange(below, descriptor)
        below = descriptor + 1
    os.closerange(below, 4096)
