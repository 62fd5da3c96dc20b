import { type RunOptions, run } from '../../../container/sandbox/process.ts'
import { pythonFiles } from '../../../container/sandbox/program-files.ts'
import { python } from '../source/extractor/shared-extractor.ts'

/** What a child sees of /tmp: nothing, or the folder of a checkout that is in it. */
export const seenOfTmp: readonly string[] = import.meta.dirname.startsWith('/tmp/')
  ? import.meta.dirname.split('/').slice(2, 3)
  : []

/** Runs Python code as a child, and returns what its `answer(…)` was called with. */
export const inPython = async (code: string, options: Partial<RunOptions> = {}): Promise<unknown> => {
  const reads = [...(await pythonFiles(python)), ...(options.reads ?? [])]
  const script = `${attempts}\n${code}`
  const { stdout, stderr } = await run(python, ['-I', '-B', '-c', script], { timeoutMs: 20_000, ...options, reads })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** Helpers for code that tries to get out of a sandbox. Each attempt has a name of an error, or what it returned. */
export const attempts = `
import ctypes, errno, json, os, socket, sys

def answer(value):
    print(json.dumps(value))

def attempt(action, *args):
    try:
        return action(*args)
    except OSError as error:
        return errno.errorcode[error.errno]

def call(name, *args):
    """A system call by its number on x86_64 or aarch64."""
    numbers = {
        'ptrace': (101, 117), 'unshare': (272, 97), 'setns': (308, 268), 'clone': (56, 220), 'clone3': (435, 435),
        'io_uring_setup': (425, 425), 'keyctl': (250, 219), 'memfd_create': (319, 279), 'pidfd_getfd': (438, 438),
        'process_vm_readv': (310, 270),
    }
    number = numbers[name][os.uname().machine == 'aarch64']
    result = ctypes.CDLL(None, use_errno=True).syscall(number, *args)
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]

def content(path):
    with open(path) as file:
        return file.read()

def write(path):
    with open(path, 'w') as file:
        file.write('x')
    return 'written'

def connect(port):
    socket.create_connection(('127.0.0.1', port), timeout=2).close()
    return 'connected'

def processes():
    return sorted(int(name) for name in os.listdir('/proc') if name.isdigit())

def fork_until_refused(most):
    """The number of processes at once, this one included."""
    held, waits = os.pipe()
    started = []
    try:
        while len(started) < most:
            pid = os.fork()
            if pid == 0:
                os.close(waits)
                os.read(held, 1)
                os._exit(0)
            started.append(pid)
    except OSError:
        pass
    os.close(waits)
    for pid in started:
        os.waitpid(pid, 0)
    return len(started) + 1

def facts(*names):
    found = dict(line.split(':\\t', 1) for line in content('/proc/self/status').splitlines())
    return [found[name] for name in names]
`
