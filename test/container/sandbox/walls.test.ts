import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { start } from '../../../container/sandbox/process.ts'
import { findWalls, wallsProgram, withCheckTargets } from '../../../container/sandbox/walls.ts'
import { type Loopback, listenOnLoopback } from '../../support/loopback.ts'
import { descendantsOf } from '../processes.ts'
import { python } from '../source/extractor/shared-extractor.ts'
import { inPython, seenOfTmp } from './python.ts'

const isRoot = process.getuid?.() === 0
const { isolation } = await findWalls()

let folder: string
let server: Loopback
let requests = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-walls-test-'))
  await writeFile(join(folder, 'secret'), 'secret', { mode: 0o600 })
  await writeFile(join(folder, 'input'), 'media')
  server = await listenOnLoopback(createServer((_, response) => response.end(String(++requests))))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

// A system without bubblewrap has no walls that could be tested. There the container refuses to work.
describe.runIf(isolation === 'bubblewrap')('a child process', () => {
  test('reads the files that are named for it, and no others', async () => {
    const found = await inPython(
      `
folder = ${JSON.stringify(folder)}
answer({
  'input': attempt(content, folder + '/input'),
  'secret': attempt(content, folder + '/secret'),
  'folder': os.listdir(folder),
  'home': attempt(os.listdir, '/home'),
  'passwords': attempt(content, '/etc/shadow'),
  'checkout': attempt(os.listdir, ${JSON.stringify(join(import.meta.dirname, '../../..'))} + '/test'),
})`,
      { reads: [join(folder, 'input')] },
    )
    const missing = { secret: 'ENOENT', home: 'ENOENT', passwords: 'ENOENT', checkout: 'ENOENT' }
    expect(found).toEqual({ input: 'media', folder: ['input'], ...missing })
  })

  test('writes its output and nothing else, and cannot put a link in the place of a file', async () => {
    const output = join(folder, 'output')
    const found = await inPython(
      `
folder = ${JSON.stringify(folder)}
def replace_by_link():
    os.symlink(folder + '/secret', folder + '/link')
    os.replace(folder + '/link', folder + '/output')
answer({
  'output': attempt(write, folder + '/output'),
  'input': attempt(write, folder + '/input'),
  'system': attempt(write, '/usr/written'),
  'root': attempt(write, '/written'),
  'devices': attempt(write, '/dev/written'),
  'link': attempt(replace_by_link),
})`,
      { reads: [join(folder, 'input')], writes: [output] },
    )
    expect(found).toMatchObject({ output: 'written', input: 'EROFS', system: 'EROFS', root: 'EROFS', devices: 'EROFS' })
    expect(found).not.toMatchObject({ link: null })
    expect(await readFile(output, 'utf8')).toBe('x')
    expect((await readdir(folder)).sort()).toEqual(['input', 'output', 'secret'])
  })

  test('has a small private folder for temporary files', async () => {
    const code = `
def fill():
    with open('/tmp/large', 'wb') as file:
        for _ in range(200): file.write(bytes(1024 * 1024))
answer([os.listdir('/tmp'), attempt(fill)])`
    expect(await inPython(code)).toEqual([seenOfTmp, 'ENOSPC'])
  })

  test('sees its own processes only, and cannot signal the container', async () => {
    const code = `answer([processes(), attempt(os.kill, ${process.pid}, 0), attempt(os.listdir, '/proc/${process.pid}')])`
    expect(await inPython(code)).toEqual([[1, 2], 'ESRCH', 'ENOENT'])
  })

  test('has no network', async () => {
    const code = `
interfaces = [line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line]
answer([attempt(connect, ${server.port}), interfaces])`
    expect(await inPython(code)).toEqual(['ECONNREFUSED', ['lo']])
    expect(requests).toBe(0)
  })

  test('has neither capabilities nor a way to new ones', async () => {
    const code = "answer(facts('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp'))"
    expect(await inPython(code)).toEqual([...Array(5).fill('0'.repeat(16)), '1', '2'])
  })

  test('cannot make dangerous system calls', async () => {
    const calls = {
      ...{ ptrace: '0, 0, 0, 0', process_vm_readv: 'os.getpid(), 0, 0, 0, 0, 0', pidfd_getfd: '0, 0, 0' },
      ...{ unshare: '0x10000000', setns: '0, 0', clone: '0x10000011, 0, 0, 0, 0', io_uring_setup: '1, 0' },
      ...{ keyctl: '0, 0, 0, 0, 0', memfd_create: 'b"x", 0' },
    }
    const made = Object.entries(calls).map(([name, args]) => `'${name}': call('${name}', ${args})`)
    const refused = Object.fromEntries(Object.keys(calls).map((name) => [name, 'EPERM']))
    expect(await inPython(`answer({${made.join()}})`)).toEqual(refused)
  })

  test('has threads and processes, although clone3 is unknown to it', async () => {
    const code = `
import subprocess, threading
threads = []
thread = threading.Thread(target=lambda: threads.append('thread')); thread.start(); thread.join()
answer([call('clone3', 0, 0), threads, subprocess.run(['echo', 'process'], capture_output=True, text=True).stdout])`
    expect(await inPython(code)).toEqual(['ENOSYS', ['thread'], 'process\n'])
  })

  test('has sockets of its own namespace, and none to talk to the kernel', async () => {
    const code = `
def opened(family, kind): socket.socket(family, kind).close(); return 'opened'
answer([
  attempt(opened, socket.AF_INET, socket.SOCK_STREAM),
  attempt(opened, socket.AF_UNIX, socket.SOCK_STREAM),
  attempt(opened, socket.AF_NETLINK, socket.SOCK_RAW),
  attempt(opened, socket.AF_PACKET, socket.SOCK_RAW),
])`
    expect(await inPython(code)).toEqual(['opened', 'opened', 'EAFNOSUPPORT', 'EAFNOSUPPORT'])
  })

  test('starts no more processes than its limit', async () => {
    const processes = 20
    const started = await Promise.all(
      [1, 2].map(() => inPython('answer(fork_until_refused(100))', { limits: { processes } })),
    )
    // Each child has its own count, of which bwrap may be one.
    for (const count of started) expect(count).toBeOneOf([processes - 2, processes - 1, processes])
  })

  test.runIf(isRoot)('of root has a user of its own, and not that of another child', async () => {
    const users = await Promise.all([1, 2].map(() => inPython('answer(os.getuid())')))
    for (const user of users) expect(user).toBeGreaterThanOrEqual(200_000)
    expect(users[0]).not.toBe(users[1])
  })

  test('is slower than the container, and the first to go when memory runs out', async () => {
    const code = "answer([os.nice(0), content('/proc/self/oom_score_adj').strip()])"
    expect(await inPython(code)).toEqual([10, '800'])
  })

  test('ends with everything that it has started, when it is killed', async () => {
    const child = await start('/bin/sh', ['-c', "trap '' TERM; setsid sleep 100 & sleep 100 & wait"])
    const names = () => descendantsOf(child.pid ?? 0).map(({ command }) => command)
    await expect.poll(() => names().filter((name) => name === 'sleep')).toHaveLength(2)
    const inside = descendantsOf(child.pid ?? 0).map(({ pid }) => pid)
    child.kill('SIGKILL')
    await expect.poll(() => inside.filter(isAlive)).toEqual([])
  })
})

