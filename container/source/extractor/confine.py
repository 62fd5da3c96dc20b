"""Confines the calling process before it reads an untrusted page.

Called in a fork, before it looks at the request. Steps that the system does not allow are skipped: the filtering proxy
is then the only protection, and /health reports it.
"""

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
CAPABILITY_VERSION_3 = 0x20080522
SIOCSIFFLAGS = 0x8914
IFF_UP_RUNNING = 0x1 | 0x40

MEBIBYTE = 1024 * 1024

try:
    libc = ctypes.CDLL(None, use_errno=True)
except OSError:
    libc = None


def die_with_parent():
    """Kills this process when the warm process dies, so that it is never orphaned."""
    parent = os.getppid()
    if libc and hasattr(libc, 'prctl'):
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def limit(cpu_seconds, memory_mebibytes):
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # No files are written: answers go through a pipe.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # not supported on macOS
        resource.setrlimit(resource.RLIMIT_AS, (memory_mebibytes * MEBIBYTE, memory_mebibytes * MEBIBYTE))


def leave_network():
    """Enters a new network namespace that contains only its own loopback interface."""
    if not libc or not hasattr(libc, 'unshare'):
        return False
    if libc.unshare(CLONE_NEWNET) != 0 and libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    raise_loopback()
    return True


def raise_loopback():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack('16sh22x', b'lo', IFF_UP_RUNNING))


def drop_privileges():
    """With CAP_SYS_ADMIN the process could enter the network namespace of another process."""
    if not libc or not hasattr(libc, 'capset'):
        return
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack('Ii', CAPABILITY_VERSION_3, 0)
    libc.capset(header, bytes(24))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
