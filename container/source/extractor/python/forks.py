"""Answers requests: each in a fork of the template, which is confined before it reads an untrusted page.

A fork for a request is its guard, which reads the request, enters new namespaces and forks once more. That fork resolves
the URL. The guard waits for its end and adds the reason to the answer, and kills it when the container has closed the
connection, which it does to cancel a request.

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
    resolver = resolve.Resolver(node=settings['node'])
    signal.signal(signal.SIGCHLD, reap_guards)
    while True:
        _, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
        if not descriptors:
            return
        confine.fork(guard, connection, descriptors, resolver, settings)
        for descriptor in descriptors:
            os.close(descriptor)


def reap_guards(*_):
    """Guards that are waited for, instead of ignored, count in this process's CPU time."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def guard(templates_connection, descriptors, resolver, settings):
    templates_connection.close()
    connection, proxy = socket.socket(fileno=descriptors[0]), next(iter(descriptors[1:]), None)
    reason = 'broken'
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        keep_only(sys.stderr.fileno(), *descriptors)
        request = json.loads(connection.makefile('rb').readline())
        put_up(settings, confine.die_with_parent)
        put_up(settings, confine.enter_namespaces)
        ended, held = os.pipe()
        pid = confine.fork(handle, ended, request, proxy, connection, resolver, settings)
        os.close(held)
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(connection, 0)
        if all(descriptor != ended for descriptor, _ in poll.poll()):
            # The container has closed the connection first.
            for kill in (os.kill, os.killpg):
                with contextlib.suppress(ProcessLookupError):
                    kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        # The first process of a namespace ignores SIGXCPU, so a later SIGKILL ends it.
        over_limit = usage.ru_utime + usage.ru_stime >= CPU_TIME_OVER
        reason = 'timeout' if os.WIFSIGNALED(status) and over_limit else 'done'
    finally:
        with contextlib.suppress(OSError):
            connection.sendall(b'\n' + reason.encode())


def put_up(settings, wall, *args):
    """Without a wall, no page is read, unless the operator has accepted that."""
    accepted = (OSError, ValueError) if settings['isWeak'] else ()
    with contextlib.suppress(*accepted):
        wall(*args)


def handle(ended, request, proxy, connection, resolver, settings):
    os.close(ended)
    os.setsid()
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
