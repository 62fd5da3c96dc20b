import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { constants as system } from 'node:os'
import { delimiter, join } from 'node:path'

/** @typedef {import('node:child_process').SpawnOptions} SpawnOptions */

/** Of the output in an error. */
const maxOutputBytes = 1_000_000

/**
 * Runs a command and returns what it prints. The error of one that fails has the end of all its output.
 *
 * @type {(command: string, args: string[], options?: SpawnOptions & { input?: string | undefined }) => Promise<string>}
 */
export const run = (command, args, { input = '', ...options } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: 'pipe' })
    let printed = ''
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-maxOutputBytes)
    }
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk
      keep(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', keep)
    // A command that reads nothing may close it first.
    child.stdin.on('error', () => {}).end(input)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(printed.trim())
      else reject(new Error(`\`${[command, ...args].join(' ')}\` failed (${signal ?? code}):\n${output.trim()}`))
    })
  })

/**
 * Runs a command whose output is ours, and resolves to its exit code: 128 and the number of the signal that ended it.
 * A signal that would end us ends the command.
 *
 * @type {(command: string, args: string[], options?: SpawnOptions) => Promise<number>}
 */
export const runInForeground = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + system.signals[signal]))
  })

export const succeeds = (command, args, options) =>
  run(command, args, options).then(
    () => true,
    () => false,
  )

export const isOnPath = async (program) => {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  const found = await Promise.allSettled(candidates.map((candidate) => access(candidate, constants.X_OK)))
  return found.some(({ status }) => status === 'fulfilled')
}
