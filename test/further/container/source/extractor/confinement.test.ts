import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createEgress, type Egress } from '../../../../../container/egress/egress.ts'
import { createGuard } from '../../../../../container/egress/guard.ts'
import { findWalls } from '../../../../../container/sandbox/walls.ts'
import { allProcesses } from '../../../../container/processes.ts'
import {
  createHostileExtractor,
  type HostileExtractor,
} from '../../../../container/source/extractor/hostile-extractor.ts'
import { extractorSite, inExtractor, never } from '../../../../container/source/extractor/site.ts'

const site = extractorSite()
const isRoot = process.getuid?.() === 0
const { isolation } = await findWalls()

describe('the network of the extractor', () => {
  test('neither a redirect nor a link reaches a private address', async () => {
    await expect(site.extract('/redirect-to-forbidden')).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    await expect(site.extract('/link-to-forbidden')).rejects.toHaveProperty('code')
    await expect(site.extractor.extract(`${site.forbidden}/one`, site.egress, never)).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    })
    expect(site.forbiddenRequests).toBe(0)
  })

  test('a local file is not a page', async () => {
    const file = site.extractor.extract('file:///etc/passwd', site.egress, never)
    await expect(file).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  })
})

test('yt-dlp finds Node for player scripts', async () => {
  const script = `
import os, resolve
os.environ.clear()
info = resolve.Resolver(node=${JSON.stringify(process.execPath)})._js_runtimes['node'].info
print(info.version, info.supported)`
  expect(await inExtractor(script)).toBe(`${process.version.slice(1)} True`)
})

test('the walls around a fork are found to be up', async () => {
  expect(await site.extractor.missingWalls()).toEqual([])
})

