import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

export interface Command {
  readonly pid: number
  /** All that it has said so far. */
  said(): string
  /** Resolves when it has said this, and rejects when it ends without. */
  says(text: string): Promise<void>
  kill(signal: NodeJS.Signals): void
  exited: Promise<number | NodeJS.Signals>
}

/** `npm start` as a shell would run it. Speech is a test of its own. */
export const startCommand = (env: Record<string, string>): Command => {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, HAUL_SPEECH: 'off', ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => said.includes(text) && resolve()
      look()
      child.stdout.on('data', look)
      exited.then(() => reject(new Error(`It ended without saying "${text}":\n${said}`)))
    })
  return { pid: child.pid ?? 0, said: () => said, says, kill: (signal) => child.kill(signal), exited }
}

/** Every process that has the text in its command or its environment. */
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
