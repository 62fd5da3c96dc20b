"""Tries, from within a child process or a fork of yt-dlp, what the walls must prevent.

walls.ts starts it once, before the container accepts work, and each fork that is asked to (forks.py) calls `missing`.
"""

import ctypes
import json
import os
import socket
import sys

CLONE_NEWUSER = 0x10000000


def missing(check, socket_folder=None):
    """What this process can do, each to be read after "yt-dlp can" or "Child processes can".

    `socket_folder`: for forks, which may write nowhere, and where they may see no proxy but their own.
    """
    beside_secret = os.path.join(os.path.dirname(check['secretFile']), 'written')
    tried = {
        'read files of other programs': opens(check['secretFile'], os.O_RDONLY),
        'write files of other programs': writes(beside_secret),
        'see other processes': any(int(name) not in (1, os.getpid()) for name in os.listdir('/proc') if name.isdigit()),
        'use the network': connects(check['port']) or interfaces() != ['lo'],
        'use capabilities': not is_powerless(),
        'make dangerous system calls': not is_filtered(),
        'start any number of processes': forks(check['processes']),
        'act as the user of this container': check['changesUser'] and os.getuid() == 0,
    }
    if socket_folder:
        tried['write files'] = opens('/tmp/written', os.O_CREAT | os.O_WRONLY) and writes('/tmp/written')
        tried["reach other jobs' proxies"] = bool(os.listdir(socket_folder))
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
    return status()['Seccomp'] == '2' and ctypes.CDLL(None).unshare(CLONE_NEWUSER) != 0


def forks(processes):
    """Whether so many can be started. They end with this one's end of the pipe."""
    started = []
    held, waits = os.pipe()
    try:
        for _ in range(processes):
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


if __name__ == '__main__':
    print(json.dumps(missing(json.loads(sys.argv[1]))))
