import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Runs a command and returns what it prints. The error of a failed one has all that it printed. */
export const capture = async (
  command: string,
  args: string[],
  cwd: string,
  { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string | undefined } = {},
): Promise<string> => {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } })
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // A command that reads nothing may close it first.
  child.stdin.on('error', () => {}).end(input)
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  if (code === 0) return stdout.trim()
  throw new Error(`\`${[command, ...args].join(' ')}\` failed:\n${`${stdout}${stderr}`.trim()}`)
}
