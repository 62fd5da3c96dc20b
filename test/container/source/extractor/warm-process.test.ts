import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createExtractor, type WarmExtractor } from '../../../../container/source/extractor/extractor.ts'
import { allProcesses, childrenOf, descendantsOf } from '../../processes.ts'
import { python } from './shared-extractor.ts'
import { extractorSite, never } from './site.ts'

const site = extractorSite()

describe('the warm process', () => {
  /** An extractor for one test, and the id of its process. */
  const startOwn = async (
    options: { timeoutSeconds?: number } = {},
  ): Promise<{ extractor: WarmExtractor; pid: number }> => {
    const before = warmProcesses()
    const extractor = createExtractor({ python, ...options })
    onTestFinished(() => extractor.close())
    await extractor.ready()
    const [pid = 0] = warmProcesses().filter((each) => !before.includes(each))
    return { extractor, pid }
  }
  const warmProcesses = (): number[] =>
    childrenOf(process.pid)
      .filter(({ args }) => args.includes('warm.py'))
      .map(({ pid }) => pid)
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
    const sources = await Promise.all([
      site.extract('/one'),
      site.extract('/dash.mpd'),
      site.extract('/master.m3u8'),
      site.extract('/several'),
    ])
    expect(sources.map(({ platform }) => platform)).toEqual(['generic', 'dash', 'hls', 'generic'])
  })

  test('an abort rejects at once with its reason and kills the fork', async () => {
    const { extractor, pid } = await startOwn()
    const abort = new AbortController()
    const hanging = extractor.extract(`${site.origin}/hangs`, site.egress, abort.signal)
    await until(() => forksOf(pid).length === 2)
    abort.abort(new Error('canceled'))
    await expect(hanging).rejects.toThrow('canceled')
    await until(() => forksOf(pid).length === 0)
  })

  test('a request that exceeds its limit fails with TIMED_OUT', async () => {
    const { extractor } = await startOwn({ timeoutSeconds: 0.5 })
    const slow = extractor.extract(`${site.origin}/hangs`, site.egress, never)
    await expect(slow).rejects.toMatchObject({ code: 'TIMED_OUT' })
  })

  test('after a crash, even during a request, it is restarted', async () => {
    const { extractor, pid } = await startOwn()
    process.kill(pid, 'SIGKILL')
    const retried = extractor.extract(`${site.origin}/one`, site.egress, never)
    expect((await retried).title).toBe('A page')
    expect(warmProcesses()).not.toContain(pid)
  })

  test('its forks are killed with it', async () => {
    const { extractor, pid } = await startOwn()
    const hanging = extractor.extract(`${site.origin}/hangs`, site.egress, never).catch((error) => error)
    await until(() => forksOf(pid).length === 2)
    const forks = forksOf(pid)
    await extractor.close()
    expect(await hanging).toBeInstanceOf(Error)
    await until(() => allProcesses().every((each) => !forks.includes(each.pid)))
  })

  test('rejects when it cannot start', async () => {
    const broken = createExtractor({ python: '/nowhere/python' })
    await expect(broken.ready()).rejects.toThrow()
    await expect(broken.extract(`${site.origin}/one`, site.egress, never)).rejects.not.toHaveProperty('code')
    await broken.close()
  })
})
