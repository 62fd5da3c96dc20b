import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createExtractor, type WarmExtractor } from '../../container/source/extractor/extractor.ts'
import { extractorSite, never } from './extractor-site.ts'
import { python } from './step-run.ts'

const site = extractorSite()

describe('the warm process', () => {
  /** A test's own, and the process that it was started as. */
  const own = async (options: { timeoutSeconds?: number } = {}): Promise<{ its: WarmExtractor; warm: number }> => {
    const before = processes(process.pid)
    const its = createExtractor({ python, ...options })
    onTestFinished(() => its.close())
    await its.ready()
    const [warm = 0] = processes(process.pid).filter((pid) => !before.includes(pid))
    return { its, warm }
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
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  test('answers several questions at once, each in its own process', async () => {
    const sources = await Promise.all([
      site.extract('/one'),
      site.extract('/dash.mpd'),
      site.extract('/master.m3u8'),
      site.extract('/several'),
    ])
    expect(sources.map(({ platform }) => platform)).toEqual(['generic', 'dash', 'hls', 'generic'])
  })

  test('an abort rejects at once with its reason and the fork is gone', async () => {
    const { its, warm } = await own()
    const abort = new AbortController()
    const hanging = its.extract(`${site.origin}/hangs`, site.egress, abort.signal)
    await until(() => processes(warm).length === 1)
    abort.abort(new Error('canceled'))
    await expect(hanging).rejects.toThrow('canceled')
    await until(() => processes(warm).length === 0)
  })

  test('a question that takes too long ends as such', async () => {
    const { its } = await own({ timeoutSeconds: 0.5 })
    const slow = its.extract(`${site.origin}/hangs`, site.egress, never)
    await expect(slow).rejects.toMatchObject({ code: 'TIMED_OUT' })
  })

  test('one that has died, even in the middle of a question, is started anew', async () => {
    const { its, warm } = await own()
    process.kill(warm, 'SIGKILL')
    const answered = its.extract(`${site.origin}/one`, site.egress, never)
    expect((await answered).title).toBe('A page')
    expect(processes(process.pid)).not.toContain(warm)
  })

  test('its forks die with it', async () => {
    const { its, warm } = await own()
    const hanging = its.extract(`${site.origin}/hangs`, site.egress, never).catch((error) => error)
    await until(() => processes(warm).length === 1)
    const [fork = 0] = processes(warm)
    await its.close()
    expect(await hanging).toBeInstanceOf(Error)
    await until(() =>
      execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' })
        .split('\n')
        .every((line) => !new RegExp(`^\\s*${fork} [^Z]`).test(line)),
    )
  })

  test('says so when it cannot run', async () => {
    const broken = createExtractor({ python: '/nowhere/python' })
    await expect(broken.ready()).rejects.toThrow()
    await expect(broken.extract(`${site.origin}/one`, site.egress, never)).rejects.not.toHaveProperty('code')
    await broken.close()
  })
})
