"""Runs a command on a pseudo-terminal: terminal.py COLUMNS COMMAND…

What arrives on stdin is typed on the terminal, so that byte 3 is Ctrl-C for the whole foreground process group. What
the terminal shows goes to stdout. The exit code is that of the command.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(command[0], command)

sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 4096)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            # Linux: the last process has closed the terminal.
            break
        if not shown:
            break
        os.write(1, shown)

_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