const isAlive = (pid: number): boolean => descendantsOf(1).some((each) => each.pid === pid)

/** Runs a module as another user, and returns what it prints. */
const asUser = async (uid: number, module: string, args: string[] = []): Promise<unknown> => {
  const command = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', process.execPath, module, ...args]
  const { stdout } = await promisify(execFile)('setpriv', command, { env: { ...process.env, TMPDIR: '/tmp' } })
  return JSON.parse(stdout)
}

describe('the check of the walls', () => {
  test('finds every wall missing around a process that has none', async () => {
    const { stdout } = await withCheckTargets(3, (targets) =>
      promisify(execFile)(python, ['-B', wallsProgram, JSON.stringify(targets)]),
    )
    const missing = JSON.parse(stdout)
    expect(missing).toEqual(
      expect.arrayContaining([
        'read files of other programs',
        'write files of other programs',
        'see other processes',
        'use the network',
        'use capabilities',
        'make dangerous system calls',
        'start any number of processes',
        ...(isRoot ? ['act as the user of this container'] : []),
      ]),
    )
  })

  test.runIf(isolation === 'bubblewrap' && isRoot)('finds all of them for a user without privileges', async () => {
    expect(await asUser(1000, join(import.meta.dirname, 'print-walls.ts'))).toEqual({
      isolation: 'bubblewrap',
      missing: [],
    })
  })
})
