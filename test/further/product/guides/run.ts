import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compileCache } from '../../../../scripts/start/environment.ts'

/** What the languages of the guides need. */
export interface Programs {
  /** The packages `haul-client` and `standardwebhooks` are found from here. */
  folder: string
  /** Where the command `haul` is. */
  bin: string
  /** With the packages `haul_client` and `openai`. */
  python: string
}

export interface Running {
  /** What it has printed to stdout so far. */
  output(): string
  errors(): string
  exited: Promise<number | NodeJS.Signals>
  kill(): Promise<void>
}

export const startSnippet = async (
  { language, text }: { language: string; text: string },
  { python, bin }: Programs,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Running> => {
  const path = [bin, dirname(process.execPath), process.env.PATH].join(':')
  const [program, ...args] = await commandOf(language, text, cwd, python)
  const child = spawn(program, args, {
    cwd,
    // As a terminal of the reader: without the settings of the test run.
    env: { ...compileCache, PATH: path, HOME: cwd, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      texts[name] += part
    })
  }
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { output: () => texts.stdout, errors: () => texts.stderr, exited, kill: () => end(child, exited) }
}

const commandOf = async (
  language: string,
  text: string,
  cwd: string,
  python: string,
): Promise<[string, ...string[]]> => {
  if (language === 'sh') return ['bash', '-eu', '-o', 'pipefail', '-c', text]
  if (language === 'python') return [python, '-c', text]
  if (language !== 'ts' && language !== 'js') throw new Error(`No test runs ${language}`)
  const file = language === 'ts' ? 'snippet.ts' : 'snippet.mjs'
  await writeFile(join(cwd, file), text)
  return [process.execPath, file]
}

/** A shell's children too. */
const end = async ({ pid }: ChildProcess, exited: Promise<unknown>): Promise<void> => {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
  await exited
}
