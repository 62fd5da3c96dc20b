import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compileCache } from '../../../scripts/start/environment.ts'

const root = join(import.meta.dirname, '../../..')

export interface Command {
  readonly pid: number
  /** Everything printed so far. */
  output(): string
  /** Resolves when the text has been printed, and rejects if the command exits first. */
  printed(text: string): Promise<void>
  kill(signal: NodeJS.Signals): void
  exited: Promise<number | NodeJS.Signals>
}

/** Runs `npm start` as a shell would, without speech, which has its own tests. */
export const runStart = (env: Record<string, string>): Command =>
  runScript(['scripts/run.mjs', 'start'], { HAUL_SPEECH: 'off', ...env })

/** Runs a script of package.json as a shell would. */
export const runScript = (args: string[], env: Record<string, string>): Command => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...compileCache, PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => output.includes(text) && resolve()
      check()
      for (const stream of [child.stdout, child.stderr]) stream.on('data', check)
      exited.then(() => reject(new Error(`The command exited before it printed "${text}":\n${output}`)))
    })
  return { pid: child.pid ?? 0, output: () => output, printed, kill: (signal) => child.kill(signal), exited }
}

/** Every process that has the text in its command line or environment. */
export const processesWith = async (text: string): Promise<{ pid: number; command: string }[]> => {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,stat=,command='], {
    maxBuffer: 64 * 1024 ** 2,
  })
  return stdout
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, state]) => !state?.startsWith('Z'))
    .map(([pid, , ...command]) => ({ pid: Number(pid), command: command.join(' ') }))
}
