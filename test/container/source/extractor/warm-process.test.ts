import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { defaultSocketFolder } from '../../../../container/egress/proxy.ts'
import { createExtractor } from '../../../../container/source/extractor/extractor.ts'
import { createWarmProcess } from '../../../../container/source/extractor/warm-process.ts'
import { allProcesses, childrenOf, descendantsOf } from '../../processes.ts'
import { python } from './shared-extractor.ts'
import { extractorSite, never } from './site.ts'

const site = extractorSite()

describe('the warm process', () => {
  const warmProcesses = (): number[] =>
    childrenOf(process.pid)
      .filter(({ args }) => args.includes('warm.py'))
      .map(({ pid }) => pid)
  const before = warmProcesses()
  const ownPids = () => warmProcesses().filter((each) => !before.includes(each))
  const own = createExtractor({ python })
  const extract = (path: string, signal = never) => own.extract(site.origin + path, site.egress, signal)
  beforeAll(() => own.ready())
  afterAll(() => own.close())

  /** The processes for requests: a guard and a fork for each. Above them are bwrap, the server, the keeper and the template. */
  const forksOf = (pid: number): number[] =>
    descendantsOf(pid)
      .filter(({ command }) => command.startsWith('python'))
      .slice(3)
      .map((each) => each.pid)
  const until = async (condition: () => boolean) => {
    while (!condition()) await sleep(10)
  }

  test('handles several requests at once, each in its own process', async () => {
    const sources = await Promise.all(['/one', '/dash.mpd', '/master.m3u8', '/several'].map((path) => extract(path)))
    expect(sources.map(({ platform }) => platform)).toEqual(['generic', 'dash', 'hls', 'generic'])
  })

  test('an abort rejects at once with its reason and kills the fork', async () => {
    const [pid = 0] = ownPids()
    const abort = new AbortController()
    const hanging = extract('/hangs', abort.signal)
    await until(() => forksOf(pid).length === 1)
    abort.abort(new Error('canceled'))
    await expect(hanging).rejects.toThrow('canceled')
    await until(() => forksOf(pid).length === 0)
  })

  test('after a crash, even during a request, it is restarted', async () => {
    const [pid = 0] = ownPids()
    process.kill(pid, 'SIGKILL')
    expect((await extract('/one')).title).toBe('A page')
    expect(ownPids()).not.toContain(pid)
  })

  test('its forks are killed with it', async () => {
    const [pid = 0] = ownPids()
    const hanging = extract('/hangs').catch((error) => error)
    await until(() => forksOf(pid).length === 1)
    const forks = forksOf(pid)
    await own.close()
    expect(await hanging).toBeInstanceOf(Error)
    await until(() => allProcesses().every((each) => !forks.includes(each.pid)))
  })

  test('a request that exceeds its limit fails with TIMED_OUT', async () => {
    const impatient = createExtractor({ python, timeoutSeconds: 0.5 })
    onTestFinished(() => impatient.close())
    await impatient.ready()
    const slow = impatient.extract(`${site.origin}/hangs`, site.egress, never)
    await expect(slow).rejects.toMatchObject({ code: 'TIMED_OUT' })
  })

  test('rejects when it cannot start', async () => {
    const broken = createExtractor({ python: '/nowhere/python' })
    await expect(broken.ready()).rejects.toThrow()
    await expect(broken.extract(`${site.origin}/one`, site.egress, never)).rejects.not.toHaveProperty('code')
    await broken.close()
  })

  test('a request that was aborted before its fork was connected is not sent', async () => {
    const warm = createWarmProcess({ python, socketFolder: defaultSocketFolder, program: ['-c', lateForks] })
    onTestFinished(() => warm.close())
    await warm.ready()
    const page = { url: site.origin, asBrowser: false, tokenHost: null, timeoutSeconds: 10 }
    const abort = new AbortController()
    const aborted = warm.send({ ...page, proxySocket: 'late' }, abort.signal)
    setTimeout(() => abort.abort(new Error('canceled')), 50)
    await expect(aborted).rejects.toThrow('canceled')
    const answer = await warm.send({ ask: 'sites', timeoutSeconds: 10 }, never)
    expect(JSON.parse(Buffer.from(answer).toString())).toEqual({ received: '' })
  })
})

/** Connects late where the proxy is "late", and answers each other request with what it received of that one. */
const lateForks = `
import json, socket, sys, time
print('1', flush=True)
received = ''
for line in sys.stdin:
    is_late = line.strip() == 'late'
    time.sleep(0.5 if is_late else 0)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(json.loads(sys.argv[1])['requests'])
        request = connection.makefile().readline()
        if is_late: received = request
        else: connection.sendall(json.dumps({'missing': []} if 'check' in request else {'received': received}).encode() + b'\\ndone')
`
