import { type Profiler, Session } from 'node:inspector/promises'
import { vi } from 'vitest'

/**
 * Counts the work of functions instead of their time: how often each block of code in the folders runs, and how many
 * characters are given to regular expressions and to the methods that flatten a joined string.
 */
export interface WorkCounter {
  /** How much more work twice the size is. */
  growth(run: (size: number) => unknown, size: number): Promise<number>
  stop(): Promise<void>
}

/** Only code that is loaded after this is counted, so the test imports it afterwards. */
export const startWorkCounter = async (...folders: string[]): Promise<WorkCounter> => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  vi.resetModules()
  const blocks = async () => blocksOf((await session.post('Profiler.takePreciseCoverage')).result, folders)
  const workOf = async (run: () => unknown): Promise<number> => {
    await blocks()
    const characters = countCharacters()
    try {
      await run()
    } finally {
      characters.stop()
    }
    return characters.count + (await blocks())
  }
  return {
    growth: async (run, size) => {
      const work = await workOf(() => run(size))
      return (await workOf(() => run(2 * size))) / work
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

/** Since they were counted last. */
const blocksOf = (scripts: Profiler.ScriptCoverage[], folders: string[]): number =>
  scripts
    .filter(({ url }) => folders.some((folder) => url.includes(folder)))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0)

const countCharacters = () => {
  const counted = { count: 0, stop: () => {} }
  const methods = ['charCodeAt', 'codePointAt', 'slice', 'split', 'trim', 'lastIndexOf'] as const
  const spies = [
    vi.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, text: string) {
      counted.count += text.length
      return this.exec(text) !== null
    }),
    ...methods.map((name) => {
      const original = String.prototype[name] as (...values: unknown[]) => unknown
      return vi.spyOn(String.prototype, name).mockImplementation(function (this: string, ...values: unknown[]) {
        counted.count += this.length
        return original.apply(this, values)
      } as never)
    }),
  ]
  counted.stop = () => {
    for (const spy of spies) spy.mockRestore()
  }
  return counted
}