// A system without bubblewrap has no walls that could be tested. There the container refuses to work.
describe.runIf(isolation === 'bubblewrap')('a fork that a page has taken over', () => {
  let hostile: HostileExtractor
  let folder: string
  let other: Egress
  beforeAll(async () => {
    vi.stubEnv('SOURCE_PROXY_URL', 'http://user:hunter2@proxy.example')
    vi.stubEnv('SOURCE_PROXIES', 'a.example=http://user:hunter2@proxy.example')
    folder = await mkdtemp(join(tmpdir(), 'haul-hostile-'))
    await writeFile(join(folder, 'secret'), 'secret', { mode: 0o600 })
    hostile = await createHostileExtractor(folder)
    other = createEgress({ guard: createGuard({ allow: '', lookup: async () => [] }), socketFolder: folder })
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await hostile.close()
    await other.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('reads no files of the container, and writes none', async () => {
    const code = `
folder = ${JSON.stringify(folder)}
result = {
  'secret': attempt(content, folder + '/secret'),
  'passwords': attempt(content, '/etc/shadow'),
  'checkout': attempt(os.listdir, ${JSON.stringify(join(import.meta.dirname, '../../../../..'))} + '/test'),
  'temporary': attempt(write, '/tmp/written'),
  'code': attempt(write, resolve.__file__),
}`
    expect(await hostile.run(code)).toEqual({
      ...{ secret: 'ENOENT', passwords: 'ENOENT', checkout: 'ENOENT' },
      ...{ temporary: 'EFBIG', code: 'EROFS' },
    })
  })

  test("has its own job's proxy, and no other one", async () => {
    const code = `
def connect_to(path):
    with socket.socket(socket.AF_UNIX) as opened:
        opened.connect(path)
    return 'connected'
result = [attempt(connect_to, ${JSON.stringify(await other.proxySocket())}), attempt(os.listdir, ${JSON.stringify(folder)})]
result += [attempt(connect, resolver.params['proxy'].split(':')[-1])]`
    expect(await hostile.run(code)).toEqual(['ENOENT', [], 'connected'])
  })

  test('has no network', async () => {
    const port = new URL(site.forbidden).port
    const code = `
result = [attempt(connect, ${port}), [line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line]]`
    expect(await hostile.run(code)).toEqual(['ECONNREFUSED', ['lo']])
  })

  test('sees its own processes only, and signals no others', async () => {
    const { pid = 0 } = allProcesses().find(({ args, command }) => args.includes('warm') && command === 'bwrap') ?? {}
    const code = `result = [processes(), attempt(os.kill, ${process.pid}, 0), attempt(os.kill, ${pid}, 0), os.getppid()]`
    expect(await hostile.run(code)).toEqual([[1], 'ESRCH', 'ESRCH', 0])
  })

  test('has neither capabilities nor a way to new ones', async () => {
    const code = `
result = facts('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp')
result += [call('unshare', 0x10000000), call('ptrace', 0, 0, 0, 0), call('setns', 0, 0)]`
    expect(await hostile.run(code)).toEqual([...Array(5).fill('0'.repeat(16)), '1', '2', 'EPERM', 'EPERM', 'EPERM'])
  })

  test('starts no more processes than its limit, and other forks still can', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => hostile.run('result = fork_until_refused(200)')))
    // Threads count too: those of the proxy's relay, and outside of a user of its own, the guard.
    for (const count of [one, two]) expect(count).toBeOneOf([61, 62, 63, 64])
  })

  test.runIf(isRoot)('of root has a user of its own, and not that of another fork', async () => {
    const users = await Promise.all([1, 2].map(() => hostile.run('result = os.getuid()')))
    for (const user of users) expect(user).toBeGreaterThanOrEqual(200_000)
    expect(users[0]).not.toBe(users[1])
  })

  test('is slower than the container, and the first to go when memory runs out', async () => {
    const code = "result = [os.nice(0), content('/proc/self/oom_score_adj').strip()]"
    expect(await hostile.run(code)).toEqual([10, '800'])
  })

  test('runs Node for player scripts, and has the certificates of the system', async () => {
    const code = `
import ssl, subprocess
script = [${JSON.stringify(process.execPath)}, '-e', 'console.log(6 * 7)']
result = [subprocess.run(script, capture_output=True, text=True).stdout, ssl.create_default_context().cert_store_stats()]`
    expect(await hostile.run(code)).toEqual(['42\n', expect.objectContaining({ x509_ca: expect.any(Number) })])
  })

  test('has no open files but its own', async () => {
    const code = `
def target(name):
    try: return os.readlink('/proc/self/fd/' + name).split(':')[0]
    except OSError: return None
result = sorted(filter(None, map(target, os.listdir('/proc/self/fd'))))`
    // Three times nothing, its connection, and the proxy with its relay.
    expect(await hostile.run(code)).toEqual([
      ...['/dev/null', '/dev/null', '/dev/null'],
      ...[expect.stringMatching(/proxy/), 'socket', 'socket'],
    ])
  })

  test('finds no request of another job in its memory', async () => {
    const mark = 'signed by another job'
    // The pattern does not match itself.
    const search = `
import re
def marks(line):
    first, last = (int(each, 16) for each in line.split()[0].split('-'))
    if 'rw-p' not in line: return 0
    return len(re.findall(b'signed by[ ]another job', ctypes.string_at(first, last - first)))
result = sum(map(marks, open('/proc/self/maps').read().splitlines()))`
    const searched = new AbortController()
    const other = hostile.run(`import signal; signal.pause() # ${mark}`, { signal: searched.signal })
    expect(await hostile.run(`${search} # ${mark}`)).toBeGreaterThan(0)
    expect(await hostile.run(search)).toBe(0)
    searched.abort()
    await expect(other).rejects.toThrow('aborted')
  })

  test('finds the password of a source proxy neither in its environment nor in that of another process', async () => {
    const code = `
import glob
read = lambda path: attempt(content, path)
result = {'own': sorted(os.environ), 'others': str([read(path) for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline')])}`
    const result = (await hostile.run(code)) as { own: string[]; others: string }
    expect(result.own.filter((name) => name.startsWith('SOURCE'))).toEqual([])
    expect(result.others).not.toContain('hunter2')
    expect(result.others).toContain('python')
  })

  test('that computes without end is stopped', async () => {
    await expect(hostile.run('while True: pass')).resolves.toEqual({ died: 'timeout' })
  })
})
