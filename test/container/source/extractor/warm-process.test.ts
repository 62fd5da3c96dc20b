import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createExtractor, type WarmExtractor } from '../../../../container/source/extractor/extractor.ts'
import { python } from '../../steps/step-harness.ts'
import { extractorSite, never } from './site.ts'

const site = extractorSite()

describe('the warm process', () => {
  /** An extractor for one test, and the id of its process. */
  const startOwn = async (
    options: { timeoutSeconds?: number } = {},
  ): Promise<{ extractor: WarmExtractor; pid: number }> => {
    const before = processes(process.pid)
    const extractor = createExtractor({ python, ...options })
    onTestFinished(() => extractor.close())
    await extractor.ready()
    const [pid = 0] = processes(process.pid).filter((each) => !before.includes(each))
    return { extractor, pid }
  }
  const processes = (parent: number): number[] => {
    const all = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n')
    return all
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, ppid, stat, ...args]) =>
          Number(ppid) === parent && !stat?.startsWith('Z') && args.join(' ').includes('warm.py'),
      )
      .map(([pid]) => Number(pid))
  }
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
    await until(() => processes(pid).length === 1)
    abort.abort(new Error('canceled'))
    await expect(hanging).rejects.toThrow('canceled')
    await until(() => processes(pid).length === 0)
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
    expect(processes(process.pid)).not.toContain(pid)
  })

  test('its forks are killed with it', async () => {
    const { extractor, pid } = await startOwn()
    const hanging = extractor.extract(`${site.origin}/hangs`, site.egress, never).catch((error) => error)
    await until(() => processes(pid).length === 1)
    const [fork = 0] = processes(pid)
    await extractor.close()
    expect(await hanging).toBeInstanceOf(Error)
    await until(() =>
      execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' })
        .split('\n')
        .every((line) => !new RegExp(`^\\s*${fork} [^Z]`).test(line)),
    )
  })

  test('rejects when it cannot start', async () => {
    const broken = createExtractor({ python: '/nowhere/python' })
    await expect(broken.ready()).rejects.toThrow()
    await expect(broken.extract(`${site.origin}/one`, site.egress, never)).rejects.not.toHaveProperty('code')
    await broken.close()
  })
})
