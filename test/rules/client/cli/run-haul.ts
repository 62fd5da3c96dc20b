import type { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, vi } from 'vitest'

export interface Ended {
  stdout: string
  stderr: string
  exitCode: number | string
}

/** Commands listen for these. Listeners of others stay. */
const watched: [emitter: EventEmitter, name: string][] = [
  [process, 'SIGINT'],
  [process, 'SIGTERM'],
  [process.stdout, 'error'],
  [process.stderr, 'error'],
]

const main = join(import.meta.dirname, '../../../../client/cli/main.ts')
let runs = 0

/**
 * Runs the command line in this process, each time in an empty folder, with its own arguments, environment and streams.
 * Processes, pipes and terminals are real in test/further/product/command-line.test.ts.
 */
export const runsHaul = (env: () => Record<string, string>) => {
  const { argv } = process
  const checkout = process.cwd()
  let folder: string

  beforeEach(async () => {
    vi.spyOn(globalThis, 'setTimeout')
    folder = await mkdtemp(join(tmpdir(), 'haul-command-'))
    process.chdir(folder)
    for (const [name, value] of Object.entries({ XDG_CONFIG_HOME: folder, TZ: 'UTC', ...env() }))
      vi.stubEnv(name, value)
  })
  afterEach(async () => {
    // A command does not wait for all of its timers, and the end of its process would end them.
    for (const { value } of vi.mocked(setTimeout).mock.results) clearTimeout(value)
    vi.unstubAllEnvs()
    process.argv = argv
    process.chdir(checkout)
    await rm(folder, { recursive: true })
  })

  const start = (line: string, input = '') => {
    const output = { stdout: '', stderr: '' }
    const checks = new Set<() => void>()
    for (const name of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[name], 'write').mockImplementation((text, ...more) => {
        output[name] += text
        for (const check of checks) check()
        for (const written of more) if (typeof written === 'function') written()
        return true
      })
    }
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([input]) as never)
    process.argv = ['node', 'haul', ...line.split(' ')]
    const others = watched.map(([emitter, name]) => emitter.listeners(name))
    const own = watched.map(([emitter, name], index) => () => {
      const added = emitter.listeners(name).filter((listener) => !others[index]?.includes(listener))
      return added as ((signal: string) => void)[]
    })
    const ended = import(`${main}?${++runs}`).then((): Ended => {
      const { exitCode = 0 } = process
      process.exitCode = undefined
      for (const [index, [emitter, name]] of watched.entries())
        for (const listener of own[index]?.() ?? []) emitter.removeListener(name, listener)
      return { ...output, exitCode: exitCode ?? 0 }
    })
    return {
      ended,
      /** Resolves when stdout or stderr matches. */
      printed: (pattern: RegExp) =>
        new Promise<void>((resolve) => {
          const check = () => pattern.test(output.stdout + output.stderr) && resolve()
          checks.add(check)
          check()
        }),
      interrupt: () => {
        for (const listener of own[0]?.() ?? []) listener('SIGINT')
      },
    }
  }
  return { start, haul: (line: string, input?: string): Promise<Ended> => start(line, input).ended }
}
