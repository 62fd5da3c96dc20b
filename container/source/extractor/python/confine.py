"""Confines the template before it imports yt-dlp, and each of its forks before it reads an untrusted page.

A fork gets namespaces of its own for processes, files, network, IPC and host name, a user of its own where the warm
process is root, no capabilities, limits, and the system call filter of all child processes.
"""

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import traceback

# linux/prctl.h, sched.h, mount.h, capability.h, sockios.h and if.h.
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
NAMESPACES = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x4000, 0x40000
CAPABILITY_VERSION_3 = 0x20080522
SIOCSIFFLAGS = 0x8914
IFF_UP_RUNNING = 0x1 | 0x40

CPU_SECONDS = 30
MEMORY_BYTES = 2048 * 1024 * 1024
# As of the other child processes (container/sandbox/launch/limits.ts).
NICENESS = 10
# Threads count too. Node, which runs player scripts, has about twelve.
PROCESSES = 64

try:
    libc = ctypes.CDLL(None, use_errno=True)
except OSError:
    libc = None


def call(name, *args):
    if not hasattr(libc, name):
        raise OSError(f'this system has no {name}')
    if getattr(libc, name)(*args) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f'{name}: {os.strerror(number)}')


def fork(work, *args):
    """Calls `work` in a child process, which ends with it. Returns the id of the process."""
    pid = os.fork()
    if pid == 0:
        try:
            work(*args)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    return pid


def die_with_parent():
    call('prctl', PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def become(user_id):
    os.setgroups([])
    os.setresgid(user_id, user_id, user_id)
    os.setresuid(user_id, user_id, user_id)


def unshare_processes():
    """The next fork is the first process of a new namespace."""
    call('unshare', CLONE_NEWPID)


def share_processes():
    """Without this, there could be no other namespace after the one for the last fork."""
    with open('/proc/self/ns/pid') as own:
        call('setns', own.fileno(), CLONE_NEWPID)


def enter_namespaces():
    """Those of NAMESPACES that do not begin with a fork. Until it drops them, the process has all capabilities there."""
    call('unshare', NAMESPACES & ~CLONE_NEWPID)


def enter_user_namespace():
    """One whose only user and group are those of this process."""
    user_id, group_id = os.getuid(), os.getgid()
    call('unshare', CLONE_NEWUSER)
    for name, text in (
        ('setgroups', 'deny'),
        ('uid_map', f'{user_id} {user_id} 1'),
        ('gid_map', f'{group_id} {group_id} 1'),
    ):
        with open(f'/proc/self/{name}', 'w') as file:
            file.write(text)


def show_all_of_proc():
    """bwrap has covered parts of /proc that root may write to. A user namespace may then mount no /proc of its own."""
    call('unshare', CLONE_NEWNS)
    call('mount', b'proc', b'/proc', b'proc', MS_NOSUID | MS_NODEV | MS_NOEXEC, None)


def map_users(pid, user_ids):
    """Called by root, for a process in a new user namespace: it becomes `template` there, and may become any in `range`."""
    template, (first, end) = user_ids['template'], user_ids['range']
    ranges = [(0, template, 1), (first, first, template - first), (template + 1, template + 1, end - template - 1)]
    text = ''.join(f'{inside} {outside} {count}\n' for inside, outside, count in ranges if count > 0)
    for name in ('uid_map', 'gid_map'):
        with open(f'/proc/{pid}/{name}', 'w') as file:
            file.write(text)


def hide_others(folder):
    """Called by the first process of the namespaces: it sees only its own processes, and `folder` is empty."""
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    # Nothing that is mounted here appears elsewhere.
    call('mount', b'none', b'/', None, MS_REC | MS_PRIVATE, None)
    call('mount', b'proc', b'/proc', b'proc', flags, None)
    call('mount', b'none', os.fsencode(folder), b'tmpfs', flags | MS_RDONLY, b'size=4k')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack('16sh22x', b'lo', IFF_UP_RUNNING))


def drop_bounding_set():
    for capability in range(64):
        # Fails for numbers that the kernel does not know. walls.py checks the result.
        with contextlib.suppress(OSError):
            call('prctl', PR_CAPBSET_DROP, capability, 0, 0, 0)


def drop_capabilities():
    call('capset', struct.pack('Ii', CAPABILITY_VERSION_3, 0), bytes(24))
    call('prctl', PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def limit():
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    for name, most in ('NOFILE', 128), ('CORE', 0), ('FSIZE', 0):
        limit_to(name, most)


def limit_to(name, most):
    resource.setrlimit(getattr(resource, f'RLIMIT_{name}'), (most, most))


def silence(*descriptors):
    """What is read from them is at its end, and what is written to them is lost."""
    with open(os.devnull, 'r+') as null:
        for descriptor in descriptors:
            os.dup2(null.fileno(), descriptor)


def filter_system_calls(program):
    """The filter of container/sandbox/launch/syscall-filter.ts. Threads and programs that are started later inherit it."""
    instructions = ctypes.create_string_buffer(program, len(program))
    class FilterProgram(ctypes.Structure):  # struct sock_fprog
        _fields_ = [('length', ctypes.c_ushort), ('instructions', ctypes.c_void_p)]
    filter_program = FilterProgram(len(program) // 8, ctypes.addressof(instructions))
    call('prctl', PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_program), 0, 0)
