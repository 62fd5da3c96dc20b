import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from '../start/environment.ts'

const execute = promisify(execFile)

/** Runs a command in the checkout and returns what it prints. */
export const run = async (command: string, ...args: string[]): Promise<string> => {
  const { stdout } = await execute(command, args, { cwd: root, maxBuffer: 64 * 1024 ** 2 })
  return stdout.trim()
}
