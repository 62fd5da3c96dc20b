"""Tries, from within a confined fork, what the walls must prevent."""

import os
import socket

import confine

TRIED_PROCESSES = 4 * confine.PROCESSES


def missing(check, settings):
    """What this fork can do, each to be read after "yt-dlp can"."""
    tried = {
        'read files of other programs': opens(check['secretFile'], os.O_RDONLY),
        'write files': opens('/tmp/written', os.O_CREAT | os.O_WRONLY) and writes('/tmp/written'),
        "reach other jobs' proxies": bool(os.listdir(settings['socketFolder'])),
        'see other processes': [name for name in os.listdir('/proc') if name.isdigit()] != ['1'],
        'use the network': connects(check['port']) or interfaces() != ['lo'],
        'use capabilities': not is_powerless(),
        'make dangerous system calls': not is_filtered(),
        'start any number of processes': forks_more_than_allowed(),
        'act as the user of this container': check['changesUser'] and os.getuid() == 0,
    }
    return [name for name, works in tried.items() if works]


def opens(path, flags):
    try:
        os.close(os.open(path, flags))
    except OSError:
        return False
    return True


def writes(path):
    try:
        with open(path, 'wb', buffering=0) as file:
            file.write(b'x')
    except OSError:
        return False
    return True


def connects(port):
    try:
        socket.create_connection(('127.0.0.1', port), timeout=1).close()
    except OSError:
        return False
    return True


def interfaces():
    with open('/proc/net/dev') as file:
        return [line.split(':')[0].strip() for line in file if ':' in line]


def status():
    with open('/proc/self/status') as file:
        return dict(line.rstrip('\n').split(':\t', 1) for line in file)


def is_powerless():
    facts = status()
    return all(int(facts[name], 16) == 0 for name in ('CapPrm', 'CapEff', 'CapBnd')) and facts['NoNewPrivs'] == '1'


def is_filtered():
    try:
        confine.call('unshare', confine.CLONE_NEWUSER)
    except OSError:
        return status()['Seccomp'] == '2'
    return False


def forks_more_than_allowed():
    started = []
    held, waits = os.pipe()
    try:
        for _ in range(TRIED_PROCESSES):
            pid = os.fork()
            if pid == 0:
                os.close(waits)
                os.read(held, 1)
                os._exit(0)
            started.append(pid)
    except OSError:
        return False
    finally:
        os.close(waits)
        os.close(held)
        for pid in started:
            os.waitpid(pid, 0)
    return True
